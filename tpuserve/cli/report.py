"""`tpuserve report`: what a reviewer decides from, made of the engine's events."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from tpuserve.cli import sources
from tpuserve.cli.errors import UserError
from tpuserve.report.report import Report, report

Format = Literal["markdown", "terminal", "json"]


def run(stream: Path, form: Format, limits: Path | None, title: str) -> int:
    """Print the report; its exit code. Raises UserError."""
    made = report(sources.read_events(stream), _config(limits), title)
    _show(made, form)
    return made.code


def _show(made: Report, form: Format) -> None:
    if form == "markdown":
        from tpuserve.report import markdown  # noqa: PLC0415

        sys.stdout.write(markdown.render(made))
    elif form == "json":
        import msgspec  # noqa: PLC0415

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(made), indent=2).decode() + "\n")
    else:
        from tpuserve.cli import console  # noqa: PLC0415
        from tpuserve.report import terminal  # noqa: PLC0415

        out = console.make()
        for part in terminal.parts(made):
            out.print(part)


def _config(path: Path | None) -> Mapping[str, Any] | None:
    """The policy configuration. Raises UserError where its limits or prices are not numbers at their places."""
    if path is None:
        return None
    given = sources.read_json("--limits", path)
    try:
        limits = given.get("quotas", {})
        for places in (limits if isinstance(limits, Mapping) else {}).get("limits", {}).values():
            _ = [chips + 0 for found in places.values() for chips in found.values()]
        own = given.get("budget", {})
        for regions in (own if isinstance(own, Mapping) else {}).get("prices", {}).values():
            _ = [price + 0 for found in regions.values() for kinds in found.values() for price in kinds.values()]
    except (AttributeError, TypeError):
        raise UserError(
            f"--limits {path}: is no policy configuration: `quotas.limits` holds chips by project, quota and place, as "
            "`tpuserve quotas fetch --output` writes it, and `budget.prices` USD by plane, region, generation and kind"
        ) from None
    return given
