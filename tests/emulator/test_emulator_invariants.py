"""What holds whatever is asked for: quota, splits, nodes, operations, and that a restart changes nothing."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import GoogleAPICallError
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.emulator.google import LOCATION, ZONE, Google, google
from tpuserve.emulator import Durations, Emulator, Settings

REFUSALS = ("INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "ABORTED")
SLICES, CHIPS = 40, 6
LIMITS = {
    "TPUV6EPerProjectPerZoneForTPUAPI": {"*": SLICES},
    "CustomModelServingV6ETPUPerProjectPerRegion": {"*": CHIPS},
}
STEP = Durations(
    upload_model=5, deploy_stage=3, undeploy_model=4, mutate_deployed_model=4, qr_waiting=20, qr_deleting=6
)
FEW = settings(max_examples=15, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ENDPOINT, POOLS = f"{LOCATION}/endpoints/e", st.sampled_from(["a", "b", "c"])


@contextlib.contextmanager
def tolerated() -> Iterator[None]:
    """A refusal is an answer, a fault of the emulator is none."""
    try:
        yield
    except GoogleAPICallError as error:
        if error.grpc_status_code is None or error.grpc_status_code.name not in REFUSALS:
            raise


class Whole(RuleBasedStateMachine):
    """Everything at once on one emulator, whose time stands still between the steps."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._stack = contextlib.ExitStack()
        self._begin()
        self.cloud.endpoints.create_endpoint(parent=LOCATION, endpoint_id="e", endpoint={"display_name": "e"})
        self.cloud.begin_upload()
        self.cloud.control.advance(60)

    def _begin(self) -> None:
        # less than what all ask for together, so that some wait and some find no machine
        capacity = {"us-east5-b": {"v6e": 24}, "us-east5": {"v6e": 4}}
        given = Settings(clock="virtual", durations=STEP, quotas=LIMITS, capacity=capacity)
        emulator = Emulator(given, state=Path(self._folder.name) / "state.json")
        self.cloud: Google = self._stack.enter_context(google(self._stack.enter_context(emulator.running())))

    @rule(name=POOLS, count=st.integers(2, 3))
    def request(self, name: str, count: int) -> None:
        with tolerated():
            self.cloud.begin_request(name, params={"node_count": count})

    @rule(name=POOLS, force=st.booleans())
    def delete(self, name: str, force: bool) -> None:
        with tolerated():
            self.cloud.tpu.delete_queued_resource(request={"name": f"{ZONE}/queuedResources/{name}", "force": force})

    @rule(name=POOLS)
    def reset(self, name: str) -> None:
        with tolerated():
            self.cloud.tpu.reset_queued_resource(name=f"{ZONE}/queuedResources/{name}")

    @rule(name=POOLS)
    def preempt(self, name: str) -> None:
        active = [found for found in self._objects()["queuedResources"] if found["state"] == "ACTIVE"]
        if any(found["name"].endswith(f"/{name}") for found in active):
            self.cloud.control.preempt(name)

    @rule(highest=st.integers(1, 4), share=st.sampled_from([{}, {"0": 100}]))
    def deploy(self, highest: int, share: dict[str, int]) -> None:
        with tolerated():
            resources = {"max_replica_count": highest}
            self.cloud.begin_deploy(ENDPOINT, f"{LOCATION}/models/digits", split=share, resources=resources)

    @rule(index=st.integers(0, 3), highest=st.integers(1, 6))
    def mutate(self, index: int, highest: int) -> None:
        for identifier in self._deployed()[index : index + 1]:
            with tolerated():
                self.cloud.endpoints.mutate_deployed_model(
                    endpoint=ENDPOINT,
                    deployed_model={"id": identifier, "dedicated_resources": {"max_replica_count": highest}},
                    update_mask={"paths": ["dedicated_resources.max_replica_count"]},
                )

    @rule(index=st.integers(0, 3), heir=st.integers(0, 3))
    def undeploy(self, index: int, heir: int) -> None:
        split = dict.fromkeys(self._deployed()[heir : heir + 1], 100)
        for identifier in self._deployed()[index : index + 1]:
            with tolerated():
                self.cloud.endpoints.undeploy_model(
                    endpoint=ENDPOINT, deployed_model_id=identifier, traffic_split=split
                )

    @rule(shares=st.lists(st.sampled_from([0, 30, 50, 70, 100]), max_size=3))
    def split(self, shares: list[int]) -> None:
        with tolerated():
            self.cloud.update_split(ENDPOINT, dict(zip(self._deployed(), shares, strict=False)))

    @rule(seconds=st.sampled_from([1, 4, 10, 60]))
    def advance(self, seconds: int) -> None:
        self.cloud.control.advance(seconds)

    @rule()
    def restart(self) -> None:
        before = self._objects()
        self._stack.close()
        self._begin()

        assert self._objects() == before

    @invariant()
    def a_split_sums_to_100_or_is_empty(self) -> None:
        (endpoint,) = self._objects()["endpoints"]
        known = {model["id"] for model in endpoint["deployedModels"]}

        assert sum(endpoint["trafficSplit"].values()) in {0, 100}
        assert {*endpoint["trafficSplit"]} <= known

    @invariant()
    def quota_is_never_exceeded(self) -> None:
        assert [row for row in self.cloud.control.quotas() if row["used"] > row["limit"]] == []

    @invariant()
    def no_node_is_without_its_request(self) -> None:
        objects = self._objects()
        requests = {found["name"] for found in objects["queuedResources"]}

        assert {node["queuedResource"] for node in objects["nodes"]} <= requests

    def teardown(self) -> None:
        self.cloud.control.set("capacity", None)
        self.cloud.control.advance(3600)
        running = self._objects()["operations"]
        self._stack.close()
        self._folder.cleanup()

        assert running == []

    def _objects(self) -> dict[str, Any]:
        return self.cloud.control.objects()

    def _deployed(self) -> list[str]:
        (endpoint,) = self._objects()["endpoints"]
        return [model["id"] for model in endpoint["deployedModels"]]


@pytest.mark.timeout(240)
def test_what_always_holds() -> None:
    run_state_machine_as_test(Whole, settings=FEW)
