"""The limit of locked memory: raised where the system allows it, said where it does not, never lowered."""

from __future__ import annotations

import resource

import pytest

from examples.digits import memlock
from examples.digits.memlock import WANTED

UNLIMITED = resource.RLIM_INFINITY
REFUSAL = "not allowed to raise maximum limit"


class Kernel:
    """Limits of one process, under the kernel's rule: only the privileged may raise the hard limit."""

    def __init__(self, soft: int, hard: int, *, privileged: bool) -> None:
        self.limits, self.privileged = (soft, hard), privileged

    def get(self, _number: int) -> tuple[int, int]:
        return self.limits

    def put(self, _number: int, limits: tuple[int, int]) -> None:
        hard, wanted = (float("inf") if limit == UNLIMITED else limit for limit in (self.limits[1], limits[1]))
        if wanted > hard and not self.privileged:
            raise ValueError(REFUSAL)
        self.limits = limits


@pytest.mark.parametrize(
    ("before", "privileged", "after", "reason"),
    [
        ((65536, 8388608), True, (WANTED, WANTED), ""),
        ((65536, 8388608), False, (8388608, 8388608), REFUSAL),
        ((8388608, 8388608), False, (8388608, 8388608), REFUSAL),
        ((65536, UNLIMITED), False, (WANTED, UNLIMITED), ""),
        ((UNLIMITED, UNLIMITED), False, (UNLIMITED, UNLIMITED), ""),
        ((WANTED + 1, WANTED + 2), False, (WANTED + 1, WANTED + 2), ""),
    ],
)
def test_the_limit_goes_as_high_as_the_system_allows(before, privileged, after, reason):
    kernel = Kernel(*before, privileged=privileged)

    assert memlock.raise_limit(get=kernel.get, put=kernel.put) == (WANTED, before, after, reason)


def test_the_figure_is_the_one_that_googles_page_gives_for_python():
    assert WANTED == 68_719_476_736_000


def test_the_line_of_the_log_has_both_limits_before_and_after():
    kernel = Kernel(65536, UNLIMITED, privileged=False)

    line = str(memlock.raise_limit(get=kernel.get, put=kernel.put))

    assert line == "memlock soft 65536 -> 68719476736000, hard unlimited -> unlimited"


def test_the_line_of_the_log_has_the_reason_of_a_refusal():
    kernel = Kernel(65536, 65536, privileged=False)

    line = str(memlock.raise_limit(get=kernel.get, put=kernel.put))

    assert line.endswith(f"hard 65536 -> 65536; 68719476736000 wanted, not allowed: {REFUSAL}")


def test_the_real_limit_of_a_process_is_raised_up_to_its_hard_limit(run_python):
    ran = run_python(
        "import resource as r; from examples.digits import memlock; r.setrlimit(r.RLIMIT_MEMLOCK, (4096, 65536));"
        " memlock.raise_limit(65536); print(r.getrlimit(r.RLIMIT_MEMLOCK))"
    )

    assert ran.stdout.strip() == "(65536, 65536)"


def test_the_real_limits_after_it_are_the_ones_that_are_told(run_python):
    ran = run_python(
        "import resource as r; from examples.digits import memlock; told = memlock.raise_limit();"
        " reached = told.after[0] in (memlock.WANTED, -1);"
        " print(told.after == r.getrlimit(r.RLIMIT_MEMLOCK), reached != bool(told.reason))"
    )

    assert ran.stdout.strip() == "True True"
