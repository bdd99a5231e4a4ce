"""Where `make up` keeps what it makes: everything in the untracked folder .tpuserve of this clone."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

STACK = "local"


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths of one clone. `root` holds Pulumi.yaml."""

    root: Path

    @property
    def project(self) -> str:
        """The project's name."""
        return str(yaml.safe_load((self.root / "Pulumi.yaml").read_text(encoding="utf-8"))["name"])

    @property
    def keep(self) -> Path:
        """The untracked folder; itself a Pulumi project, so that stack commands write the clone's own stack file."""
        return self.root / ".tpuserve"

    @property
    def backend(self) -> Path:
        """The file backend."""
        return self.keep / "backend"

    @property
    def home(self) -> Path:
        """PULUMI_HOME."""
        return self.keep / "home"

    @property
    def owner(self) -> Path:
        """The owner id of this clone's stack."""
        return self.keep / "owner-id"

    @property
    def stack_file(self) -> Path:
        """The clone's own copy of the stack file."""
        return self.keep / f"Pulumi.{STACK}.yaml"

    @property
    def made_stack_file(self) -> Path:
        """That copy as it was made: what differs from it was set by `pulumi config set`."""
        return self.keep / f"made.{STACK}.yaml"

    @property
    def committed_stack_file(self) -> Path:
        """The stack file that is copied."""
        return self.root / "stacks" / f"Pulumi.{STACK}.yaml"

    @property
    def emulator(self) -> Path:
        """The emulator's settings, state, log and record."""
        return self.keep / "emulator"


def write_whole(path: Path, text: str) -> None:
    """Write so that a reader, or a kill, never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).replace(path)
