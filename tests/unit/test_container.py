"""The limit of locked memory: raised where the system allows it, said where it does not, never lowered."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tpuserve import container
from tpuserve.container import MEMLOCK_BYTES, MEMLOCK_SHELL, raise_memlock

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
        ((65536, 8388608), True, (MEMLOCK_BYTES, MEMLOCK_BYTES), ""),
        ((65536, 8388608), False, (8388608, 8388608), REFUSAL),
        ((8388608, 8388608), False, (8388608, 8388608), REFUSAL),
        ((65536, UNLIMITED), False, (MEMLOCK_BYTES, UNLIMITED), ""),
        ((UNLIMITED, UNLIMITED), False, (UNLIMITED, UNLIMITED), ""),
        ((MEMLOCK_BYTES + 1, MEMLOCK_BYTES + 2), False, (MEMLOCK_BYTES + 1, MEMLOCK_BYTES + 2), ""),
    ],
)
def test_the_limit_goes_as_high_as_the_system_allows(before, privileged, after, reason):
    kernel = Kernel(*before, privileged=privileged)

    assert raise_memlock(get=kernel.get, put=kernel.put) == (MEMLOCK_BYTES, before, after, reason)


def test_the_figure_is_the_one_that_googles_page_gives_for_python():
    assert MEMLOCK_BYTES == 68_719_476_736_000


def test_the_line_for_a_shell_is_the_one_that_googles_page_gives():
    assert MEMLOCK_SHELL == "ulimit -l 68719476736"


def test_the_two_figures_of_the_page_differ_and_stay_so():
    assert int(MEMLOCK_SHELL.split()[-1]) * 1024 - MEMLOCK_BYTES == 68_719_476_736 * 24


def test_a_shell_takes_the_line_or_says_that_it_is_not_allowed():
    line = ["env", "LC_ALL=C", "bash", "-c", f"{MEMLOCK_SHELL} && ulimit -l"]

    ran = subprocess.run(line, capture_output=True, text=True, check=False)

    assert ran.stdout.split() == ["68719476736"] or "cannot modify limit" in ran.stderr


def test_the_line_of_the_log_has_both_limits_before_and_after():
    kernel = Kernel(65536, UNLIMITED, privileged=False)

    line = str(raise_memlock(get=kernel.get, put=kernel.put))

    assert line == "memlock soft 65536 -> 68719476736000, hard unlimited -> unlimited"


def test_the_line_of_the_log_has_the_reason_of_a_refusal():
    kernel = Kernel(65536, 65536, privileged=False)

    line = str(raise_memlock(get=kernel.get, put=kernel.put))

    assert line.endswith(f"hard 65536 -> 65536; 68719476736000 wanted, not allowed: {REFUSAL}")


def test_the_real_limit_of_a_process_is_raised_up_to_its_hard_limit():
    ran = run_python(
        "import resource as r; from tpuserve.container import *; r.setrlimit(r.RLIMIT_MEMLOCK, (4096, 65536));"
        " raise_memlock(65536); print(r.getrlimit(r.RLIMIT_MEMLOCK))"
    )

    assert ran.stdout.strip() == "(65536, 65536)"


def test_the_real_limits_after_it_are_the_ones_that_are_told():
    ran = run_python(
        "import resource as r; from tpuserve.container import *; told = raise_memlock();"
        " reached = told.after[0] in (MEMLOCK_BYTES, -1);"
        " print(told.after == r.getrlimit(r.RLIMIT_MEMLOCK), reached != bool(told.reason))"
    )

    assert ran.stdout.strip() == "True True"


def test_an_image_can_hold_the_file_alone(tmp_path):
    """-S leaves out every installed package, so that only the standard library is there."""
    (tmp_path / "alone.py").write_bytes(Path(container.__file__).read_bytes())

    ran = run_python("import alone; print(alone.__file__)", "-S", cwd=tmp_path)

    assert ran.stdout.strip() == str(tmp_path / "alone.py")


def run_python(code: str, *options: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter: the limits of this process are left alone."""
    return subprocess.run(
        [sys.executable, *options, "-c", code], cwd=cwd, capture_output=True, text=True, check=True, timeout=60
    )
