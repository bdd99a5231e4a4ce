"""A restart forgets nothing: objects, operations that run, processes, numbers that were given."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import ServiceUnavailable

from tests.emulator.google import HERE, LOCATION, Google
from tests.emulator.test_emulator_processes import COMMAND
from tpuserve.emulator import Control, Emulator, Settings
from tpuserve.emulator.serving.process import started_at
from tpuserve.emulator.settings import Durations
from tpuserve.emulator.store import Store

DIGITS = f"{LOCATION}/models/digits"


@contextlib.contextmanager
def life(state: Path, settings: Settings | None = None) -> Iterator[Google]:
    """One life of an emulator in this process, with a clean end."""
    with Emulator(settings, state=state).running() as emulator:
        cloud = Google(emulator.address, emulator.control)
        with cloud.channel:
            yield cloud


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


def described(cloud: Google) -> dict[str, Any]:
    """Everything an API shows, word for word."""
    return {
        "models": [str(model) for model in cloud.models.list_models(parent=LOCATION)],
        "versions": [str(model) for model in cloud.models.list_model_versions(name=DIGITS)],
        "endpoints": [str(endpoint) for endpoint in cloud.endpoints.list_endpoints(parent=LOCATION)],
        "queued": [str(found) for found in cloud.tpu.list_queued_resources(parent=f"{LOCATION}-b")],
        "nodes": [str(found) for found in cloud.tpu.list_nodes(parent=f"{LOCATION}-b")],
    }


def test_every_object_is_as_it_was(state: Path) -> None:
    with life(state) as cloud:
        cloud.serving()
        cloud.upload(parent_model=DIGITS, model_fields={"version_aliases": ["golden"], "labels": {"a": "b"}})
        cloud.active()
        before = described(cloud)
    with life(state) as cloud:
        assert described(cloud) == before


def test_a_deployed_model_answers_again(state: Path) -> None:
    with life(state) as cloud:
        endpoint, _, _ = cloud.serving()
    with life(state) as cloud:
        assert cloud.predictions.predict(endpoint=endpoint, instances=[1.0]).model_version_id == "1"


def test_a_finished_operation_is_still_found(state: Path) -> None:
    with life(state) as cloud:
        operation = cloud.begin_upload()
        cloud.done(operation)
    with life(state) as cloud:
        found = cloud.models.get_operation({"name": operation.operation.name})
        assert (found.done, found.response.TypeName()) == (True, "google.cloud.aiplatform.v1.UploadModelResponse")


def test_a_running_upload_goes_on(state: Path) -> None:
    with life(state) as cloud:
        cloud.control.hold("upload_model")
        name = cloud.begin_upload().operation.name
    with life(state) as cloud:
        assert cloud.wait(name).done
        assert cloud.models.get_model(name=DIGITS).name == f"{HERE}/models/digits"


def test_a_running_deployment_goes_on(state: Path) -> None:
    with life(state) as cloud:
        endpoint, model = cloud.endpoint(), cloud.upload()
        cloud.control.hold("deploy_model")
        name = cloud.begin_deploy(endpoint, model, split={"0": 100}).operation.name
    with life(state) as cloud:
        cloud.wait(name)
        assert list(cloud.split(endpoint).values()) == [100]


def test_a_running_deletion_goes_on(state: Path) -> None:
    with life(state) as cloud:
        cloud.active()
        cloud.control.hold("delete_queued_resource")
        request = {"name": f"{LOCATION}-b/queuedResources/pool", "force": True}
        name = cloud.tpu.delete_queued_resource(request=request).operation.name
    with life(state) as cloud:
        cloud.wait(name)
        assert cloud.control.objects()["nodes"] == []


@pytest.mark.parametrize("held", ["create_queued_resource", "qr_waiting", "qr_provisioning"])
def test_a_queued_resource_goes_on(state: Path, held: str) -> None:
    with life(state) as cloud:
        cloud.control.hold(held)
        cloud.begin_request()
    with life(state) as cloud:
        for _ in range(2000):
            if cloud.state() == "ACTIVE":
                break
        assert (cloud.state(), len(cloud.control.objects()["nodes"])) == ("ACTIVE", 3)


def test_a_step_ends_when_it_would_have(state: Path) -> None:
    settings = Settings(clock="virtual", durations=Durations(upload_model=100))
    with life(state, settings) as cloud:
        operation = cloud.begin_upload().operation.name
        cloud.control.advance(50)
    due = Store(state).get("operations", operation).due["upload"]
    with life(state, settings) as cloud:
        cloud.control.advance(due - time.time() - 5)
        early = cloud.wait(operation, seconds=0).done
        cloud.control.advance(10)
        assert (early, cloud.wait(operation).done) == (False, True)


def test_a_number_is_not_given_again(state: Path) -> None:
    with life(state) as cloud:
        cloud.upload()
        cloud.upload(parent_model=DIGITS)
        cloud.done(cloud.models.delete_model_version(name=f"{DIGITS}@2"))
    with life(state) as cloud:
        assert cloud.upload(parent_model=DIGITS).endswith("@3")


def test_a_generated_id_is_not_given_again(state: Path) -> None:
    ids = []
    for _ in range(2):
        with life(state) as cloud:
            endpoint = cloud.endpoint(f"e{len(ids)}")
            ids.append(cloud.deploy(endpoint, cloud.upload(f"m{len(ids)}")))

    assert len(set(ids)) == 2


def test_a_request_id_is_still_known(state: Path) -> None:
    with life(state) as cloud:
        first = cloud.begin_request(request_id="one").operation.name
    with life(state) as cloud:
        assert cloud.begin_request(request_id="one").operation.name == first


class Command:
    """An emulator as a process of its own, to be killed."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self._ready, self.state = folder / "ready.json", folder / "state.json"
        (folder / "settings.json").write_text(json.dumps(settings))
        self._arguments = ["--state", str(self.state), "--settings", str(folder / "settings.json")]
        self.process: subprocess.Popen[bytes]

    def start(self) -> Google:
        self._ready.unlink(missing_ok=True)
        command = [sys.executable, "-m", "tpuserve.emulator", *self._arguments, "--ready", str(self._ready)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not self._ready.exists() and self.process.poll() is None and time.monotonic() < until:
            os.sched_yield()
        address = json.loads(self._ready.read_text())["address"]
        return Google(address, Control(address))

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=30)


