"""Runs of the engine's command line on stack `local`, with nothing of the user's login, home, stacks or credentials."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.engine import Engine
from tools.local.layout import STACK, Layout, write_whole

# What else is set in the user's shell for another project must not reach this stack.
FOREIGN = ("PULUMI", "GOOGLE_", "CLOUDSDK_", "GCLOUD_")
WITH_STACK_FILE = ("preview", "up", "refresh", "destroy", "import", "config")
WITH_STACK = (*WITH_STACK_FILE, "about", "cancel", "console", "logs", "stack", "state")
# Of the subcommands of `state` and `stack`: those without --stack, and those that write the stack file of their folder.
WITHOUT_STACK = ("state", "state upgrade", "state move")
WRITING = ("stack init", "stack rm", "stack rename", "stack change-secrets-provider")


class PulumiError(Exception):
    """The engine ended with a failure that it has told already."""

    def __init__(self, command: str, code: int) -> None:
        self.killed = code < 0
        super().__init__(f"`pulumi {command}` ended with code {code}; what it says is above")
        self.code = code


@dataclass(frozen=True, slots=True)
class Pulumi:
    """The engine on one clone's stack."""

    layout: Layout
    engine: Engine

    @property
    def project(self) -> str:
        """The project's name."""
        return self.layout.project

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """The environment of every run."""
        kept = {key: value for key, value in inherited.items() if not key.startswith(FOREIGN)}
        venv = Path(sys.prefix)
        return kept | {
            "PATH": self.engine.path([venv / "bin"], inherited.get("PATH", "")),
            "VIRTUAL_ENV": str(venv),
            "PULUMI_HOME": str(self.layout.home),
            # Without metadata=skip a kill can leave an empty .attrs file, and a stack that nobody can open.
            "PULUMI_BACKEND_URL": f"{self.layout.backend.as_uri()}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": "",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }

    def prepare(self) -> None:
        """Make the folders, and the project that holds the clone's own stack file."""
        for folder in (self.layout.backend, self.layout.home):
            folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.layout.keep / "Pulumi.yaml", f"name: {self.project}\nruntime: python\n")

    def on_stack(self, *arguments: str) -> str:
        """A command on the stack itself (`stack init`, `cancel`, `stack output`); its output."""
        command = [str(self.engine.pulumi), *arguments, "--non-interactive", "--cwd", str(self.layout.keep)]
        done = subprocess.run(
            command,
            env=self.environment(os.environ),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.stderr.write(done.stdout + done.stderr)
            raise PulumiError(" ".join(arguments[:2]), done.returncode)
        return done.stdout

    def operate(self, operation: str, *arguments: str, **extra: str) -> int:
        """`preview`, `up`, `destroy` ... of the program, on this terminal; its exit code."""
        command = [str(self.engine.pulumi), *addressed([operation, *arguments], self.layout.stack_file)]
        environ = self.environment(os.environ) | extra
        writes = " ".join([operation, *arguments[:1]]) in WRITING
        return _run(command, environ, self.layout.keep if writes else self.layout.root)

    def outputs(self) -> dict[str, Any]:
        """The stack's outputs."""
        return json.loads(self.on_stack("stack", "output", "--json", "--stack", STACK))


def addressed(arguments: Sequence[str], stack_file: Path) -> list[str]:
    """An engine command with the stack and the stack file, where it takes them: before a `--`, else at its end."""
    flags = ["--stack", STACK] if on_a_stack(arguments) else []
    if arguments[0] in WITH_STACK_FILE:
        flags += ["--config-file", str(stack_file)]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*arguments[:end], *flags, *arguments[end:]]


def on_a_stack(arguments: Sequence[str]) -> bool:
    """Whether an engine command takes --stack."""
    return arguments[0] in WITH_STACK and " ".join(arguments[:2]) not in WITHOUT_STACK


def _run(command: list[str], environ: dict[str, str], folder: Path) -> int:
    """Run the engine to its own end: a Ctrl-C reaches it as well, and it stops in order, which may take a while."""
    with subprocess.Popen(command, env=environ, cwd=folder) as engine:
        before = {
            signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
            signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: engine.send_signal(signal.SIGTERM)),
        }
        try:
            return engine.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
