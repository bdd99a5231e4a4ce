"""Ends what the emulator started once the emulator is gone, however it went: its children, and theirs.

Called as a script with no site packages: `python -I -S guard.py`. On standard input: `+GROUP` for a process group that
began, `-GROUP` for one that was ended. The end of the input is the end of the emulator.
"""

import contextlib
import os
import signal
import sys


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        change = groups.add if line.startswith("+") else groups.discard
        change(int(line[1:]))
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
