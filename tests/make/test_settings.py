"""The emulator's settings as `make up` writes them."""

import hashlib
import json
import sys
from pathlib import Path

from tools.local.layout import Layout
from tools.local.settings import settings
from tpuserve.emulator.settings import read_settings

ROOT = Path(__file__).parent.parent.parent


def test_emulator_reads_them(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(settings(Layout(ROOT)))

    assert read_settings(tmp_path / "settings.json").projects == {"tpuserve-local": 100000000001}


def test_script_is_known_by_its_hash() -> None:
    script = (ROOT / "examples" / "digits" / "startup.sh").read_bytes()

    assert set(json.loads(settings(Layout(ROOT)))["scripts"]) == {hashlib.sha256(script).hexdigest()}


def test_commands_run_the_environment_s_python_in_the_clone() -> None:
    images = json.loads(settings(Layout(ROOT)))["images"]

    assert {(image["command"][0], image["cwd"]) for image in images.values()} == {(sys.executable, str(ROOT))}


def test_image_of_the_stack_is_served() -> None:
    stack = (ROOT / "stacks" / "Pulumi.local.yaml").read_text()

    assert all(f"imageUri: {image}" in stack for image in json.loads(settings(Layout(ROOT)))["images"])
