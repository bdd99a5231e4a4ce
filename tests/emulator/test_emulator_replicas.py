"""Replicas of a deployed model: one process each, probed, restarted, scaled by their requests."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.api.httpbody_pb2 import HttpBody

from tests.emulator.conftest import Start
from tests.emulator.google import Google, refused
from tests.emulator.test_emulator_processes import COMMAND, predict
from tpuserve.emulator.control import ControlError
from tpuserve.emulator.settings import Launch, Settings

REQUESTS = "aiplatform.googleapis.com/prediction/online/request_count"
NAME = "endpoints/serving/deployedModels/7"


def serving(start: Start, *, replicas: int = 1, launch: Launch | None = None, **more: Any) -> tuple[Google, str]:
    """An endpoint that serves `launch`, the model server where left out; `container` and `resources` add to the rest,
    all else is the settings'."""
    container, resources = more.pop("container", {}), more.pop("resources", {})
    images = {"image": launch or Launch(command=[*COMMAND, "one"])}
    cloud = start(Settings(images=images, **{"clock": "virtual", "replica_processes": 2, **more}))
    endpoint = cloud.endpoint()
    model = cloud.upload(model_fields={"container_spec": {"image_uri": "image", **container}})
    cloud.deploy(endpoint, model, id="7", split={"0": 100}, resources={"min_replica_count": replicas, **resources})
    return cloud, endpoint


def deployed(cloud: Google) -> dict[str, Any]:
    return cloud.control.objects()["endpoints"][0]["deployedModels"][0]


def states(cloud: Google) -> list[str]:
    return [replica["state"] for replica in deployed(cloud)["replicas"]]


