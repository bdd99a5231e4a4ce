"""The emulator that unmodified clients are driven against."""

from tests.emulator.conftest import cloud, shared

__all__ = ["cloud", "shared"]
