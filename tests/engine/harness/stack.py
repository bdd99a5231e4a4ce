"""One stack: its own home, backend and configuration, and the engine's verbs on it with programs of this process."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.engine.harness.cloud import LOCATION, PROJECT, ZONE, Cloud
from tests.engine.harness.language import Program, Served
from tests.engine.harness.run import EngineFailedError, Run, Running
from tools.engine import Engine

OWNER = "a" * 20
NAME, PROJECT_NAME = "t", "p"
QUIET = {
    "preview": ("--non-interactive", "--color=never"),
    "up": ("--yes", "--skip-preview", "--non-interactive", "--color=never"),
    "refresh": ("--yes", "--skip-preview", "--non-interactive", "--color=never"),
    "destroy": ("--yes", "--skip-preview", "--non-interactive", "--color=never"),
    "import": ("--yes", "--skip-preview", "--generate-code=false", "--protect=false", "--non-interactive"),
}


class Stack:
    """The stack of one backend. Verbs end in success or raise EngineFailedError with the engine's output."""

    def __init__(self, folder: Path, engine: Engine, cloud: Cloud, *, owner: str = OWNER) -> None:
        self.folder, self._engine = folder, engine
        for part in ("home", "backend"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        self.configure(cloud, owner)
        self._begun: list[Running] = []
        self.command("stack", "init", NAME)

    def configure(self, cloud: Cloud, owner: str) -> None:
        """Write project and stack file."""
        config = self.own_config(cloud, owner)
        (self.folder / "Pulumi.yaml").write_text(yaml.safe_dump({"name": PROJECT_NAME, "runtime": "python"}))
        (self.folder / f"Pulumi.{NAME}.yaml").write_text(yaml.safe_dump({"config": config}))

    def own_config(self, cloud: Cloud, owner: str) -> dict[str, Any]:
        """The provider's configuration."""
        url = f"http://{cloud.address}"
        rest = {"tpuRest": f"http://{cloud.rest}"} if cloud.rest else {}
        config = {
            "tpuserve:project": PROJECT,
            "tpuserve:location": LOCATION,
            "tpuserve:zone": ZONE,
            "tpuserve:endpoints": {"tpu": url, "aiplatform": url} | rest,
        }
        return config | ({"tpuserve:ownerId": owner} if owner else {})

    # --- verbs --------------------------------------------------------------------------------------------------

    def preview(self, program: Program, *flags: str) -> Run:
        return self._succeeds("preview", program, *flags)

    def up(self, program: Program, *flags: str) -> Run:
        return self._succeeds("up", program, *flags)

    def refresh(self, *flags: str) -> Run:
        return self._succeeds("refresh", None, *flags)

    def destroy(self, *flags: str) -> Run:
        return self._succeeds("destroy", None, *flags)

    def import_(self, token: str, name: str, identifier: str, *flags: str) -> Run:
        return self._succeeds("import", None, token, name, identifier, *flags)

    def fails(self, verb: str, program: Program | None = None, *flags: str) -> Run:
        """A run that must fail."""
        run = self.begin(verb, program, *flags).wait()
        if run.code == 0:
            raise EngineFailedError(f"{verb} succeeded:\n{run.output}")
        return run

    def unchanged(self, program: Program) -> Run:
        """A preview that must find nothing to do."""
        return self.preview(program, "--expect-no-changes")

    def begin(self, verb: str, program: Program | None = None, *flags: str, **environ: str) -> Running:
        """Starts a run and returns at once."""
        served = Served(program) if program else None
        arguments = [str(self._engine.pulumi), verb, *flags, *QUIET[verb], "--stack", NAME]
        arguments += served.flags if served else ()
        once = {"PULUMI_SKIP_CHECKPOINTS": "true"} if verb == "preview" else {}
        running = Running(arguments, self.folder, self.environ | once | environ, served.stop if served else None)
        self._begun.append(running)
        return running

    def _succeeds(self, verb: str, program: Program | None, *flags: str) -> Run:
        run = self.begin(verb, program, *flags).wait()
        if run.code:
            raise EngineFailedError(f"{verb} ended with code {run.code}:\n{run.output}")
        return run

    def command(self, *arguments: str, stdin: str | None = None) -> str:
        """Any other command (`cancel`, `state taint` ...); its output."""
        done = subprocess.run(
            [str(self._engine.pulumi), *arguments, "--non-interactive", "--color=never"],
            cwd=self.folder,
            env=self.environ,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise EngineFailedError(f"{' '.join(arguments)} ended with code {done.returncode}:\n{done.stderr}")
        return done.stdout

    def unlock(self) -> None:
        """What a user does after the engine was killed."""
        self.command("cancel", "--yes", "--stack", NAME)

    def stop(self) -> None:
        """Ends every run that still goes on."""
        for running in self._begun:
            running.kill()

    # --- state --------------------------------------------------------------------------------------------------

    def export(self) -> dict[str, Any]:
        """The state, as `pulumi stack export` has it."""
        return json.loads(self.command("stack", "export", "--stack", NAME))

    def import_state(self, deployment: Mapping[str, Any]) -> None:
        """Put a state in place of the one there is."""
        self.command("stack", "import", "--force", "--stack", NAME, stdin=json.dumps(deployment))

    @property
    def resources(self) -> list[dict[str, Any]]:
        """Our resources in the state file itself."""
        path = self.folder / "backend" / ".pulumi" / "stacks" / PROJECT_NAME / f"{NAME}.json"
        latest = json.loads(path.read_text(encoding="utf-8"))["checkpoint"]["latest"] or {}
        return [item for item in latest.get("resources", []) if item["type"].startswith("tpuserve:")]

    def resource(self, name: str) -> dict[str, Any]:
        """The one resource of that name."""
        found = [item for item in self.resources if item["urn"].endswith(f"::{name}") and not item.get("delete")]
        assert len(found) == 1, f"{len(found)} of {name!r} in the state, not one"
        return found[0]

    def outputs(self) -> dict[str, Any]:
        """What the program exported."""
        return json.loads(self.command("stack", "output", "--json", "--stack", NAME))

    def urn(self, name: str) -> str:
        return self.resource(name)["urn"]

    @property
    def environ(self) -> dict[str, str]:
        """The environment of every run."""
        return {
            **os.environ,
            "PATH": self._engine.path([Path(sys.prefix) / "bin"], os.environ.get("PATH", "")),
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_BACKEND_URL": f"{(self.folder / 'backend').as_uri()}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": "",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DEBUG_COMMANDS": "true",  # for --event-log
        }
