"""The environment is made from the lock, once."""

import re
from pathlib import Path

import pytest

from tools import environment
from tools.environment import PrepareError, uv_requirement

LOCK = (environment.ROOT / "requirements.txt").read_text()


def test_uv_is_taken_with_every_hash_of_the_lock() -> None:
    block = uv_requirement(LOCK)

    following = LOCK[LOCK.index("\nuv==") + 1 :].partition("# via")[0]
    assert re.findall("sha256:[0-9a-f]{64}", block) == re.findall("sha256:[0-9a-f]{64}", following)


def test_uv_is_all_that_is_taken() -> None:
    assert re.findall(r"^(\S+)==", uv_requirement(LOCK), re.MULTILINE) == ["uv"]


def test_lock_without_uv_is_an_error() -> None:
    with pytest.raises(PrepareError, match="pins no uv"):
        uv_requirement("numpy==2.4.6 --hash=sha256:00\n")


@pytest.mark.parametrize("lock", ["requirements.txt", "tests/requirements.txt"])
def test_locks_name_no_registry(lock: str) -> None:
    assert "://" not in (environment.ROOT / lock).read_text()


@pytest.mark.parametrize("lock", ["requirements.txt", "tests/requirements.txt"])
def test_every_pin_has_a_hash(lock: str) -> None:
    pins = re.findall(r"^\S+==.*(?:\n +--hash=.*)*", (environment.ROOT / lock).read_text(), re.MULTILINE)

    assert [pin for pin in pins if "--hash=sha256:" not in pin] == []


def test_both_locks_agree_on_what_they_share() -> None:
    shared = dict(re.findall(r"^(\S+)==(\S+ ; .*?) \\$", LOCK, re.MULTILINE))
    tests = (environment.ROOT / "tests" / "requirements.txt").read_text()

    pinned = re.findall(r"^(\S+)==(\S+ ; .*?) \\$", tests, re.MULTILINE)
    assert [pin for pin in pinned if pin[0] in shared and f"{pin[0]}=={pin[1]} \\" not in LOCK] == []


def clone(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    for name in ("requirements.txt", "tests/requirements.txt", "pyproject.toml"):
        (tmp_path / name).write_text(name)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(environment.sys.executable)
    return tmp_path


def test_stamped_environment_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = clone(tmp_path)
    environment._stamp(root, "up").touch()

    environment.ensure(root, "up")

    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("changed", ["requirements.txt", "pyproject.toml"])
def test_changed_lock_asks_for_another_stamp(tmp_path: Path, changed: str) -> None:
    root = clone(tmp_path)
    before = environment._stamp(root, "up")

    (root / changed).write_text("other")

    assert environment._stamp(root, "up") != before


def test_pins_of_tests_do_not_matter_to_up(tmp_path: Path) -> None:
    root = clone(tmp_path)
    before = environment._stamp(root, "up")

    (root / "tests" / "requirements.txt").write_text("other")

    assert environment._stamp(root, "up") == before
