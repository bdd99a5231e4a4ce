"""A new stack's file: provider configuration and a fresh owner id."""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tpuserve.cli.errors import UserError

OWNER_LENGTH = 20
OWNER_LETTERS = string.ascii_lowercase + string.digits
NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
PROJECT_FILES = ("Pulumi.yaml", "Pulumi.yml")
HEAD = """\
# tpuserve:ownerId is random and this stack's alone: by it the stack knows at Google what it has made. Never copy it to
# another stack, and never change it while anything is deployed. What else a stack may say: docs/stacks.md.
"""
PROGRAM = "tpu-inference"  # the project whose program reads the template's keys
TEMPLATE = """\
  # What the program builds: take away the first # of the sections you want, and put in your own values.
#  tpu-inference:collection:
#    slices: 2
#    acceleratorType: v6e-8
#    runtimeVersion: v2-alpha-tpuv6e
#  tpu-inference:model:
#    displayName: ranker
#    imageUri: us-east5-docker.pkg.dev/my-project/serving/ranker:7
#    predictRoute: /predict
#    healthRoute: /health
#    port: 8080
#  tpu-inference:endpoint:
#    displayName: ranker
#    variants:
#      stable:
#        machineType: ct6e-standard-1t
#        maxReplicaCount: 1
"""
FILL_IN = "fill in tpu-inference:collection, model and endpoint there, or what you want of them (docs/stacks.md); then "


def owner_id() -> str:
    """20 characters of [a-z0-9], random."""
    return "".join(secrets.choice(OWNER_LETTERS) for _ in range(OWNER_LENGTH))


def write(directory: Path, name: str, places: Mapping[str, str]) -> Path:
    """Write the file where the project has its stack files; its path. Raises UserError."""
    project = _project_file(directory)
    settings = _settings(project)
    if not NAME.fullmatch(name):
        raise UserError(f"{name!r} is not a stack's name: 1 to 100 letters, digits, hyphens, underscores and dots")
    path = project.parent / str(settings.get("stackConfigDir", ".")) / f"Pulumi.{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text(places) + (TEMPLATE if settings.get("name") == PROGRAM else ""))
    except FileExistsError:
        raise UserError(
            f"{path} exists and was left as it is: its tpuserve:ownerId is how the stack knows what it made. Give "
            "another name, or edit the file"
        ) from None
    return path


def next_step(directory: Path, name: str) -> str:
    """What to do with the file that was written. Raises UserError."""
    fill_in = FILL_IN if _settings(_project_file(directory)).get("name") == PROGRAM else ""
    return f"{fill_in}pulumi stack init {name}"


def text(places: Mapping[str, str]) -> str:
    """The head and the provider's keys."""
    config = {f"tpuserve:{key}": value for key, value in places.items()} | {"tpuserve:ownerId": owner_id()}
    return HEAD + yaml.safe_dump({"config": config}, sort_keys=False)


def _project_file(directory: Path) -> Path:
    start = directory.resolve()
    for folder in (start, *start.parents):
        for name in PROJECT_FILES:
            if (folder / name).is_file():
                return folder / name
    raise UserError(f"no Pulumi.yaml in {start} or above it; give a folder of the project with --directory")


def _settings(project: Path) -> dict[str, Any]:
    return yaml.safe_load(project.read_text(encoding="utf-8")) or {}
