"""The real program with a stack file of the test's own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.stack import NAME, Stack
from tools.engine import Engine

ROOT = Path(__file__).parent.parent.parent.parent
LIMITS = "stacks/policy-config.local.json"
PARTS = ("Pulumi.yaml", "__main__.py", "plugin", "examples", ".venv")


class ProjectStack(Stack):
    """`__main__.py` as it is, and the stack file of `local` with sections changed; the language host runs it."""

    def __init__(self, folder: Path, engine: Engine, cloud: Cloud, changes: Mapping[str, Any]) -> None:
        self._changes = changes
        super().__init__(folder, engine, cloud)

    def configure(self, cloud: Cloud, owner: str) -> None:
        for part in PARTS:
            (self.folder / part).symlink_to(ROOT / part)
        text = (ROOT / "stacks" / "Pulumi.local.yaml").read_text(encoding="utf-8")
        config = yaml.safe_load(text)["config"] | self.own_config(cloud, owner)
        for path, value in self._changes.items():
            _put(config, path, value)
        (self.folder / "stacks").mkdir()
        (self.folder / LIMITS).symlink_to(ROOT / LIMITS)
        (self.folder / "stacks" / f"Pulumi.{NAME}.yaml").write_text(yaml.safe_dump({"config": config}))


def _put(config: dict[str, Any], path: str, value: Any) -> None:
    """`collection.slices`: a key of a section of the program's own configuration."""
    section, *between, last = path.split(".")
    place = config[f"tpu-inference:{section}"]
    for key in between:
        place = place[key]
    place[last] = value
