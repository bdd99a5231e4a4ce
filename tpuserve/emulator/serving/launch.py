"""Runs a command in this process's place, so that it ends when the emulator does, however the emulator ends.

Called as a script with no site packages: `python -I -S launch.py PARENT COMMAND ...`. It exists because a function
run between fork and exec is unsafe in a process that has threads.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the emulator ended before its process began")
    try:
        os.execvp(command[0], command)  # noqa: S606 - the command is the user's own setting
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
