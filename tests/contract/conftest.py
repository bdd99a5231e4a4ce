"""The emulator that unmodified clients are driven against."""

from tests.emulator.conftest import cloud, serving, shared

__all__ = ["cloud", "serving", "shared"]
