"""The source tree as it is imported, for the layer contracts.

`components` and `policies` lie beside `tpuserve` and are imported as `tpuserve.components` and `tpuserve.policies`; a
tool that reads the folders has to be shown them in that place.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

MAPPED = ("components", "policies")


@contextlib.contextmanager
def arranged(root: Path) -> Iterator[Path]:
    """A folder that holds `tpuserve` with everything in its place, for as long as the context lasts."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "tpuserve"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / "tpuserve", package, ignore=ignore)
        for name in MAPPED:
            if (root / name).is_dir():
                shutil.copytree(root / name, package / name, ignore=ignore, dirs_exist_ok=True)
        yield Path(folder)
