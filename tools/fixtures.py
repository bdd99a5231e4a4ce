"""Record the state that this build writes, for the builds to come: `python -m tools.fixtures`.

It writes tests/upgrade/states/version-N, N being STATE_VERSION of tpuserve/provider/state_version.py. A recording is
made again only as long as its version was in no release.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.upgrade.recorded import record
from tools.engine import required
from tools.progress import say


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring tests/upgrade/program.py up against an emulator, and keep what engine and emulator wrote."""
    argparse.ArgumentParser(prog="python -m tools.fixtures", description=__doc__).parse_args(arguments)
    engine = required()
    with tempfile.TemporaryDirectory(prefix="tpuserve-fixtures-") as folder:
        say(f"recorded {record(Path(folder), engine).folder}", sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
