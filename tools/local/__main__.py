"""`python -m tools.local up | down | pulumi ...`, run by make in the project's environment."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.engine import EngineError, resolve
from tools.environment import PREPARED
from tools.local import down, up
from tools.local.backend import StackBusyError, StackDamagedError
from tools.local.emulator import EmulatorError
from tools.local.layout import Layout
from tools.local.predictions import OfflineError
from tools.local.pulumi_cli import Pulumi, PulumiError
from tools.local.timings import Timings
from tools.progress import say

LAYOUT = Layout(Path(__file__).parent.parent.parent)


def main(arguments: Sequence[str]) -> int:
    """Run one verb; a failure that its cause has told already gets one line, never a traceback."""
    timings = Timings([("environment", float(os.environ.pop(PREPARED, "0")))])
    try:
        return _verb(timings, arguments)
    except (EngineError, EmulatorError, OfflineError, PulumiError, StackBusyError, StackDamagedError) as error:
        # An engine that was killed leaves the line of its progress dots open.
        say("\n" * getattr(error, "killed", False) + f"error: {error}")
        return 1
    except KeyboardInterrupt:
        say("interrupted; `make up` goes on from here, `make down` takes away what is there")
        return 130


def _verb(timings: Timings, arguments: Sequence[str]) -> int:
    verb, *rest = arguments
    if verb == "down":
        return down.down(LAYOUT, _pulumi)
    with timings.part("engine"):
        pulumi = _pulumi()
    return up.up(pulumi, timings) if verb == "up" else up.operate(pulumi, rest)


def _pulumi() -> Pulumi:
    return Pulumi(LAYOUT, resolve())


sys.exit(main(sys.argv[1:]))
