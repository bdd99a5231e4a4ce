"""What a preview found."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.local.plan import Plan, plan


def stack(old: Any, new: Any) -> dict[str, Any]:
    metadata = {"type": "pulumi:pulumi:Stack", "op": "same", "old": old, "new": new}
    return {"resOutputsEvent": {"metadata": metadata}}


def planned(tmp_path: Path, counts: dict[str, int], *events: dict[str, Any]) -> Plan:
    log = tmp_path / "events.json"
    all_events = [{"preludeEvent": {}}, *events, {"summaryEvent": {"resourceChanges": counts}}, {"cancelEvent": {}}]
    log.write_text("".join(json.dumps(event) + "\n" for event in all_events))
    return plan(log)


@pytest.mark.parametrize("operation", ["same", "read", "read-discard", "read-replacement"])
def test_operations_that_change_nothing(tmp_path: Path, operation: str) -> None:
    assert planned(tmp_path, {operation: 3}).operations == {}


@pytest.mark.parametrize("operation", ["create", "update", "delete", "replace", "import"])
def test_operations_that_change_something(tmp_path: Path, operation: str) -> None:
    assert planned(tmp_path, {"same": 2, operation: 1}).operations == {operation: 1}


def test_operation_counted_zero_is_no_change(tmp_path: Path) -> None:
    assert planned(tmp_path, {"update": 0}).operations == {}


def test_outputs_that_differ_change(tmp_path: Path) -> None:
    assert planned(tmp_path, {}, stack({"outputs": {"port": 1}}, {"outputs": {"port": 2}})).outputs


def test_outputs_that_are_equal_do_not_change(tmp_path: Path) -> None:
    assert not planned(tmp_path, {}, stack({"outputs": {"port": 1}}, {"outputs": {"port": 1}})).outputs


def test_last_word_on_outputs_counts(tmp_path: Path) -> None:
    old = {"outputs": {"port": 1}}

    assert not planned(tmp_path, {}, stack(old, {"outputs": {}}), stack(old, {"outputs": {"port": 1}})).outputs


def test_first_outputs_of_a_stack_change(tmp_path: Path) -> None:
    assert planned(tmp_path, {"create": 1}, stack(None, {"outputs": {"port": 1}})).outputs


def test_other_resources_have_no_part_in_it(tmp_path: Path) -> None:
    event = stack({"outputs": {"a": 1}}, {"outputs": {"a": 2}})
    event["resOutputsEvent"]["metadata"]["type"] = "tpuserve:vertex:Model"

    assert not planned(tmp_path, {}, event).outputs
