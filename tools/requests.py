"""`make requests`: requests drawn from Google's schemas, sent to the emulator over REST by the thousand.

    python -m tools.requests [--requests 10000] [--seed 1]

Prints how each method's requests were answered. Exit code 1 if the emulator failed at one, if an answer did not fit its
schema, or if fewer than 30 % of a method's requests got past validation.
"""

import argparse
import sys
import warnings
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

# a notice of google-api-core about Python 3.11, which says nothing about the emulator
warnings.filterwarnings("ignore", "You are using a Python version", FutureWarning)

from tests.emulator.rest.flood import Flood, flooded  # noqa: E402

LEAST = 0.3


def main(arguments: Sequence[str] | None = None) -> int:
    """Send, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    flood = flooded(given.requests, given.seed)
    console = Console(width=140)
    console.print(_table(flood))
    for sent, why in flood.failures[:10]:
        console.print(f"FAILED {sent.http_method} {sent.target} {sent.body}\n  {why}", markup=False)
    few = [of for of in flood.answers if flood.past_validation(of) < LEAST]
    console.print(f"{given.requests} requests, {len(flood.failures)} failures, {len(few)} methods below {LEAST:.0%}")
    return int(bool(flood.failures or few))


def _table(flood: Flood) -> Table:
    table = Table("method", "requests", "past validation", "answers")
    for of in sorted(flood.answers):
        found = flood.answers[of]
        answers = ", ".join(f"{status} {number}" for status, number in found.most_common())
        table.add_row(of.partition(" ")[2], str(found.total()), f"{flood.past_validation(of):.0%}", answers)
    return table


if __name__ == "__main__":
    sys.exit(main())
