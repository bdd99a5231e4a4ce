"""The stand-in put where the engine finds it: an executable of the bridged provider's name, to be first on PATH."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def install(folder: Path) -> Path:
    """Make `pulumi-resource-gcp` in `folder`, and `folder/objects` for what it keeps; returns `folder`."""
    (folder / "objects").mkdir(parents=True)
    command = f'exec "{sys.executable}" -m tests.gcp.provider "{folder / "objects"}" "$@"'
    executable = folder / "pulumi-resource-gcp"
    executable.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" {command}\n')
    executable.chmod(0o755)
    return folder
