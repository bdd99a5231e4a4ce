"""`tpuserve report`: what a reviewer decides from, made of the engine's events."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from tpuserve.cli import sources
from tpuserve.cli.errors import UserError
from tpuserve.report.report import Report, report
from tpuserve.report.stacks import Reports, together

Format = Literal["markdown", "terminal", "json"]


def run(given: Sequence[str], form: Format, limits: Sequence[str], title: str) -> int:
    """Print the report of one stack, or of several; the exit code. Raises UserError."""
    stacks, configs = [_named(each) for each in given], [_named(each) for each in limits]
    if faults := [*_faults(stacks, title), *_faults_of_limits(stacks, configs)]:
        raise UserError(*faults)
    own = {name: _config(path) for name, path in configs}
    made = [_made(path, own.get(name, own.get("")), name or title) for name, path in stacks]
    whole = made[0] if len(made) == 1 else together(made)
    _show(whole, form)
    return whole.code


def _made(path: Path, config: Mapping[str, Any] | None, title: str) -> Report:
    try:
        return report(sources.read_events(path), config, title)
    except RecursionError:
        raise UserError(f"{path}: values are nested too deep to be told") from None


def _named(given: str) -> tuple[str, Path]:
    """The name of a stack, "" where none is given, and a file: `prod=events.jsonl`."""
    name, separator, path = given.partition("=")
    return ("", Path(given)) if not separator or Path(given).exists() else (name, Path(path))


def _faults(stacks: Sequence[tuple[str, Path]], title: str) -> Iterator[str]:
    """What is wrong with the events that are given."""
    options = [str(path) for name, path in stacks if not name and str(path).startswith("--")]
    yield from (f"{each}: there is no such option; a file of that name is ./{each}" for each in options)
    if options:
        return  # what follows it was meant for it
    if not stacks:
        yield "no events are given: give a file, - for standard input, or NAME=FILE for each of several stacks"
    if len(stacks) > 1:
        yield from (
            f"{path}: of several stacks, give the name as well: NAME={path}" for name, path in stacks if not name
        )
    if title and (len(stacks) > 1 or any(name for name, _ in stacks)):
        yield "--stack-title and NAME=FILE say two things; give the names alone"
    if [path for _, path in stacks].count(sources.STDIN) > 1:
        yield "-: standard input is of one stack; give files for the others"
    yield from _twice("events", stacks)


def _faults_of_limits(stacks: Sequence[tuple[str, Path]], configs: Sequence[tuple[str, Path]]) -> Iterator[str]:
    names = [name for name, _ in stacks]
    for name, path in configs:
        if name and name not in names:
            known = ", ".join(filter(None, names)) or "none has a name"
            yield f"--limits {name}={path}: there are no events of a stack {name!r}; the stacks are: {known}"
    yield from _twice("--limits", configs)


def _twice(what: str, given: Sequence[tuple[str, Path]]) -> Iterator[str]:
    counts = Counter(name for name, _ in given)
    for name, number in counts.items():
        if number > 1 and (name or what == "--limits"):
            yield f"{what} of {f'stack {name!r}' if name else 'all stacks'} are given {number} times; give one file"


def _show(made: Report | Reports, form: Format) -> None:
    if form == "markdown":
        sys.stdout.write(_markdown(made))
    elif form == "json":
        import msgspec  # noqa: PLC0415

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(made), indent=2).decode() + "\n")
    else:
        from tpuserve.cli import console  # noqa: PLC0415
        from tpuserve.report import terminal  # noqa: PLC0415

        out = console.make()
        for part in terminal.parts_of_all(made) if isinstance(made, Reports) else terminal.parts(made):
            out.print(part)


def _markdown(made: Report | Reports) -> str:
    from tpuserve.report import comment, markdown  # noqa: PLC0415

    return comment.render(made) if isinstance(made, Reports) else markdown.render(made)


def _config(path: Path) -> Mapping[str, Any]:
    """The policy configuration. Raises UserError with all that the schemas of the policies it is read for refuse."""
    from tpuserve.policies import budget, quotas, schema  # noqa: PLC0415 # pyright: ignore[reportMissingImports]

    given = sources.read_json("--limits", path)
    if not isinstance(given, Mapping):
        raise UserError(f"--limits {path}: {given!r} is not an object of policies")
    own = {family.name: family.config_schema for family in (quotas.FAMILY, budget.FAMILY)}
    read = {name: value for name, value in given.items() if name in own and isinstance(value, Mapping)}
    faults = [
        fault
        for name, value in read.items()
        for key, each in value.items()
        if key in own[name].properties
        for fault in schema.faults(each, own[name].properties[key], f"{name}.{key}")
    ]
    if faults:
        raise UserError(*(f"--limits {path}: {fault}" for fault in faults))
    return given
