"""What Check says of one variant, each with its path; all of it at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.serving import POOL, STABLE, URN
from tpuserve.testing.wire import Wire

PLACE = f"projects/{programs.PROJECT}/locations/{programs.LOCATION}"
MACHINE = f"{STABLE}.dedicatedResources.machineSpec"
METRIC = "aiplatform.googleapis.com/prediction/online/cpu/utilization"


async def failures(wire: Wire, **changes: Any) -> dict[str, str]:
    args = programs.deployment(f"{PLACE}/endpoints/e", f"{PLACE}/models/m@1", **changes)
    return (await wire.check(URN, args)).failures


SPECIFIC = {"reservationAffinityType": "SPECIFIC_RESERVATION"}
ROWS: list[tuple[dict[str, Any], str, str]] = [
    ({f"{STABLE}.id": "12345678901"}, f"{STABLE}.id", "1 to 10 digits"),
    ({f"{STABLE}.id": "a"}, f"{STABLE}.id", "1 to 10 digits"),
    ({f"{STABLE}.sharedResources": POOL}, STABLE, "needs exactly one of dedicatedResources and sharedResources; both"),
    (
        {f"{STABLE}.dedicatedResources": None},
        STABLE,
        "needs exactly one of dedicatedResources and sharedResources; neith",
    ),
    ({f"{STABLE}.sharedResources": "pool"}, f"{STABLE}.sharedResources", "deploymentResourcePools/ID"),
    ({f"{MACHINE}.tpuTopology": "1x1"}, f"{MACHINE}.tpuTopology", "leave it out for a single host"),
    ({f"{MACHINE}.tpuTopology": "4x4"}, f"{MACHINE}.tpuTopology", "serves as a single host"),
    ({f"{MACHINE}.reservationAffinity": SPECIFIC}, f"{MACHINE}.reservationAffinity.key", "compute.googleapis.com"),
    ({f"{MACHINE}.reservationAffinity": SPECIFIC}, f"{MACHINE}.reservationAffinity.values", "full names"),
    ({f"{STABLE}.strategy": "FIRST"}, f"{STABLE}.strategy", "BESIDE, UNDEPLOY_FIRST"),
    (
        {f"{STABLE}.dedicatedResources.autoscalingMetricSpecs": [{"metricName": METRIC, "target": 0}]},
        f"{STABLE}.dedicatedResources.autoscalingMetricSpecs",
        "1 to 100",
    ),
]


@pytest.mark.parametrize(("changes", "path", "message"), ROWS, ids=[f"{row[1]}: {row[2][:30]}" for row in ROWS])
async def test_fault_has_its_path(wire: Wire, changes: dict[str, Any], path: str, message: str) -> None:
    assert message in (await failures(wire, **changes))[path]


async def test_several_hosts_and_a_named_reservation_are_taken(wire: Wire) -> None:
    named = {
        **SPECIFIC,
        "key": "compute.googleapis.com/reservation-name",
        "values": ["projects/p/zones/us-east5-b/reservations/r"],
    }
    machine = {"machineType": "ct6e-standard-4t", "tpuTopology": "4x4", "reservationAffinity": named}

    assert await failures(wire, **{MACHINE: machine}) == {}


async def test_every_fault_is_told_at_once(wire: Wire) -> None:
    found = await failures(
        wire,
        **{
            f"{STABLE}.id": "x",
            f"{MACHINE}.tpuTopology": "9x9",
            f"{MACHINE}.reservationAffinity": SPECIFIC,
            "trafficSplit": {"stable": 90},
        },
    )

    affinity = f"{MACHINE}.reservationAffinity"
    paths = {f"{STABLE}.id", f"{MACHINE}.tpuTopology", f"{affinity}.key", f"{affinity}.values", "trafficSplit"}
    assert set(found) == paths
