"""`tpuserve policy check`: the policy pack on what the engine's events declare."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from tpuserve.cli import console, sources
from tpuserve.cli.errors import UserError
from tpuserve.report import events

if TYPE_CHECKING:
    from tpuserve.policies.in_process import Finding  # pyright: ignore[reportMissingImports]

BLOCKED = 1
PROVIDERS = "pulumi:providers:"
"""What the types of providers begin with."""
MANDATORY = "mandatory"
CUT_OFF = "the run failed or was cut off: what the program declares after that is not in the events"


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in one stream."""

    findings: Sequence[Finding]
    """What blocks comes first."""
    resources: int
    is_whole: bool

    def blocks(self, strict: bool) -> bool:
        """Whether a pipeline must stop."""
        return any(each.level == MANDATORY for each in self.findings) or (strict and not self.is_whole)


def run(stream: Path, config: Path | None, strict: bool, today: date | None = None) -> int:
    """Check, print, and the exit code. Raises UserError."""
    day = today or date.today()
    found = check(sources.read_events(stream), _config(config), strict, day)
    _show(found)
    return BLOCKED if found.blocks(strict) else 0


def check(stream: events.Stream, config: Mapping[str, Any], strict: bool, today: date) -> Checked:
    """Run the pack on the resources of a stream. Raises UserError for its configuration."""
    # The policy SDK takes half a second to import.
    from tpuserve.policies import in_process, pack  # noqa: PLC0415  # pyright: ignore[reportMissingImports]

    analyzer = pack.Pack(lambda: today)
    try:
        in_process.configure(analyzer, config, strict)
    except pack.ConfigError as error:
        raise UserError(*(f"--config: {fault}" for fault in str(error).splitlines())) from None
    declared = stream.resources
    kinds = {each.urn: (each.type, each.urn, each.inputs, each.parent, each.protect) for each in declared}
    made = {urn: in_process.resource(*kind) for urn, kind in kinds.items() if kind[0].startswith(PROVIDERS)}
    given = [in_process.resource(*kinds[each.urn], made.get(each.provider)) for each in declared]
    found = sorted(in_process.findings(analyzer, given), key=lambda each: each.level != MANDATORY)
    return Checked(found, len(given), stream.is_whole)


def _config(path: Path | None) -> Mapping[str, Any]:
    if path is None:
        return {}
    given = sources.read_json("--config", path)
    if not isinstance(given, dict):
        raise UserError(f"--config {path}: {given!r} is not an object of policies")
    return given


def _show(found: Checked) -> None:
    out = console.make()
    if out.is_terminal and found.findings:
        out.print(_table(found.findings))
    else:
        for each in found.findings:
            sys.stdout.write(f"{each.level} {each.policy} {each.urn or 'the stack'}: {_text(each)}\n")
    if not found.is_whole:
        sys.stdout.write(f"not checked: {CUT_OFF}\n")
    sys.stdout.write(f"{_counts(found)}\n")


def _table(findings: Sequence[Finding]) -> Table:
    table = Table("Resource", "Level", "Policy", "Says")
    for each in findings:
        table.add_row(each.urn.rpartition("::")[2] or "the stack", each.level, each.policy, _text(each))
    return table


def _text(each: Finding) -> str:
    """The message without the policy's description, on one line."""
    return "; ".join(each.message.splitlines()[1:])


def _counts(found: Checked) -> str:
    mandatory = sum(each.level == MANDATORY for each in found.findings)
    unchecked = sum(each.is_unchecked for each in found.findings)
    advisory = sum(each.level == "advisory" and not each.is_unchecked for each in found.findings)
    return f"{found.resources} resources: {mandatory} mandatory, {advisory} advisory, {unchecked} not checked"
