"""`tpuserve report`, as it is called."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.report.streams import END, lines, step
from tpuserve.cli import main

RECORDED = Path(__file__).parent / "recorded"
UPDATE = str(RECORDED / "update.jsonl")


def test_markdown_is_what_is_printed_without_a_format(capsys: pytest.CaptureFixture[str]) -> None:
    main(["report", UPDATE])

    assert capsys.readouterr().out.startswith(
        "<!-- tpuserve:report -->\n### 🔷 prod: 1 replacement gives up 16 v6e chips in us-east5-b"
    )


def test_a_terminal_is_told_the_same_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    main(["report", UPDATE, "--format", "terminal"])

    assert capsys.readouterr().out.startswith("prod: 1 replacement gives up 16 v6e chips in us-east5-b")


def test_json_names_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    main(["report", UPDATE, "--format", "json"])

    assert json.loads(capsys.readouterr().out)["schema"] == "tpuserve.report/1"


def test_the_stack_may_be_called_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    main(["report", UPDATE, "--stack-title", "production"])

    assert capsys.readouterr().out.startswith("<!-- tpuserve:report -->\n### 🔷 production: ")


def test_events_come_from_standard_input_as_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO((RECORDED / "nothing.jsonl").read_text(encoding="utf-8")))

    assert main(["report", "-"]) == 0
    assert capsys.readouterr().out == "<!-- tpuserve:report -->\n### ✅ prod: nothing changes\n"


def test_a_file_that_is_not_there_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["report", str(path := tmp_path / "none.jsonl")])

    assert capsys.readouterr().err == f"error: {path}: No such file or directory\n"


TOLD = [("terminal", "warning: the stack: w"), ("markdown", "the stack</code> | w")]


@pytest.mark.parametrize(("form", "told"), TOLD)
def test_a_warning_of_no_resource_is_the_stack_s(
    form: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warning = json.dumps({"sequence": 0, "diagnosticEvent": {"severity": "warning", "message": "w"}})
    (path := tmp_path / "events.jsonl").write_text("\n".join([warning, *lines([step("create", new={})])]))

    main(["report", str(path), "--format", form])

    assert told in capsys.readouterr().out


def test_what_the_engine_says_twice_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    warning = json.dumps({"sequence": 0, "diagnosticEvent": {"severity": "warning", "message": "w"}})
    (path := tmp_path / "events.jsonl").write_text("\n".join([warning, warning, *lines([step("create", new={})])]))

    main(["report", str(path), "--format", "terminal"])

    assert capsys.readouterr().out.count("warning: the stack: w") == 1


@pytest.mark.parametrize("depth", [500, 900])
def test_values_that_are_nested_too_deep_are_no_verdict(
    depth: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    (path := tmp_path / "events.jsonl").write_text("\n".join(lines([step("create", new={"a": value}), END])))

    assert main(["report", str(path)]) == 3
    assert capsys.readouterr().err == f"error: {path}: values are nested too deep to be told\n"


def test_changes_have_an_exit_code_of_their_own() -> None:
    assert main(["report", UPDATE]) == 2


def test_a_peak_beyond_a_limit_of_the_policy_configuration_blocks(tmp_path: Path) -> None:
    (path := tmp_path / "config.json").write_text('{"quotas": {"limits": {"*": {}}}}')

    assert main(["report", UPDATE, "--limits", str(path)]) == 1


def test_events_that_are_cut_off_block_and_are_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path := tmp_path / "events.jsonl").write_text("\n".join(lines([step("create", new={})])))

    assert main(["report", str(path)]) == 1
    assert "the events are cut off" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["nowhere.jsonl"], [UPDATE, "--limits", "nowhere.json"], [UPDATE, "--formt"]])
def test_what_cannot_be_carried_out_is_no_verdict(arguments: list[str]) -> None:
    assert main(["report", *arguments]) == 3


WRONG_LIMITS = [
    ("[]", "[] is not an object of policies"),
    ('{"quotas": {"limits": {"*": 3}}}', "quotas.limits.*: 3 is not of type object"),
    ('{"quotas": {"limits": {"*": {"q": {}}}}}', "quotas.limits.*.q: there "),
    ('{"budget": {"prices": {"tpu": 1}}}', "budget.prices.tpu: 1 is not of type object"),
    ('{"budget": {"prices": {"gpu": {}}}}', "budget.prices.gpu"),
]


@pytest.mark.parametrize(("config", "fault"), WRONG_LIMITS)
def test_limits_that_the_policies_would_refuse_are_refused(
    config: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "config.json").write_text(config)

    assert main(["report", UPDATE, "--limits", str(path)]) == 3
    assert f"--limits {path}: {fault}" in capsys.readouterr().err


def test_every_fault_of_the_limits_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path := tmp_path / "config.json").write_text('{"quotas": {"limits": 1}, "budget": {"prices": 2}}')

    main(["report", UPDATE, "--limits", str(path)])

    assert capsys.readouterr().err.count("error: ") == 2


def test_a_policy_s_level_alone_has_no_limits(tmp_path: Path) -> None:
    (path := tmp_path / "config.json").write_text('{"quotas": "advisory", "budget": {"enforcementLevel": "disabled"}}')

    assert main(["report", UPDATE, "--limits", str(path)]) == 2
