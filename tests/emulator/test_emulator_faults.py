"""Faults: answers that fail, operations that fail or hang, calls that stop midway, and what is counted of them."""

import threading
from typing import Any

import grpc
import pytest
from google.api_core.exceptions import GoogleAPICallError, PermissionDenied

from tests.emulator.google import LOCATION, Google, refused
from tpuserve.emulator import ControlError, Settings
from tpuserve.emulator.__main__ import main
from tpuserve.emulator.fault_rules import Fault, matches, read_flag

DIGITS = f"{LOCATION}/models/digits"


def background(call: Any) -> tuple[threading.Thread, list[Any]]:
    """Runs a call beside the test; what it answered or raised comes into the list."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(call())
        except GoogleAPICallError as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


def models(cloud: Google) -> list[str]:
    return [model["displayName"] for model in cloud.control.objects()["models"]]


def test_a_call_fails_before_its_effect(cloud: Google) -> None:
    cloud.control.fail("UploadModel", "UNAVAILABLE", "try later")
    with refused("UNAVAILABLE", "try later"):
        cloud.begin_upload()

    assert cloud.control.objects()["operations"] == models(cloud) == []


def test_a_call_fails_after_its_effect(cloud: Google) -> None:
    cloud.control.hold("upload_model")
    cloud.control.fail("UploadModel", "UNAVAILABLE", phase="after")
    with refused("UNAVAILABLE"):
        cloud.begin_upload()

    assert [operation["kind"] for operation in cloud.control.objects()["operations"]] == ["upload_model"]


def test_a_fault_strikes_so_many_times(cloud: Google) -> None:
    cloud.control.fail("ListModels", "UNAVAILABLE", times=2)
    codes = [answer_code(cloud) for _ in range(3)]

    assert codes == ["UNAVAILABLE", "UNAVAILABLE", "OK"]


def answer_code(cloud: Google) -> str:
    call = cloud.channel.unary_unary("/google.cloud.aiplatform.v1.ModelService/ListModels")
    try:
        call(b"\x0a" + bytes([len(LOCATION)]) + LOCATION.encode())
    except grpc.RpcError as error:
        return error.code().name
    return "OK"


def test_a_fault_may_pass_calls_first(cloud: Google) -> None:
    cloud.control.fail("ListModels", "INTERNAL", skip=1)

    assert [answer_code(cloud) for _ in range(3)] == ["OK", "INTERNAL", "OK"]


def test_a_fault_may_strike_always(cloud: Google) -> None:
    cloud.control.fail("ListModels", "INTERNAL", times=-1)

    assert {answer_code(cloud) for _ in range(5)} == {"INTERNAL"}


@pytest.mark.parametrize(
    "method", ["ListModels", "ModelService.ListModels", "google.cloud.aiplatform.v1.ModelService/ListModels"]
)
def test_a_method_is_named_with_or_without_its_service(cloud: Google, method: str) -> None:
    cloud.control.fail(method, "INTERNAL")

    assert answer_code(cloud) == "INTERNAL"


def test_a_fault_may_ask_for_a_request(cloud: Google) -> None:
    cloud.control.fail("CreateEndpoint", "INTERNAL", match={"endpoint": {"displayName": "two"}})
    cloud.endpoint("one")

    with refused("INTERNAL"):
        cloud.endpoint("two")


def test_an_error_may_have_a_reason(cloud: Google) -> None:
    cloud.control.fail("GetModel", "PERMISSION_DENIED", "off", reason="SERVICE_DISABLED")

    with pytest.raises(PermissionDenied) as caught:
        cloud.models.get_model(name=DIGITS)
    assert caught.value.reason == "SERVICE_DISABLED"


@pytest.mark.unmet_faults
def test_rules_know_their_hits(cloud: Google) -> None:
    cloud.control.fail("ListModels", "INTERNAL", times=-1)
    cloud.control.fail("GetModel", "INTERNAL")
    answer_code(cloud)

    assert [(rule["name"], rule["hits"]) for rule in cloud.control.rules()] == [("ListModels", 1), ("GetModel", 0)]


def test_an_operation_fails_for_a_request_alone(cloud: Google) -> None:
    cloud.control.fail_operation("upload_model", "INTERNAL", match={"modelId": "two"})
    cloud.wait(cloud.begin_upload("one"))
    cloud.wait(cloud.begin_upload("two"))

    assert models(cloud) == ["one"]


def test_a_call_stops_before_its_commit(cloud: Google) -> None:
    cloud.control.break_at(0)
    thread, results = background(cloud.begin_upload)
    stopped = cloud.control.wait_broken()
    before = cloud.control.objects()["operations"]
    cloud.control.release_break()
    thread.join()

    assert (stopped and stopped["method"], before, len(results)) == ("UploadModel", [], 1)


def test_a_call_stops_after_its_commit(cloud: Google) -> None:
    cloud.control.hold("upload_model")
    cloud.control.break_at(0, "after")
    thread, results = background(cloud.begin_upload)
    cloud.control.wait_broken()
    answered, committed = list(results), cloud.control.objects()["operations"]
    cloud.control.release_break()
    thread.join()

    assert (answered, len(committed), len(results)) == ([], 1, 1)


def test_calls_that_change_nothing_are_not_counted(cloud: Google) -> None:
    cloud.control.break_at(1)
    answer_code(cloud)
    cloud.endpoint("one")
    thread, _ = background(lambda: cloud.endpoint("two"))
    stopped = cloud.control.wait_broken()
    cloud.control.release_break()
    thread.join()

    assert stopped is not None
    assert stopped["request"]["endpointId"] == "two"


def test_a_caller_that_goes_away_before_the_commit_changed_nothing(cloud: Google) -> None:
    cloud.control.break_at(0)
    call = cloud.channel.unary_unary("/google.cloud.aiplatform.v1.EndpointService/CreateEndpoint")
    future = call.future(b"")
    cloud.control.wait_broken()
    future.cancel()
    until_code(cloud, "CANCELLED")
    cloud.control.release_break()

    assert cloud.control.objects()["endpoints"] == cloud.control.objects()["operations"] == []


def until_code(cloud: Google, code: str) -> None:
    for _ in range(2000):
        if cloud.control.calls()[-1]["code"] == code:
            return
    pytest.fail(f"no call was answered {code}")


@pytest.mark.unmet_faults
def test_a_break_that_is_not_met_is_none(cloud: Google) -> None:
    cloud.control.break_at(0)

    assert cloud.control.wait_broken(timeout=0.01) is None


def test_the_record_keeps_the_order_and_the_codes(cloud: Google) -> None:
    cloud.endpoint()
    answer_code(cloud)
    with refused("NOT_FOUND"):
        cloud.models.get_model(name=DIGITS)
    calls = [call for call in cloud.control.calls() if not call["method"].endswith("Operation")]

    assert [(call["method"], call["code"]) for call in calls] == [
        ("CreateEndpoint", "OK"),
        ("ListModels", "OK"),
        ("GetModel", "NOT_FOUND"),
    ]


def test_the_record_tells_what_changes_something(cloud: Google) -> None:
    cloud.endpoint()
    answer_code(cloud)

    assert [call["method"] for call in cloud.control.calls(mutating_only=True)] == ["CreateEndpoint"]


def test_the_record_keeps_requests_as_json(cloud: Google) -> None:
    cloud.endpoint("one", labels={"team": "vision"})
    (call,) = cloud.control.calls(mutating_only=True)

    assert call["request"] == {
        "parent": LOCATION,
        "endpointId": "one",
        "endpoint": {"displayName": "one", "labels": {"team": "vision"}},
    }


def test_the_record_keeps_of_a_prediction_its_endpoint(cloud: Google) -> None:
    endpoint, _, _ = cloud.serving()
    cloud.predictions.predict(endpoint=endpoint, instances=[1.0])

    assert cloud.control.calls()[-1]["request"] == {"endpoint": endpoint}


def test_a_long_record_is_read_whole(cloud: Google) -> None:
    labels = {f"label-{index}": "x" * 60 for index in range(60)}
    for _ in range(1000):
        with refused("INVALID_ARGUMENT", "display_name"):
            cloud.endpoints.create_endpoint(parent=LOCATION, endpoint={"labels": labels})

    assert len(cloud.control.calls()) == 1000


def test_who_waits_is_answered_at_a_reset(cloud: Google) -> None:
    cloud.control.hold("upload_model")
    operation = cloud.begin_upload()
    thread, results = background(lambda: cloud.wait(operation))
    until_method(cloud, "WaitOperation")
    cloud.control.reset()
    thread.join(5)

    assert [found.done for found in results] == [False]


def until_method(cloud: Google, method: str) -> None:
    for _ in range(2000):
        if cloud.control.calls()[-1]["method"] == method:
            return
    pytest.fail(f"{method} was not called")


def test_a_cleared_record_counts_from_0(cloud: Google) -> None:
    cloud.endpoint("one")
    cloud.control.clear_calls()
    cloud.endpoint("two")

    assert cloud.control.calls()[0]["index"] == 0


def test_a_reset_leaves_nothing(cloud: Google) -> None:
    cloud.serving()
    cloud.active()
    cloud.control.reset()

    assert {kind: found for kind, found in cloud.control.objects().items() if found} == {}


def test_a_reset_puts_the_settings_back(cloud: Google) -> None:
    cloud.control.set("returns_container_spec", True)
    cloud.control.delay("upload_model", 60)
    cloud.control.reset()
    cloud.upload()

    assert not cloud.models.get_model(name=DIGITS).container_spec.image_uri


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        ("set", ("nonsense", True), "concurrent_deploys"),
        ("set", ("concurrent_deploys", "perhaps"), "bool"),
        ("delay", ("nonsense", 1), "deploy_stage"),
        ("delay", ("deploy_stage", -1), "0 or more"),
        ("hold", ("nonsense",), "deploy_model"),
        ("fail", ("GetModel", "NONSENSE"), "UNAVAILABLE"),
        ("fail_operation", ("nonsense", "INTERNAL"), "upload_model"),
        ("kill", ("nonsense",), "nothing"),
        ("preempt", ("nonsense",), "nonsense"),
        ("advance", (1,), "virtual"),
    ],
)
def test_what_cannot_be_asked_for_is_told(cloud: Google, command: str, arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(ControlError, match=words):
        getattr(cloud.control, command)(*arguments)


def test_only_an_active_request_is_preempted(cloud: Google) -> None:
    cloud.control.hold("qr_waiting")
    cloud.done(cloud.begin_request())

    with pytest.raises(ControlError, match="SUSPENDING from WAITING_FOR_RESOURCES"):
        cloud.control.preempt("pool")


@pytest.mark.parametrize(
    ("pattern", "found", "expected"),
    [
        ({}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 2}, False),
        ({"a": {"b": "x*"}}, {"a": {"b": "xyz"}}, True),
        ({"a": {"b": "x*"}}, {"a": "xyz"}, False),
        ({"a": "[tpuserve 1]"}, {"a": "[tpuserve 1]"}, True),
    ],
)
def test_a_pattern_holds_part_of_a_request(pattern: Any, found: Any, expected: bool) -> None:
    assert matches(pattern, found) is expected


def test_a_stalled_call_is_answered_when_the_faults_are_cleared(cloud: Google) -> None:
    cloud.control.disturb("ListModels", "stall")
    thread, results = background(lambda: answer_code(cloud))
    until_hit(cloud)
    before = list(results)
    cloud.control.clear_faults()
    thread.join()

    assert (before, results) == ([], ["OK"])


def until_hit(cloud: Google) -> None:
    for _ in range(2000):
        if cloud.control.rules()[-1]["hits"]:
            return
    pytest.fail("the fault was not met")


def test_a_delayed_call_is_answered_when_its_time_has_come(start: Any) -> None:
    cloud = start(Settings(clock="virtual"))
    cloud.control.disturb("ListModels", "delay", seconds=30)
    thread, results = background(lambda: answer_code(cloud))
    until_hit(cloud)
    cloud.control.advance(29)
    before = list(results)
    cloud.control.advance(1)
    thread.join()

    assert (before, results) == ([], ["OK"])


@pytest.mark.parametrize(("phase", "held"), [("before", []), ("after", ["upload_model"])])
def test_a_line_is_cut_before_the_effect_or_after_it(cloud: Google, phase: Any, held: list[str]) -> None:
    for kind in held:
        cloud.control.hold(kind)
    cloud.control.disturb("UploadModel", "reset", phase=phase)
    with refused("UNAVAILABLE", "reset by peer"):
        cloud.begin_upload()

    assert len(cloud.control.objects()["operations"]) == len(held)


def test_half_an_answer_cannot_be_read(cloud: Google) -> None:
    cloud.control.hold("upload_model")
    cloud.control.disturb("UploadModel", "truncate")
    with refused("INTERNAL", "deserializ"):
        cloud.begin_upload()

    assert len(cloud.control.objects()["operations"]) == 1


@pytest.mark.parametrize("phase", ["before", "after"])
def test_an_operation_vanishes_and_its_work_is_done(cloud: Google, phase: Any) -> None:
    cloud.control.vanish("upload_model", phase=phase)
    operation = cloud.begin_upload()
    with pytest.raises(grpc.RpcError, match=operation.operation.name):
        cloud.wait(operation)

    assert models(cloud) == ["digits"]


@pytest.mark.unmet_faults
def test_an_operation_that_vanishes_with_its_end_is_there_before(cloud: Google) -> None:
    cloud.control.hold("upload_model")
    cloud.control.vanish("upload_model", phase="after")
    operation = cloud.begin_upload()

    assert not cloud.wait(operation, seconds=0).done


def test_a_request_is_preempted_after_its_time(start: Any) -> None:
    cloud = start(Settings(clock="virtual"))
    cloud.control.befall("po*", "preempt", seconds=60)
    cloud.active()
    cloud.control.advance(59)
    before = cloud.state()
    cloud.control.advance(1)

    assert (before, cloud.state()) == ("ACTIVE", "SUSPENDED")


@pytest.mark.unmet_faults
def test_another_request_is_not_preempted(start: Any) -> None:
    cloud = start(Settings(clock="virtual"))
    cloud.control.befall("other", "preempt")
    cloud.active()
    cloud.control.advance(1)

    assert cloud.state() == "ACTIVE"


@pytest.mark.parametrize(("workload", "down"), [("AVAILABILITY_OPTIMIZED", 1), ("THROUGHPUT_OPTIMIZED", 2)])
def test_maintenance_goes_over_a_portion_of_the_nodes(start: Any, workload: str, down: int) -> None:
    cloud = start(Settings(clock="virtual"))
    cloud.control.delay("maintenance", 600)
    cloud.control.befall("pool", "maintain", seconds=60, portion=0.5)
    cloud.active(params={"node_count": 4, "workload_type": workload})
    cloud.control.advance(61)

    assert health(cloud).count("UNHEALTHY_MAINTENANCE") == down
    cloud.control.advance(1200)
    assert health(cloud) == ["HEALTHY"] * 4


def health(cloud: Google) -> list[str]:
    return [node["health"] for node in cloud.control.objects()["nodes"]]


def test_a_share_of_the_calls_fails_and_the_same_ones_each_time(start: Any) -> None:
    fault = Fault(what="call", name="ListModels", code="INTERNAL", times=-1, share=0.5)
    both = [start(Settings(faults=[fault], seed=7)) for _ in range(2)]
    codes = [[answer_code(cloud) for _ in range(20)] for cloud in both]

    assert codes[0] == codes[1]
    assert {*codes[0]} == {"OK", "INTERNAL"}


def test_another_seed_lets_other_calls_fail(start: Any) -> None:
    fault = Fault(what="call", name="ListModels", code="INTERNAL", times=-1, share=0.5)
    both = [start(Settings(faults=[fault], seed=seed)) for seed in (7, 8)]
    codes = [[answer_code(cloud) for _ in range(20)] for cloud in both]

    assert codes[0] != codes[1]


def test_the_faults_of_the_settings_are_back_after_a_reset(start: Any) -> None:
    cloud = start(Settings(faults=[Fault(what="call", name="ListModels", code="INTERNAL")]))
    first = answer_code(cloud)
    cloud.control.reset()

    assert (first, answer_code(cloud)) == ("INTERNAL", "INTERNAL")


@pytest.mark.parametrize(
    ("text", "what", "effect", "rest"),
    [
        ("GetModel=UNAVAILABLE", "call", "error", {"code": "UNAVAILABLE"}),
        ("GetModel=UNAVAILABLE,times=-1,share=0.1,retry_after=5", "call", "error", {"times": -1, "retry_after": 5.0}),
        ("GetModel=delay,seconds=2", "call", "delay", {"seconds": 2.0}),
        ("deploy_model=INTERNAL,stage=FINISHING_UP", "operation", "error", {"stage": "FINISHING_UP"}),
        ("deploy_model=vanish,phase=after", "operation", "vanish", {"phase": "after"}),
        ("pool*=preempt,seconds=60", "queued_resource", "preempt", {"name": "pool*"}),
    ],
)
def test_a_fault_is_read_from_a_flag(text: str, what: str, effect: str, rest: dict[str, Any]) -> None:
    fault = read_flag(text)

    assert {"what": fault.what, "effect": fault.effect} == {"what": what, "effect": effect}
    assert {name: getattr(fault, name) for name in rest} == rest


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("GetModel", "METHOD=CODE"),
        ("=INTERNAL", "METHOD=CODE"),
        ("GetModel=INTERNAL,times", "KEY=VALUE"),
        ("GetModel=BROKEN", "BROKEN.*UNAVAILABLE"),
        ("GetModel=vanish", "a fault of a call cannot vanish; it can error, delay, stall, reset, truncate"),
        ("GetModel=INTERNAL,share=2", "share"),
        ("GetModel=INTERNAL,tims=2", "tims"),
    ],
)
def test_what_is_no_fault_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_flag(text)


@pytest.mark.parametrize(
    "fault",
    [
        {"what": "operation", "name": "deploy", "code": "INTERNAL"},
        {"what": "call", "name": "GetModel", "code": "BROKEN"},
        {"what": "call", "name": "GetModel", "effect": "preempt"},
        {"what": "everything", "name": "GetModel", "code": "INTERNAL"},
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(cloud: Google, fault: dict[str, Any]) -> None:
    with pytest.raises(ControlError, match="plan: "):
        cloud.control.plan([fault])


@pytest.mark.parametrize(("text", "code"), [("ListModels=INTERNAL", None), ("ListModels=BROKEN", 2)])
def test_the_command_takes_faults(text: str, code: int | None, capsys: pytest.CaptureFixture[str]) -> None:
    """A fault that is none ends the start before anything is served."""
    given = ["--fault", text, "--settings", "/none"]
    if code is None:
        assert main(given) == 2  # the settings are missing, the fault was read
        return
    with pytest.raises(SystemExit) as ended:
        main(given)

    assert (ended.value.code, "BROKEN" in capsys.readouterr().err) == (code, True)
