"""What a run of the engine sees of the user's shell."""

from pathlib import Path

import pytest

from tools.engine import Engine
from tools.local.layout import Layout
from tools.local.pulumi_cli import Pulumi, addressed


@pytest.fixture
def pulumi(tmp_path: Path) -> Pulumi:
    return Pulumi(Layout(tmp_path), Engine(tmp_path / "engine" / "pulumi", tmp_path / "engine"))


@pytest.mark.parametrize(
    "name",
    [
        "PULUMI_ACCESS_TOKEN",
        "PULUMI_STACK",
        "PULUMI_CONFIG_PASSPHRASE_FILE",
        "PULUMI",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_PROJECT",
        "CLOUDSDK_CONFIG",
    ],
)
def test_other_settings_of_the_user_do_not_reach_the_engine(pulumi: Pulumi, name: str) -> None:
    assert name not in pulumi.environment({name: "theirs"})


@pytest.mark.parametrize("name", ["PULUMI_HOME", "PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"])
def test_own_settings_win_over_the_user_s(pulumi: Pulumi, name: str) -> None:
    assert pulumi.environment({name: "theirs"})[name] == pulumi.environment({})[name]


def test_home_of_the_user_stays(pulumi: Pulumi) -> None:
    assert pulumi.environment({"HOME": "/home/u"})["HOME"] == "/home/u"


def test_backend_is_in_the_clone(pulumi: Pulumi, tmp_path: Path) -> None:
    assert pulumi.environment({})["PULUMI_BACKEND_URL"] == f"file://{tmp_path}/.tpuserve/backend?metadata=skip"


def test_environment_and_engine_come_first_on_path(pulumi: Pulumi, tmp_path: Path) -> None:
    path = pulumi.environment({"PATH": "/usr/bin"})["PATH"].split(":")

    assert path[0].endswith("/bin")
    assert path[1:] == [str(tmp_path / "engine"), "/usr/bin"]


STACK = ["--stack", "local"]
STACK_FILE = [*STACK, "--config-file", "F"]


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("preview --diff", STACK_FILE),
        ("config", STACK_FILE),
        ("config set mine:key 1", STACK_FILE),
        ("stack output --json", STACK),
        ("state delete urn", STACK),
        ("cancel", STACK),
        ("state", []),
        ("version", []),
        ("help config", []),
        ("plugin ls", []),
        ("--version", []),
    ],
)
def test_command_gets_the_stack_and_the_stack_file_where_it_takes_them(command: str, flags: list[str]) -> None:
    arguments = command.split()

    assert addressed(arguments, Path("F")) == [*arguments, *flags]


def test_flags_stand_before_what_is_no_flag() -> None:
    command = addressed(["config", "set", "mine:key", "--", "-5"], Path("F"))

    assert command == ["config", "set", "mine:key", *STACK_FILE, "--", "-5"]