def until(holds: Callable[[], bool], seconds: float = 10) -> None:
    """Asks again and again; each question is a call that waits for its answer."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"


def test_each_replica_is_a_process(start: Start) -> None:
    cloud, endpoint = serving(start, replicas=2)
    answered = {predict(cloud, endpoint, "pid")[0] for _ in range(8)}

    assert answered == {replica["pid"] for replica in deployed(cloud)["replicas"]}


def test_there_are_no_more_processes_than_the_machine_bears(start: Start) -> None:
    cloud, _ = serving(start, replicas=5)

    assert (len(deployed(cloud)["replicas"]), deployed(cloud)["availableReplicaCount"]) == (2, 5)


def test_fewer_replicas_are_fewer_processes(start: Start) -> None:
    cloud, endpoint = serving(start, replicas=2)
    change = {"id": "7", "dedicated_resources": {"min_replica_count": 1, "max_replica_count": 1}}
    mask = {"paths": ["dedicated_resources.min_replica_count", "dedicated_resources.max_replica_count"]}
    cloud.done(
        cloud.endpoints.mutate_deployed_model(
            request={"endpoint": endpoint, "deployed_model": change, "update_mask": mask}
        )
    )

    assert len(deployed(cloud)["replicas"]) == 1


def test_one_dead_replica_leaves_the_others_to_answer(start: Start) -> None:
    cloud, endpoint = serving(start, replicas=2)
    cloud.control.kill(f"{NAME}/replicas/0")
    answered = {predict(cloud, endpoint, "pid")[0] for _ in range(4)}

    assert answered == {deployed(cloud)["replicas"][1]["pid"]}


def test_a_dead_replica_is_not_available(start: Start) -> None:
    cloud, endpoint = serving(start, replicas=2)
    cloud.control.kill(f"{NAME}/replicas/0")
    until(lambda: states(cloud)[0] == "BACK_OFF")

    assert cloud.endpoints.get_endpoint(name=endpoint).deployed_models[0].status.available_replica_count == 1


def test_a_server_that_ended_starts_again_after_its_back_off(start: Start) -> None:
    cloud, endpoint = serving(start)
    with refused("UNAVAILABLE"):
        predict(cloud, endpoint, "exit")
    until(lambda: states(cloud) == ["BACK_OFF"])
    cloud.control.advance(10)
    until(lambda: states(cloud) == ["READY"])

    assert predict(cloud, endpoint, 1.0)[0]["tag"] == "one"


def test_why_a_server_ended_is_told(start: Start) -> None:
    cloud, endpoint = serving(start)
    with refused("UNAVAILABLE"):
        predict(cloud, endpoint, "exit")
    until(lambda: states(cloud) == ["BACK_OFF"])

    assert deployed(cloud)["replicas"][0]["ended"] == "ended with exit code 3"


def test_the_second_back_off_is_twice_as_long(start: Start) -> None:
    cloud, _ = serving(start)
    for seconds in (10, 19):
        cloud.control.kill(NAME)
        until(lambda: states(cloud) == ["BACK_OFF"])
        cloud.control.advance(seconds)
        if seconds == 10:
            until(lambda: states(cloud) == ["READY"])

    assert deployed(cloud)["replicas"][0] | {"ended": ""} == {
        "name": f"{deployed_name(cloud)}/replicas/0",
        "state": "BACK_OFF",
        "restarts": 1,
        "ended": "",
    }


def deployed_name(cloud: Google) -> str:
    return f"{cloud.control.objects()['endpoints'][0]['name']}/deployedModels/7"


def test_a_builtin_that_was_killed_comes_back_as_well(start: Start) -> None:
    cloud, endpoint = serving(start, launch=Launch(builtin="echo"))
    cloud.control.kill(NAME)
    until(lambda: states(cloud) == ["BACK_OFF"])
    cloud.control.advance(10)
    until(lambda: states(cloud) == ["READY"])

    assert predict(cloud, endpoint, 1.0)[0]["version"] == "1"


def test_a_health_probe_that_fails_takes_the_replica_out(start: Start) -> None:
    probe = {"http_get": {"path": "/v1/endpoints/serving/deployedModels/7"}, "failure_threshold": 2}
    cloud, endpoint = serving(start, container={"health_probe": probe})
    predict(cloud, endpoint, "sick")

    def unready() -> bool:
        cloud.control.advance(10)
        return states(cloud) == ["UNREADY"]

    until(unready)
    with refused("UNAVAILABLE"):
        predict(cloud, endpoint, 1.0)


def test_a_liveness_probe_that_fails_starts_the_server_again(start: Start) -> None:
    probe = {"http_get": {"path": "/v1/endpoints/serving/deployedModels/7"}, "failure_threshold": 1}
    cloud, endpoint = serving(start, container={"liveness_probe": probe})
    predict(cloud, endpoint, "sick")

    def ended() -> bool:
        cloud.control.advance(10)
        return bool(deployed(cloud)["replicas"][0].get("ended"))

    until(ended)

    assert deployed(cloud)["replicas"][0]["ended"] == "its liveness probe failed"


def test_a_startup_probe_that_fails_fails_the_deployment(start: Start) -> None:
    probe = {"http_get": {"path": "/nowhere"}, "period_seconds": 1, "timeout_seconds": 1, "failure_threshold": 1}
    with pytest.raises(Exception, match="startup probe failed"):
        serving(start, clock="real", container={"startup_probe": probe})


@pytest.mark.parametrize("probe", [{"tcp_socket": {"port": 8080}}, {"exec_": {"command": ["cat", "/tmp/healthy"]}}])
def test_an_open_port_is_enough_for(start: Start, probe: dict[str, Any]) -> None:
    cloud, _ = serving(start, container={"startup_probe": probe, "health_probe": probe})

    assert states(cloud) == ["READY"]


def test_a_grpc_probe_needs_a_grpc_server(start: Start) -> None:
    with pytest.raises(Exception, match="never became ready"):
        serving(start, health_timeout=1.0, container={"health_probe": {"grpc": {"port": 8080}}})


GRPC = """
import os, time
from concurrent import futures
import grpc
class Health(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(lambda request, context: bytes([8, 1]))
server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_generic_rpc_handlers((Health(),))
server.add_insecure_port("127.0.0.1:" + os.environ["AIP_HTTP_PORT"])
server.start()
time.sleep(600)
"""


def test_a_grpc_probe_asks_the_health_service(start: Start) -> None:
    launch = Launch(command=[sys.executable, "-c", GRPC])
    cloud, _ = serving(start, launch=launch, container={"health_probe": {"grpc": {"port": 8080, "service": "model"}}})

    assert states(cloud) == ["READY"]


def test_a_deployment_timeout_ends_the_wait(start: Start) -> None:
    began = time.monotonic()
    with pytest.raises(Exception, match="never became ready"):
        serving(
            start,
            container={"deployment_timeout": {"seconds": 1}, "health_probe": {"http_get": {"path": "/nowhere"}}},
        )

    assert time.monotonic() - began < 15


def busy(cloud: Google, endpoint: str, requests: int) -> None:
    """So many requests, and then the next look at them."""
    for _ in range(requests):
        predict(cloud, endpoint, 1.0)
    cloud.control.advance(15)


def test_requests_bring_replicas(start: Start) -> None:
    cloud, endpoint = autoscaled(start)
    busy(cloud, endpoint, 25)

    until(lambda: deployed(cloud)["availableReplicaCount"] == 3)


def test_replicas_stay_at_most_as_many_as_allowed(start: Start) -> None:
    cloud, endpoint = autoscaled(start)
    busy(cloud, endpoint, 95)

    until(lambda: deployed(cloud)["availableReplicaCount"] == 4)


def test_replicas_go_when_fewer_were_enough_for_five_minutes(start: Start) -> None:
    cloud, endpoint = autoscaled(start)
    busy(cloud, endpoint, 25)
    until(lambda: deployed(cloud)["availableReplicaCount"] == 3)
    cloud.control.advance(330)

    until(lambda: deployed(cloud)["availableReplicaCount"] == 1)


def autoscaled(start: Start) -> tuple[Google, str]:
    metric = {"metric_name": REQUESTS, "target": 10}
    resources = {"max_replica_count": 4, "autoscaling_metric_specs": [metric]}
    return serving(start, launch=Launch(builtin="echo"), resources=resources)


def test_a_raw_prediction_passes_content_and_its_type_on(start: Start) -> None:
    cloud, endpoint = serving(start)
    answer = cloud.predictions.raw_predict(endpoint=endpoint, http_body=HttpBody(content_type="text/x", data=b"abc"))

    assert (answer.content_type, answer.data) == ("text/x", b"abc")


def test_a_raw_prediction_that_is_refused_is_an_error(start: Start) -> None:
    cloud, endpoint = serving(start)
    with refused("INVALID_ARGUMENT", "400", "refuse"):
        cloud.predictions.raw_predict(endpoint=endpoint, http_body=HttpBody(content_type="text/x", data=b"refuse"))


def test_a_stream_brings_a_piece_when_the_server_has_written_it(start: Start) -> None:
    cloud, endpoint = serving(start)
    body = HttpBody(content_type="text/x", data=b"held back")
    pieces = iter(cloud.predictions.stream_raw_predict(endpoint=endpoint, http_body=body))
    first = next(pieces).data
    predict(cloud, endpoint, "go")

    assert (first, b"".join(piece.data for piece in pieces)) == (b"h", b"eld back")


def test_a_stream_that_is_refused_is_an_error(start: Start) -> None:
    cloud, endpoint = serving(start)
    body = HttpBody(content_type="text/x", data=b"refuse")
    with refused("INVALID_ARGUMENT"):
        list(cloud.predictions.stream_raw_predict(endpoint=endpoint, http_body=body))


@pytest.mark.parametrize("method", ["raw_predict", "stream_raw_predict"])
def test_the_echo_gives_a_raw_body_back(cloud: Google, method: str) -> None:
    endpoint, _, _ = cloud.serving()
    answer = getattr(cloud.predictions, method)(endpoint=endpoint, http_body=HttpBody(data=b"abc"))
    pieces = [answer] if method == "raw_predict" else list(answer)

    assert [piece.data for piece in pieces] == [b"abc"]


def test_a_fault_strikes_a_stream_before_its_first_piece(cloud: Google) -> None:
    endpoint, _, _ = cloud.serving()
    cloud.control.fail("StreamRawPredict", "UNAVAILABLE")
    with refused("UNAVAILABLE"):
        list(cloud.predictions.stream_raw_predict(endpoint=endpoint, http_body=HttpBody(data=b"abc")))


def test_a_log_holds_what_the_server_wrote(start: Start) -> None:
    cloud, _ = serving(start)
    [log] = cloud.control.logs(NAME)

    assert (log["name"].endswith(f"{NAME}/replicas/0"), log["lines"][0].startswith("serving one on")) == (True, True)


def test_the_log_of_a_failed_deployment_is_still_there_by_its_last_lines(start: Start) -> None:
    launch = Launch(command=[sys.executable, "-c", "print('a'); print('b'); print('c')"])
    cloud = start(Settings(images={"image": launch}))
    cloud.wait(cloud.begin_deploy(cloud.endpoint(), cloud.upload(), id="7"))

    assert [log["lines"] for log in cloud.control.logs(NAME, lines=2)] == [["b", "c"]]


def test_a_log_that_is_not_there_is_an_error_that_names_those_that_are(start: Start) -> None:
    cloud, _ = serving(start)
    with pytest.raises(ControlError, match="replicas/0"):
        cloud.control.logs("endpoints/other/deployedModels/1")


def test_what_a_server_started_ends_with_it(start: Start) -> None:
    cloud, endpoint = serving(start)
    child = int(predict(cloud, endpoint, "child")[0])
    cloud.undeploy(endpoint, "7")

    until(lambda: gone(cloud, child))


def gone(cloud: Google, pid: int) -> bool:
    """Whether a process is no more, or nobody has taken its end."""
    cloud.control.rules()
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_the_guard_is_not_ended_by_the_signals_that_end_an_emulator(start: Start) -> None:
    cloud, _ = serving(start)
    guards = [pid for pid in children(os.getpid()) if "guard.py" in command_of(pid)]
    for pid in guards:
        os.kill(pid, signal.SIGINT)
        os.kill(pid, signal.SIGTERM)
    cloud.control.rules()

    assert [gone(cloud, pid) for pid in guards] == [False] * len(guards)


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()
