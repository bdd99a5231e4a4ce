"""`tpuserve`: stack files, orphans, the emulator. A command imports what it needs when it is called."""

from tpuserve.cli.app import main

__all__ = ["main"]
