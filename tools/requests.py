"""`make requests`: requests drawn from Google's schemas, sent to the emulator over REST by the thousand.

    python -m tools.requests [--requests 10000] [--seed 1] [--write]

Prints how each method's requests were answered; `--write` puts the sum into docs/measurements.md. Exit code 1 if the
emulator failed at one, if an answer did not fit its schema, or if fewer than 30 % of a method's requests got past
validation.
"""

import argparse
import datetime
import sys
import time
import warnings
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

# a notice of google-api-core about Python 3.11, which says nothing about the emulator
warnings.filterwarnings("ignore", "You are using a Python version", FutureWarning)

from tests.emulator.rest.flood import Flood, flooded  # noqa: E402
from tools import measurements  # noqa: E402

LEAST = 0.3
HEADING = "Generated requests"
ABOUT = (
    "Written by `make requests ARGS=--write`: requests drawn from the schemas of Google's discovery documents, over",
    "REST to the emulator, one after the other by one client in its process. Failures: internal errors, and answers",
    "that do not fit their schema. Past validation: answered with anything but INVALID_ARGUMENT.",
    "",
    "| date | requests | methods | failures | past validation | least of a method | whole run |",
    "| --- | --- | --- | --- | --- | --- | --- |",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Send, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="the sum into docs/measurements.md")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    flood = flooded(given.requests, given.seed)
    seconds = time.monotonic() - began
    console = Console(width=140)
    console.print(_table(flood))
    for sent, why in flood.failures[:10]:
        console.print(f"FAILED {sent.http_method} {sent.target} {sent.body}\n  {why}", markup=False)
    few = [of for of in flood.answers if flood.past_validation(of) < LEAST]
    console.print(f"{given.requests} requests, {len(flood.failures)} failures, {len(few)} methods below {LEAST:.0%}")
    if given.write:
        measurements.put(measurements.PAGE, HEADING, ABOUT, [_row(flood, given.requests, seconds)])
    return int(bool(flood.failures or few))


def _row(flood: Flood, requests: int, seconds: float) -> str:
    refused = sum(found["INVALID_ARGUMENT"] for found in flood.answers.values())
    least = min(flood.answers, key=flood.past_validation)
    past = f"{1 - refused / requests:.0%} | {flood.past_validation(least):.0%} ({least.rpartition('locations.')[2]})"
    today = datetime.datetime.now(datetime.UTC).date()
    return f"| {today} | {requests:,} | {len(flood.answers)} | {len(flood.failures)} | {past} | {seconds:.0f} s |"


def _table(flood: Flood) -> Table:
    table = Table("method", "requests", "past validation", "answers")
    for of in sorted(flood.answers):
        found = flood.answers[of]
        answers = ", ".join(f"{status} {number}" for status, number in found.most_common())
        table.add_row(of.partition(" ")[2], str(found.total()), f"{flood.past_validation(of):.0%}", answers)
    return table


if __name__ == "__main__":
    sys.exit(main())