def pid_of(cloud: Google) -> int:
    return cloud.control.objects()["endpoints"][0]["deployedModels"][0]["pid"]


def test_a_killed_emulator_takes_its_processes_along_and_starts_them_again(tmp_path: Path) -> None:
    command = Command(tmp_path, {"images": {"image": {"command": [*COMMAND, "one"]}}})
    cloud = command.start()
    endpoint, _, _ = cloud.serving()
    before = pid_of(cloud)
    command.end(signal.SIGKILL)
    until = time.monotonic() + 10
    while running(before) and time.monotonic() < until:
        os.sched_yield()
    cloud = command.start()
    answer = cloud.predictions.predict(endpoint=endpoint, instances=[1.0])
    after = pid_of(cloud)

    assert (running(before), answer.predictions[0]["tag"], after == before) == (False, "one", False)
    assert (command.end(signal.SIGTERM), running(after)) == (0, False)


def test_a_killed_emulator_takes_along_what_its_processes_started(tmp_path: Path) -> None:
    command = Command(tmp_path, {"images": {"image": {"command": [*COMMAND, "one"]}}})
    cloud = command.start()
    endpoint, _, _ = cloud.serving()
    child = int(cloud.predictions.predict(endpoint=endpoint, instances=["child"]).predictions[0])
    before = running(child)
    command.end(signal.SIGKILL)
    until = time.monotonic() + 10
    while running(child) and time.monotonic() < until:
        os.sched_yield()

    assert (before, running(child)) == (True, False)


@pytest.mark.parametrize(("phase", "found"), [("before", []), ("after", ["serving"])])
def test_what_a_kill_leaves_is_what_was_committed(tmp_path: Path, phase: Any, found: list[str]) -> None:
    command = Command(tmp_path, {})
    cloud = command.start()
    cloud.control.break_at(0, phase)
    request = {"parent": LOCATION, "endpoint_id": "serving", "endpoint": {"display_name": "serving"}}
    thread = threading.Thread(target=swallowed, args=(lambda: cloud.endpoints.create_endpoint(request=request),))
    thread.start()
    stopped = cloud.control.wait_broken()
    command.end(signal.SIGKILL)
    thread.join()
    cloud = command.start()
    running = [cloud.wait(operation["name"]) for operation in cloud.control.objects()["operations"]]
    left = [endpoint["displayName"] for endpoint in cloud.control.objects()["endpoints"]]
    command.end(signal.SIGTERM)

    assert (bool(stopped), all(operation.done for operation in running), left) == (True, True, found)


def swallowed(call: Callable[[], Any]) -> None:
    with contextlib.suppress(ServiceUnavailable):
        call()


def running(pid: int) -> bool:
    """Whether it runs; one that has ended and waits for its parent to notice does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_leftover_is_ended_at_the_next_start(state: Path) -> None:
    left = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    store = Store(state)
    store.put("processes", "left", {"pid": left.pid, "started": started_at(left.pid), "port": 1})
    store.save()
    with life(state):
        assert left.wait(timeout=10) == -signal.SIGKILL
    assert left.stdin is not None
    left.stdin.close()


def test_a_stranger_with_a_leftover_s_pid_is_left_alone(state: Path) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    store = Store(state)
    store.put("processes", "left", {"pid": stranger.pid, "started": "long ago", "port": 1})
    store.save()
    with life(state):
        assert stranger.poll() is None
    stranger.communicate(b"\n", timeout=10)


def test_settings_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"durations": {"deploy_stage": "long"}}')
    command = [sys.executable, "-m", "tpuserve.emulator", "--settings", str(tmp_path / "settings.json")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (found.returncode, "$.durations.deploy_stage" in found.stderr, "Traceback" in found.stderr) == (
        2,
        True,
        False,
    )
