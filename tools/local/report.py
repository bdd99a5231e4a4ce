"""The final report of `make up`: what is there, what answered, how right it is, how long it took."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tools.local.answers import Answers
from tools.local.picture import picture
from tools.local.serving import Serving, short
from tools.local.verdict import TOLERANCE, Verdict, count_right
from tools.progress import duration

PIPED_WIDTH = 200
GOOD = {"ACTIVE", "READY", "HEALTHY"}


@dataclass(frozen=True, slots=True)
class Sample:
    """One held-out digit, what the endpoint said of it, and what it is."""

    index: int
    pixels: Sequence[float]
    answer: int | None
    truth: int


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is printed."""

    serving: Serving
    verdicts: Sequence[Verdict]
    offline: Answers
    truth: Sequence[int]
    sample: Sample
    timings: Sequence[tuple[str, float]]

    @property
    def faults(self) -> list[str]:
        """One line for each server that is not as it should be."""
        return [f"{each.who}: {each.fault}" for each in self.verdicts if each.fault]


def console() -> Console:
    """Standard output; where it is no terminal, wide enough that nothing is folded."""
    return Console() if sys.stdout.isatty() else Console(width=PIPED_WIDTH)


def print_report(report: Report, console: Console) -> None:
    """Print it: colour on a terminal only, and never with NO_COLOR."""
    serving = report.serving
    _title(console, "Collection", short(serving.collection), serving.state)
    console.print(_slices(report))
    _title(console, "Model", f"{short(serving.model)} version {serving.version}")
    _title(console, "Endpoint", f"{short(serving.endpoint)} in {serving.location}")
    console.print(_variants(serving))
    _print_sample(report.sample, console)
    right = count_right(report.offline.digits, report.truth)
    _title(console, "Held-out digits", f"{len(report.truth)}, of which the offline model reads {right}")
    console.print(_accuracy(report))
    _title(console, "Time", duration(sum(seconds for _, seconds in report.timings)))
    console.print(_times(report.timings))
    console.print()
    for fault in report.faults:
        console.print(Text(f"error: {fault}", "bold red"), soft_wrap=True)


def _title(console: Console, what: str, name: str, state: str = "") -> None:
    console.print()
    rest = Text.assemble("  ", _state(state)) if state else ""
    console.print(Text.assemble((what, "bold"), "  ", name, rest), soft_wrap=True)


def _state(state: str) -> Text:
    return Text(state, "green" if state in GOOD else "yellow")


def _table(*columns: str, right: Sequence[str] = ()) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 2), pad_edge=True, header_style="dim")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return table


def _slices(report: Report) -> Table:
    verdicts = {each.who: each for each in report.verdicts}
    table = _table("slice", "state", "health", "address", "asked")
    for each in report.serving.slices:
        table.add_row(each.name, _state(each.state), _state(each.health), each.address, _asked(verdicts[each.name]))
    return table


def _asked(verdict: Verdict) -> Text:
    return Text("no answer" if verdict.fault else "answers", "red" if verdict.fault else "green")


def _variants(serving: Serving) -> Table:
    table = _table("variant", "deployed model", "version", "replicas", "traffic", right=("replicas", "traffic"))
    for each in serving.variants:
        row = (each.name, each.deployed_model_id, each.version, str(each.replicas), f"{each.share} %")
        table.add_row(*row)
    return table


def _print_sample(sample: Sample, console: Console) -> None:
    _title(console, "One of the digits", f"number {sample.index} of the data set")
    for line in picture(sample.pixels, console.encoding):
        console.print(Text(f"  {line.rstrip()}"))
    right = sample.answer == sample.truth
    said = "nothing" if sample.answer is None else str(sample.answer)
    console.print(
        Text.assemble("  the endpoint says ", (said, "bold green" if right else "bold red"), f", it is {sample.truth}")
    )


def _accuracy(report: Report) -> Table:
    table = _table("who", "right", f"largest logit difference (<= {TOLERANCE:.0e})", right=("right",))
    for each in report.verdicts:
        style = "red" if each.fault else "green"
        table.add_row(
            each.who, Text(f"{each.right} of {each.asked}", style), Text(f"{_scientific(each.difference)}", style)
        )
    return table


def _scientific(value: float) -> str:
    return f"{value:.1e}" if value else "0"


def _times(timings: Sequence[tuple[str, float]]) -> Table:
    table = _table("part", "took", right=("took",))
    for part, seconds in timings:
        table.add_row(part, duration(seconds))
    return table
