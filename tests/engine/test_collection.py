"""A collection that Google suspends or fails, and a create whose answer is lost."""

from typing import Any

import pytest

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.programs import Collection
from tests.engine.harness.stack import Stack

KEPT = Collection()
REPLACED = Collection(args={"on_suspended": "REPLACE"})
FULL: dict[str, Any] = {
    "spot": {},
    "queueing_policy": {"valid_until_duration": "3600.0s"},
    "reservation_name": "projects/tpuserve-local/locations/us-east5-b/reservations/-",
    "tpu": {
        "node_spec": [
            {
                "multi_node_params": {"node_count": 2, "workload_type": "AVAILABILITY-OPTIMIZED"},
                "node": {
                    "accelerator_config": {"type": "V6E", "topology": "2x4"},
                    "runtime_version": "v2-alpha-tpuv6e",
                    "network_config": {"network": "projects/host-project/global/networks/shared", "queue_count": 4},
                    "data_disks": [
                        {"source_disk": "projects/tpuserve-local/zones/us-east5-b/disks/d", "mode": "READ_ONLY"}
                    ],
                    "boot_disk_config": {
                        "customer_encryption_key": {
                            "kms_key_name": "projects/p/locations/us-east5/keyRings/r/cryptoKeys/k"
                        }
                    },
                    "shielded_instance_config": {"enable_secure_boot": True},
                    "scheduling_config": {"spot": True},
                },
            }
        ]
    },
}


def states(cloud: Cloud) -> list[str]:
    return [item["state"] for item in cloud.objects("queuedResources")]


def suspend(stack: Stack, cloud: Cloud, program: Collection) -> None:
    stack.up(program)
    cloud.control.preempt(cloud.objects("queuedResources")[0]["name"])


def test_suspended_collection_is_kept_and_told(stack: Stack, cloud: Cloud) -> None:
    suspend(stack, cloud, KEPT)

    stack.refresh()

    assert stack.resource("c")["outputs"]["state"]["state"] == "SUSPENDED"
    with cloud.recorded() as calls:
        stack.up(KEPT)
    assert calls.changing == []


def test_suspended_collection_is_replaced_where_it_was_asked_for(stack: Stack, cloud: Cloud) -> None:
    suspend(stack, cloud, REPLACED)
    preview = stack.preview(REPLACED)
    assert preview.diff("c") == {"state.state": "update-replace"}

    with cloud.recorded() as calls:
        stack.up(REPLACED)

    assert calls.changing == ["DeleteQueuedResource", "CreateQueuedResource"], "its name is given up first"
    assert states(cloud) == ["ACTIVE"]


def test_failed_collection_is_in_the_state_and_asked_for_again(stack: Stack, cloud: Cloud) -> None:
    cloud.control.fail_operation("qr_provisioning", "INTERNAL", "the slices did not come up")
    run = stack.fails("up", KEPT)
    assert "the queued resource failed: the slices did not come up" in run.output
    assert stack.resource("c")["outputs"]["state"]["state"] == "FAILED"

    with cloud.recorded() as calls:
        stack.up(KEPT)

    assert calls.changing == ["DeleteQueuedResource", "CreateQueuedResource"]
    assert states(cloud) == ["ACTIVE"]


@pytest.mark.parametrize("times", [1, 4])
def test_create_whose_answer_is_lost_makes_one(stack: Stack, cloud: Cloud, times: int) -> None:
    cloud.control.fail("CreateQueuedResource", "UNAVAILABLE", "the connection was lost", times=times, phase="after")

    stack.up(KEPT)

    assert states(cloud) == ["ACTIVE"]
    stack.unchanged(KEPT)


def test_preview_of_a_suspended_collection_says_what_it_holds(stack: Stack, cloud: Cloud) -> None:
    suspend(stack, cloud, KEPT)

    preview = stack.preview(KEPT)

    assert "SUSPENDED by Google (stateInitiator SERVICE). It holds quota for 24 chips of v6e" in preview.output


def test_every_argument_of_a_slice_comes_back_without_a_difference(stack: Stack, cloud: Cloud) -> None:
    program = Collection(args=FULL)
    stack.up(program)
    stack.refresh()

    stack.unchanged(program)
