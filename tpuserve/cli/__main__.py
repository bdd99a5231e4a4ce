"""`python -m tpuserve.cli`: the same as `tpuserve`."""

import sys

from tpuserve.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
