"""The project's own program on the real engine, run by its command line as a user runs it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tools.engine import Engine

ROOT = Path(__file__).parents[2]
STACK = "program"
PACK = ["--policy-pack", "policies/analyzer"]


@dataclass(frozen=True, slots=True)
class ProgramCli:
    """Stack `program`: the configuration of stack `local`, in a backend and a home of its own."""

    engine: Engine
    folder: Path
    address: str
    """The emulator's."""

    def create(self) -> None:
        """Make the stack; its file is kept out of the project."""
        (self.folder / "backend").mkdir()
        (self.folder / "Pulumi.yaml").write_text("name: tpu-inference\nruntime: python\n")
        self._run("stack", "init", STACK, cwd=self.folder).check_returncode()

    def preview(self, changes: Mapping[str, Any], *arguments: str) -> subprocess.CompletedProcess[str]:
        """Preview with values of the configuration changed, each named by its path."""
        file = self.folder / f"Pulumi.{STACK}.yaml"
        file.write_text(yaml.safe_dump({"config": self._config(changes)}))
        return self._run("preview", "--stack", STACK, "--config-file", str(file), *arguments, cwd=ROOT)

    def preview_of(self, source: str) -> subprocess.CompletedProcess[str]:
        """Preview another program in place of the project's own, with the provider's configuration."""
        (self.folder / "__main__.py").write_text(source)
        config = {key: value for key, value in self._config({}).items() if key.startswith("tpuserve:")}
        (self.folder / f"Pulumi.{STACK}.yaml").write_text(yaml.safe_dump({"config": config}))
        return self._run("preview", "--stack", STACK, cwd=self.folder)

    def _config(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        config: dict[str, Any] = yaml.safe_load((ROOT / "stacks" / "Pulumi.local.yaml").read_text())["config"]
        url = f"http://{self.address}"
        config |= {"tpuserve:ownerId": "program0program0prog", "tpuserve:endpoints": {"tpu": url, "aiplatform": url}}
        for path, value in changes.items():
            *above, last = path.split(".")
            place = config
            for key in above:
                place = place.setdefault(key, {})
            place[last] = value
        return config

    def _run(self, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        environ = {
            "PATH": self.engine.path([Path(sys.executable).parent], os.environ["PATH"]),
            "HOME": str(self.folder),
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_BACKEND_URL": f"{(self.folder / 'backend').as_uri()}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": "",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_SKIP_CHECKPOINTS": "true",
        }
        command = [str(self.engine.pulumi), *arguments, "--non-interactive"]
        return subprocess.run(command, cwd=cwd, env=os.environ | environ, capture_output=True, text=True, check=False)


def policy_config(folder: Path, **policies: Any) -> list[str]:
    """The arguments that hand a policy configuration to the pack."""
    file = folder / "policy-config.json"
    file.write_text(json.dumps({name.replace("_", "-"): value for name, value in policies.items()}))
    return [*PACK, "--policy-pack-config", str(file)]
