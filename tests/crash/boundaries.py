"""Call boundaries: the moments just before a changing call is committed, and just after, before it is answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import msgspec

from tpuserve.emulator import Control

Phase = Literal["before", "after"]
PHASES: tuple[Phase, ...] = ("before", "after")
SLICE = 0.5  # seconds of one wait; between two the run itself is looked at


class Boundary(msgspec.Struct, frozen=True, order=True):
    """`call` is a method, with the update mask where it has one; `turn` counts from 1."""

    call: str
    turn: int
    phase: Phase

    def __str__(self) -> str:
        return f"{self.call}#{self.turn} {self.phase}"


def called(call: Mapping[str, Any]) -> str:
    """What a recorded call is named: DeployModel, UpdateEndpoint:labels."""
    mask = call["request"].get("updateMask", "")
    return f"{call['method']}:{mask}" if mask else call["method"]


def recorded(calls: Iterable[Mapping[str, Any]]) -> list[Boundary]:
    """Both boundaries of every changing call of a run, in its order."""
    turns: Counter[str] = Counter()
    found = []
    for call in calls:
        turns[called(call)] += 1
        found += [Boundary(called(call), turns[called(call)], phase) for phase in PHASES]
    return found


def armed(control: Control, boundary: Boundary) -> None:
    """To be called before the run begins: a run can be over before a break that is asked for later."""
    control.break_at(0, boundary.phase)


def reached(control: Control, boundary: Boundary, is_running: Callable[[], bool]) -> bool:
    """Stop at the armed boundary, which stays closed until `release_break`; False if the run ended without it."""
    while True:
        stopped = control.wait_broken(SLICE)
        if stopped is not None and _turn(control, stopped) == (boundary.call, boundary.turn):
            return True
        if stopped is not None:
            armed(control, boundary)  # also lets the stopped call go on
        elif not is_running():
            control.release_break()
            return False


def _turn(control: Control, stopped: Mapping[str, Any]) -> tuple[str, int]:
    """The stopped call's name, and how often it was called up to now."""
    name = called(stopped)
    earlier = [call for call in control.calls(mutating_only=True) if call["index"] <= stopped["index"]]
    return name, sum(called(call) == name for call in earlier)
