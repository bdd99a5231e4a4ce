"""The layer contracts hold, and would break."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tools.layers import arranged

ROOT = Path(__file__).parent.parent.parent
LINT = [str(Path(sys.prefix) / "bin" / "lint-imports"), str(ROOT / ".importlinter"), "--no-cache", "--no-logo"]


@pytest.mark.parametrize(
    ("layer", "forbidden"),
    [
        ("catalog", "import pulumi"),
        ("catalog", "import tpuserve.resources"),
        ("declared", "import tpuserve.policies"),
        ("declared", "import pulumi"),
        ("resources", "import tpuserve.provider"),
        ("resources", "from tpuserve import components"),
        ("provider", "import tpuserve.components"),
        ("components", "import tpuserve.provider"),
        ("policies", "import tpuserve.components"),
        ("emulator", "from tpuserve.catalog import machines"),
        ("provider", "import tpuserve.emulator"),
    ],
)
def test_forbidden_import_breaks_a_contract(layer: str, forbidden: str) -> None:
    with arranged(ROOT) as folder:
        (folder / "tpuserve" / layer / "added.py").write_text(f"{forbidden}\n")
        done = subprocess.run(LINT, cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert f"tpuserve.{layer}.added -> " in done.stdout


def google_clients(path: Path) -> list[str]:
    """The lines of a file that import one of Google's clients."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [
        (node.lineno, f"{node.module}." if isinstance(node, ast.ImportFrom) else alias.name)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    ]
    return [f"{path.relative_to(ROOT)}:{line}" for line, name in names if f"{name}.".startswith("google.cloud.")]


def test_google_clients_are_imported_in_one_module_and_the_emulator() -> None:
    folders = [ROOT / name for name in ("tpuserve", "components", "policies", "plugin", "tools", "examples")]
    files = [path for folder in folders for path in folder.rglob("*.py")] + [ROOT / "__main__.py"]
    allowed = {ROOT / "tpuserve" / "google.py", *(ROOT / "tpuserve" / "emulator").rglob("*.py")}
    allowed |= {*(ROOT / "examples" / "emulator_tests").rglob("*.py")}  # somebody else's tests, with Google's clients

    assert [line for path in files if path not in allowed for line in google_clients(path)] == []
