"""Where commands get their configuration and the state from: the engine, files, options."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tpuserve.cli.errors import UserError
from tpuserve.report import events
from tpuserve.report.events import EventsError, Stream

PREFIX = "tpuserve:"
STDIN = Path("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was given on the command line."""

    stack: str | None = None
    state: Path | None = None
    config_file: Path | None = None
    given: Mapping[str, str | None] = field(default_factory=dict)
    """Provider key -> value."""
    endpoints: Mapping[str, str] = field(default_factory=dict)
    locations: Sequence[str] = ()
    zones: Sequence[str] = ()
    origins: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.state is not None and self.stack is not None:
            raise UserError("--state and --stack say two things; give the file, or the stack")

    @property
    def on_stack(self) -> list[str]:
        """The engine's options for the stack."""
        return [] if self.stack is None else ["--stack", self.stack]


def configuration(options: Options) -> dict[str, Any]:
    """The provider's configuration, as its own keys: that of the stack, and options before it. Raises UserError."""
    return _with(options, _of_stack(options) if options.state is None else _of_file(options.config_file))


def named_configuration(options: Options) -> dict[str, Any]:
    """The same, of a stack only where one is named: else of the file, and without one of options alone."""
    return _with(options, _of_file(options.config_file) if options.stack is None else _of_stack(options))


def _with(options: Options, found: dict[str, Any]) -> dict[str, Any]:
    found |= {key: value for key, value in options.given.items() if value is not None}
    if options.endpoints:
        found["endpoints"] = {**_object(found.get("endpoints")), **options.endpoints}
    return found


def exported_state(options: Options) -> Any:
    """What `pulumi stack export` wrote. Raises UserError."""
    if options.state is None:
        return json.loads(_pulumi("stack", "export", *options.on_stack))
    return read_json("--state", options.state, "; give a file that `pulumi stack export` wrote")


def read_json(option: str, path: Path, hint: str = "") -> Any:
    """What is in the file of an option. Raises UserError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{option} {path}: {_reason(error)}{hint}") from None


def read_events(path: Path) -> Stream:
    """The engine's events in a file, or from standard input for `-`. Raises UserError."""
    try:
        if path == STDIN:
            return events.read(sys.stdin)
        with path.open(encoding="utf-8") as lines:
            return events.read(lines)
    except (OSError, UnicodeDecodeError, EventsError) as error:
        raise UserError(f"{path}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """Why a file could not be read, less its path, which the message has already."""
    return str(error.strerror if isinstance(error, OSError) else error)


def _of_stack(options: Options) -> dict[str, Any]:
    file = [] if options.config_file is None else ["--config-file", str(options.config_file)]
    entries = json.loads(_pulumi("config", "--json", *options.on_stack, *file))
    values = {key.removeprefix(PREFIX): entry for key, entry in entries.items() if key.startswith(PREFIX)}
    if secrets := sorted(key for key, entry in values.items() if entry.get("secret")):
        raise UserError(*(f"{PREFIX}{key} is a secret, and is not read here: give it as an option" for key in secrets))
    return {key: entry.get("objectValue", entry.get("value")) for key, entry in values.items()}


def _of_file(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"--config-file {path}: {_reason(error)}") from None
    config = _object(_object(content).get("config"))
    return {key.removeprefix(PREFIX): value for key, value in config.items() if str(key).startswith(PREFIX)}


def _object(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _pulumi(*arguments: str) -> str:
    command = ["pulumi", *arguments, "--non-interactive"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    except FileNotFoundError:
        raise UserError(
            "pulumi is not on PATH: put it there, or give --state FILE (what `pulumi stack export` wrote)"
        ) from None
    if done.returncode:
        raise UserError(f"`{' '.join(command)}` failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout
