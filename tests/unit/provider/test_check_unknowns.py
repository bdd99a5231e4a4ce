"""Check and Diff of arguments of which some are not known yet, or are of any type: never a failure, never a crash."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire import programs
from tests.wire.programs import changed
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.server import LIFECYCLES

CONFIG = ProviderConfig(programs.PROJECT, programs.LOCATION, programs.ZONE, programs.OWNER)
PLACE = f"projects/{programs.PROJECT}/locations/{programs.LOCATION}"
VALID: dict[str, dict[str, Any]] = {
    programs.QUEUED_RESOURCE: programs.collection(
        waitFor="ACTIVE",
        onSuspended="KEEP",
        spot={},
        recreate="a",
        queueingPolicy={"validInterval": {"startTime": "2026-12-01T00:00:00Z", "endTime": "2026-12-02T00:00:00Z"}},
        reservationName="projects/tpuserve-local/locations/us-east5-b/reservations/-",
        **{
            "tpu.nodeSpec.0.node.acceleratorType": None,
            "tpu.nodeSpec.0.node.acceleratorConfig": {"type": "V6E", "topology": "2x4"},
            "tpu.nodeSpec.0.node.networkConfig": {
                "network": "projects/host-project/global/networks/shared",
                "subnetwork": "projects/host-project/regions/us-east5/subnetworks/tpus",
                "queueCount": 4,
            },
            "tpu.nodeSpec.0.node.dataDisks": [
                {"sourceDisk": "projects/tpuserve-local/zones/us-east5-b/disks/weights", "mode": "READ_ONLY"}
            ],
            "tpu.nodeSpec.0.node.bootDiskConfig": {
                "customerEncryptionKey": {"kmsKeyName": "projects/p/locations/us-east5/keyRings/r/cryptoKeys/k"}
            },
            "tpu.nodeSpec.0.node.schedulingConfig": {"spot": True},
            "tpu.nodeSpec.0.node.labels": {"a": "b"},
            "tpu.nodeSpec.0.node.tags": ["x"],
            "tpu.nodeSpec.0.multiNodeParams.nodeIdPrefix": "dig",
        },
    ),
    programs.MODEL: programs.model(
        labels={"a": "b"},
        versionAliases=["champion"],
        recreate="a",
        **{"containerSpec.env": [{"name": "A", "value": "b"}], "containerSpec.deploymentTimeout": "60s"},
    ),
    programs.ENDPOINT: programs.endpoint(dedicatedEndpointEnabled=True, description="text"),
    programs.DEPLOYMENT: programs.deployment(
        f"{PLACE}/endpoints/e",
        f"{PLACE}/models/m@1",
        trafficSplit={"stable": 90, "canary": 10},
        onFailure="KEEP",
        paused=False,
        allowOutage=True,
        **{
            "deployedModels.canary": programs.variant(f"{PLACE}/models/m@2", id="7", strategy="UNDEPLOY_FIRST"),
            "deployedModels.stable.deletionProtection": True,
            "deployedModels.stable.dedicatedResources.machineSpec.reservationAffinity": {
                "reservationAffinityType": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": ["projects/p/zones/z/reservations/r"],
            },
        },
    ),
}
TOKENS = sorted(VALID)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 99999) | st.floats(-2, 1e9) | st.text(max_size=8) | st.just(UNKNOWN),
    lambda item: st.lists(item, max_size=3) | st.dictionaries(st.text(max_size=8), item, max_size=3),
    max_leaves=6,
)


def paths(value: Any, prefix: str = "") -> Iterator[str]:
    """Every path below `value`, inner ones too."""
    items = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, item in items:
        yield f"{prefix}{key}"
        yield from paths(item, f"{prefix}{key}.")


def replaced(args: dict[str, Any], chosen: list[str], value: Any) -> dict[str, Any]:
    """`args` with `value` at each path; one below another that was replaced already is passed over."""
    for path in sorted(chosen):
        if not any(path.startswith(f"{other}.") for other in chosen):
            args = changed(args, {path: value})
    return args


@st.composite
def partly_unknown(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    token = draw(st.sampled_from(TOKENS))
    chosen = draw(st.lists(st.sampled_from(sorted(paths(VALID[token]))), unique=True))
    return token, replaced(VALID[token], chosen, UNKNOWN)


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Valid arguments with anything at all at one place or two."""
    token = draw(st.sampled_from(TOKENS))
    args = VALID[token]
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(sorted(paths(args)) or [""]))
        args = replaced(args, [path], draw(JSON.filter(lambda value: value is not None))) if path else args
    return token, args


def check(token: str, args: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    urn = f"urn:pulumi:s::p::{token}::r"
    return Checker(CONFIG).check(LIFECYCLES[token].definition, urn, {}, args, Autonaming())


@pytest.mark.parametrize("token", TOKENS)
def test_valid_arguments_have_no_fault(token: str) -> None:
    assert check(token, VALID[token])[1] == []


@given(partly_unknown())
def test_unknown_is_never_a_fault(case: tuple[str, dict[str, Any]]) -> None:
    assert check(*case)[1] == []


@given(spoiled())
def test_check_answers_whatever_it_is_given(case: tuple[str, dict[str, Any]]) -> None:
    inputs, faults = check(*case)

    assert (isinstance(inputs, dict), all(fault.path and fault.message for fault in faults)) == (True, True)


@pytest.mark.parametrize(
    "path", ["tpu.nodeSpec.0.nodeId", "guaranteed", "bestEffort", "tpu.nodeSpec.0.node.acceleratorType"]
)
def test_second_of_two_that_exclude_each_other_may_turn_out_to_be_absent(path: str) -> None:
    assert check(programs.QUEUED_RESOURCE, changed(VALID[programs.QUEUED_RESOURCE], {path: UNKNOWN}))[1] == []
