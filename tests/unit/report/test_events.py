"""What the engine's event stream says a program declares."""

import json
from typing import Any

import pytest
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from tpuserve.marks import SECRET, SIGNATURE
from tpuserve.marks import UNKNOWN_STRING as UNKNOWN
from tpuserve.report.events import EventsError, Stream, read

URN = "urn:pulumi:s::p::tpuserve:vertex:Deployment::d"


def step(operation: str, urn: str = URN, **inputs: Any) -> dict[str, Any]:
    new = {"type": "tpuserve:vertex:Deployment", "urn": urn, "inputs": inputs, "parent": "urn:stack", "protect": True}
    return {"resourcePreEvent": {"metadata": {"op": operation, "urn": urn, "old": None, "new": new}}}


def end(result: str = "succeeded") -> dict[str, Any]:
    return {"summaryEvent": {"result": result}}


def stream(*events: dict[str, Any]) -> Stream:
    return read(json.dumps({"sequence": number, **each}) for number, each in enumerate(events))


@pytest.mark.parametrize("operation", ["create", "update", "same", "import", "replace", "create-replacement"])
def test_what_a_step_declares_is_a_resource(operation: str) -> None:
    [found] = stream(step(operation, endpoint="e")).resources

    assert (found.name, found.inputs, found.parent, found.protect) == ("d", {"endpoint": "e"}, "urn:stack", True)


@pytest.mark.parametrize(
    "operation", ["delete", "delete-replaced", "refresh", "read", "discard", "remove-pending-replace"]
)
def test_what_a_step_takes_away_or_reads_is_none(operation: str) -> None:
    assert stream(step(operation)).resources == ()


def test_the_last_step_of_a_resource_counts() -> None:
    [found] = stream(step("create", endpoint=UNKNOWN), step("create", endpoint="e")).resources

    assert found.inputs == {"endpoint": "e"}


def test_an_unknown_is_the_one_that_the_policy_sdk_knows() -> None:
    assert UNKNOWN == UNKNOWN_STRING_VALUE


def test_a_secret_is_not_known_wherever_it_is() -> None:
    secret = {SIGNATURE: SECRET, "ciphertext": "[secret]"}

    [found] = stream(step("create", containerSpec={"env": [{"name": "A", "value": secret}]})).resources

    assert found.inputs == {"containerSpec": {"env": [{"name": "A", "value": UNKNOWN}]}}


@pytest.mark.parametrize(("events", "whole"), [([end()], True), ([end("failed")], False), ([], False)])
def test_a_run_that_failed_or_was_cut_off_is_not_whole(events: list[dict[str, Any]], whole: bool) -> None:
    assert stream(step("create"), *events).is_whole is whole


@pytest.mark.parametrize("line", ["{", "[]", '{"steps": []}', "Previewing update"])
def test_what_is_no_event_is_refused_by_its_line(line: str) -> None:
    with pytest.raises(
        EventsError, match="line 2 is not an event of the engine; write them by `pulumi preview --json`"
    ):
        read(['{"sequence": 0}', line])


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(EventsError, match="there are no events"):
        read(["", "\n"])


MISSHAPED = [
    {"resourcePreEvent": "x"},
    {"resourcePreEvent": {"metadata": {}}},
    {"resourcePreEvent": {"metadata": {"op": "create", "urn": 2}}},
    {"resourcePreEvent": {"metadata": {"op": "create", "urn": URN, "new": "x"}}},
    {"resourcePreEvent": {"metadata": {"op": "create", "urn": URN, "new": {"type": "t", "urn": URN, "inputs": [1]}}}},
    {"resourcePreEvent": {"metadata": {"op": "update", "urn": URN, "detailedDiff": {"a": 1}}}},
    {"resourcePreEvent": {"metadata": {"op": "update", "urn": URN, "keys": [1]}}},
    {"resOutputsEvent": {"a": 1}},
    {"resOpFailedEvent": {"metadata": {"urn": []}}},
    {"diagnosticEvent": {"severity": "error", "message": None}},
    {"policyEvent": {"policyName": 1, "enforcementLevel": "mandatory", "message": "m"}},
    {"policyAnalyzeSummaryEvent": {"passed": 3}},
    {"policyRemediationEvent": {"policyName": None}},
    {"summaryEvent": ["x"]},
]


@pytest.mark.parametrize("event", MISSHAPED, ids=json.dumps)
def test_an_event_of_another_shape_is_refused_by_its_line(event: dict[str, Any]) -> None:
    with pytest.raises(EventsError, match="line 1 is not an event of the engine"):
        stream(event)
