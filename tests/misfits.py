"""What goes between a client and an emulator that verifies has to fit Google's schemas, in every test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tpuserve.emulator import Emulator


@contextmanager
def none_of(emulator: Emulator) -> Iterator[Emulator]:
    """The emulator; an AssertionError at the end if any request or answer meanwhile did not fit."""
    emulator.misfits.clear()
    yield emulator
    if emulator.misfits:
        raise AssertionError("\n".join(emulator.misfits))
