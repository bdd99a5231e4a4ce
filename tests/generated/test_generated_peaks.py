"""Any change of a stack: the peak in the report is the most that the emulator's own quota counter sees meanwhile.

A few of what `make generated ARGS=--peaks` tries by the hundred.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
from hypothesis import Phase, assume, given, settings

from tests.generated import peaks
from tests.generated.drawing import FEW
from tests.generated.peak_stacks import Case, cases

Compare = Callable[[Case], None]


@pytest.fixture(scope="module")
def compare() -> Iterator[Compare]:
    """Compares the peaks of one change."""
    with asyncio.Runner() as runner:
        made = runner.run(peaks.world())

        def run(case: Case) -> None:
            assume(runner.run(peaks.compared(made, case)) is not None)

        yield run
        runner.run(peaks.ended(made))


@settings(FEW, max_examples=20, phases=[Phase.generate])
@given(case=cases())
def test_the_peak_is_what_the_emulator_s_quotas_count_in_the_worst_order(compare: Compare, case: Case) -> None:
    compare(case)
