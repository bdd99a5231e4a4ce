"""`tpuserve emulator status`, `logs`, `faults`, `reset` and `stop`, of an emulator that runs."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulator.google import Google, google
from tpuserve.cli import main
from tpuserve.emulator import Emulator, Settings
from tpuserve.emulator.settings import Launch

PRINTS = Launch(command=[sys.executable, "-c", "print('no weights'); print('gave up')"])
Shell = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Google, str]]:
    with Emulator(Settings(images={"prints": PRINTS})).running() as emulator, google(emulator) as cloud:
        yield cloud, emulator.address


@pytest.fixture
def at(running: tuple[Google, str]) -> tuple[Google, str]:
    running[0].control.reset()
    return running


def test_status_shows_what_there_is(at: tuple[Google, str], capsys: Shell) -> None:
    at[0].active("digits")
    at[0].serving()

    assert main(["emulator", "status", "--at", at[1]]) == 0
    said = capsys.readouterr().out
    assert [
        word for word in ("digits", "ACTIVE", "v6e-8", "serving", "100 %", "no operation") if word not in said
    ] == []


def test_status_is_json_where_it_is_asked_for(at: tuple[Google, str], capsys: Shell) -> None:
    main(["emulator", "status", "--json", "--at", at[1]])

    assert json.loads(capsys.readouterr().out)["objects"]["endpoints"] == []


def test_a_ready_file_stands_for_the_address(at: tuple[Google, str], tmp_path: Path, capsys: Shell) -> None:
    (tmp_path / "ready.json").write_text(json.dumps({"address": at[1], "pid": 1}))

    assert main(["emulator", "status", "--at", str(tmp_path / "ready.json")]) == 0
    assert "no endpoint" in capsys.readouterr().out


def test_logs_are_printed_by_their_last_lines(at: tuple[Google, str], capsys: Shell) -> None:
    at[0].wait(at[0].begin_deploy(at[0].endpoint(), at[0].upload(image="prints"), id="7"))
    main(["emulator", "logs", "deployedModels/7", "--lines", "1", "--at", at[1]])

    assert capsys.readouterr().out == "gave up\n"


@pytest.mark.unmet_faults  # met after the command has ended
def test_a_fault_is_switched_on_and_listed(at: tuple[Google, str], capsys: Shell) -> None:
    main(["emulator", "faults", "upload_model=ABORTED", "--hold", "deploy_model", "--at", at[1]])
    said = capsys.readouterr().out

    assert at[0].wait(at[0].begin_upload()).error.code == 10
    assert ("upload_model: ABORTED" in said, "deploy_model held" in said) == (True, True)


def test_faults_are_cleared(at: tuple[Google, str], capsys: Shell) -> None:
    at[0].control.hold("deploy_model")
    main(["emulator", "faults", "--clear", "--at", at[1]])

    assert capsys.readouterr().out == "no fault\n"


def test_reset_empties_it(at: tuple[Google, str]) -> None:
    at[0].endpoint()
    main(["emulator", "reset", "--at", at[1]])

    assert at[0].control.objects()["endpoints"] == []


def test_stop_ends_it(capsys: Shell) -> None:
    with Emulator(Settings()).running() as emulator:
        assert main(["emulator", "stop", "--at", emulator.address]) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["logs", "nodes/none"], "has no log"),
        (["faults", "nonsense"], "is no fault"),
        (["faults", "--hold", "nothing"], "deploy_model"),
    ],
)
def test_what_makes_no_sense_is_told(at: tuple[Google, str], capsys: Shell, words: list[str], told: str) -> None:
    assert main(["emulator", *words, "--at", at[1]]) == 2
    assert told in capsys.readouterr().err


def test_an_address_where_nobody_answers_is_told(capsys: Shell) -> None:
    assert main(["emulator", "status", "--at", "127.0.0.1:1"]) == 2
    assert "no emulator answers at 127.0.0.1:1" in capsys.readouterr().err


def test_a_file_of_something_else_is_told(tmp_path: Path, capsys: Shell) -> None:
    (tmp_path / "other.json").write_text("[]")

    assert main(["emulator", "status", "--at", str(tmp_path / "other.json")]) == 2
    assert "--ready" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["run", "status", "logs", "faults", "reset", "stop"])
def test_every_verb_has_a_help(capsys: Shell, verb: str) -> None:
    main(["emulator", "--help"])

    assert verb in capsys.readouterr().out
