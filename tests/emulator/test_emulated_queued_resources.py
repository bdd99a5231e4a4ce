"""Queued resources and nodes: what is asked for, the way to ACTIVE, and all ways out."""

from typing import Any

import pytest

from tests.emulator.google import THERE, ZONE, Google, refused
from tpuserve.emulator.tpu.tables import DELETABLE_WITHOUT_FORCE, TRANSITIONS

POOL = f"{ZONE}/queuedResources/pool"
BACKWARDS = {"start_time": {"seconds": 2}, "end_time": {"seconds": 1}}
DISK = "projects/my-project/zones/us-east5-b/disks/my-disk"


def nodes(cloud: Google) -> list[Any]:
    return list(cloud.tpu.list_nodes(parent=ZONE))


def delete(cloud: Google, *, force: bool, name: str = POOL) -> Any:
    return cloud.tpu.delete_queued_resource(request={"name": name, "force": force})


def test_a_request_becomes_active(cloud: Google) -> None:
    cloud.active()

    assert cloud.state() == "ACTIVE"


def test_a_request_is_seen_as_soon_as_it_is_made(cloud: Google) -> None:
    cloud.control.hold("create_queued_resource")
    cloud.begin_request()

    assert cloud.state() == "CREATING"


def test_a_request_waits_for_resources(cloud: Google) -> None:
    cloud.control.hold("qr_waiting")
    cloud.done(cloud.begin_request())

    assert (cloud.state(), nodes(cloud)) == ("WAITING_FOR_RESOURCES", [])


def test_a_request_waits_as_accepted_where_the_switch_says_so(cloud: Google) -> None:
    cloud.control.set("waiting_state", "ACCEPTED")
    cloud.control.hold("qr_waiting")
    cloud.done(cloud.begin_request())

    assert cloud.state() == "ACCEPTED"


def test_nodes_are_made_while_it_is_provisioned(cloud: Google) -> None:
    cloud.control.hold("qr_provisioning")
    cloud.done(cloud.begin_request())
    until_state(cloud, "PROVISIONING")

    assert [node.state.name for node in nodes(cloud)] == ["CREATING"] * 3


def until_state(cloud: Google, state: str) -> None:
    for _ in range(2000):
        if cloud.state() == state:
            return
    pytest.fail(f"never became {state}")


def test_nodes_are_ready_when_it_is_active(cloud: Google) -> None:
    cloud.active()

    assert [(node.state.name, node.health.name) for node in nodes(cloud)] == [("READY", "HEALTHY")] * 3


def test_nodes_are_named_by_prefix_and_index(cloud: Google) -> None:
    cloud.active(params={"node_id_prefix": "slice"})

    assert [node.name for node in nodes(cloud)] == [f"{THERE}/nodes/slice-{index}" for index in range(3)]


def test_the_prefix_is_the_request_s_id_where_none_is_given(cloud: Google) -> None:
    cloud.active()

    assert nodes(cloud)[0].name == f"{THERE}/nodes/pool-0"


def test_a_node_knows_its_request(cloud: Google) -> None:
    name = cloud.active()

    assert {node.queued_resource for node in nodes(cloud)} == {name}


def test_a_node_has_an_address_for_each_host(cloud: Google) -> None:
    cloud.active(node={"accelerator_type": "v6e-16"})

    assert [len(node.network_endpoints) for node in nodes(cloud)] == [4, 4, 4]


def test_a_node_is_found_by_its_name(cloud: Google) -> None:
    cloud.active()

    assert cloud.tpu.get_node(name=f"{ZONE}/nodes/pool-1").accelerator_config.topology == "2x4"


def test_a_single_node_has_the_id_it_was_given(cloud: Google) -> None:
    spec = {"node_id": "alone", "multi_node_params": None}
    cloud.active(spec=spec)

    assert [node.name for node in nodes(cloud)] == [f"{THERE}/nodes/alone"]


def test_the_workload_type_is_kept(cloud: Google) -> None:
    cloud.active()
    params = cloud.tpu.get_queued_resource(name=POOL).tpu.node_spec[0].multi_node_params

    assert params.workload_type.name == "AVAILABILITY_OPTIMIZED"


@pytest.mark.parametrize("queued", [{"spot": {}}, {"guaranteed": {"reserved": True}}, {"best_effort": {}}])
def test_the_tier_is_kept(cloud: Google, queued: dict[str, Any]) -> None:
    cloud.active(queued=queued)

    assert set(queued) < {
        field.name
        for field, _ in type(cloud.tpu.get_queued_resource(name=POOL))
        .pb(cloud.tpu.get_queued_resource(name=POOL))
        .ListFields()
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"params": {"node_count": 1}}, ("node_count", "more than 1")),
        ({"params": {"node_id_prefix": "a/b"}}, ("node_id_prefix", "a/b")),
        ({"spec": {"node_id": "n"}}, ("node_id and multi_node_params", "both")),
        ({"spec": {"multi_node_params": None}}, ("node_id and multi_node_params", "neither")),
        ({"spec": {"parent": f"{ZONE[:-1]}a"}}, ("parent", "us-east5-a", "us-east5-b")),
        ({"node": {"accelerator_type": "v6e-5"}}, ("accelerator_type", "v6e-5", "v6e-8")),
        ({"node": {"accelerator_type": ""}}, ("accelerator_type",)),
        ({"node": {"runtime_version": "v2"}}, ("runtime_version", "v2-alpha-tpuv6e")),
        ({"node": {"runtime_version": "v2-alpha-tpuv5-lite"}}, ("runtime_version", "generation")),
        (
            {"node": {"accelerator_type": "v5litepod-8", "runtime_version": "v2-alpha-tpuv5-lite"}},
            ("workload_type", "V5LITE_POD", "V6E"),
        ),
        ({"node": {"accelerator_config": {"type_": "V6E", "topology": "2x4"}}}, ("accelerator_config", "both")),
        ({"node": {"description": "d" * 513}}, ("description", "512")),
        ({"node": {"labels": {"Team": "a"}}}, ("labels", "Team")),
        ({"node": {"data_disks": [{"source_disk": DISK}]}}, ("data_disks", "READ_ONLY")),
        ({"node": {"data_disks": [{"source_disk": "d", "mode": "READ_ONLY"}]}}, ("source_disk", "'d'", "full path")),
        ({"queued": {"reservation_name": "r"}}, ("reservation_name", "'r'", "projects/{project}/locations/{zone}")),
        (
            {
                "queued": {
                    "queueing_policy": {"valid_interval": {"start_time": {"seconds": 2}, "end_time": {"seconds": 1}}}
                }
            },
            ("valid_interval", "1970-01-01T00:00:02Z to 1970-01-01T00:00:01Z"),
        ),
        ({"node": {"network_config": {}, "network_configs": [{}]}}, ("network_configs", "both")),
        ({"queued": {"tpu": {"node_spec": []}}}, ("node_spec", "exactly one")),
    ],
)
def test_a_request_that_cannot_be_is_refused(cloud: Google, change: dict[str, Any], words: tuple[str, ...]) -> None:
    with refused("INVALID_ARGUMENT", *words):
        cloud.begin_request(**change)


def test_an_accelerator_may_be_given_by_generation_and_topology(cloud: Google) -> None:
    cloud.active(node={"accelerator_type": "", "accelerator_config": {"type_": "V6E", "topology": "2x4"}})

    assert nodes(cloud)[0].accelerator_type == "v6e-8"


def test_disks_for_several_hosts_are_kept(cloud: Google) -> None:
    cloud.active(node={"data_disks": [{"source_disk": DISK, "mode": "READ_ONLY"}]})

    assert {(disk.source_disk, disk.mode.name) for node in nodes(cloud) for disk in node.data_disks} == {
        (DISK, "READ_ONLY")
    }


def test_a_disk_for_one_host_may_be_written_to(cloud: Google) -> None:
    cloud.active(node={"data_disks": [{"source_disk": DISK}]}, spec={"node_id": "alone", "multi_node_params": None})

    assert [disk.source_disk for disk in nodes(cloud)[0].data_disks] == [DISK]


def test_hosts_have_external_addresses_where_they_are_asked_for(cloud: Google) -> None:
    cloud.active(node={"network_config": {"enable_external_ips": True}})

    assert all(node.network_endpoints[0].access_config.external_ip for node in nodes(cloud))


def test_hosts_have_no_external_addresses_unasked(cloud: Google) -> None:
    cloud.active()

    assert {node.network_endpoints[0].access_config.external_ip for node in nodes(cloud)} == {""}


def test_a_workload_type_may_be_lost(cloud: Google) -> None:
    cloud.control.set("keeps_workload_type", False)
    cloud.active()
    params = cloud.tpu.get_queued_resource(name=POOL).tpu.node_spec[0].multi_node_params

    assert (params.workload_type.name, params.node_count) == ("WORKLOAD_TYPE_UNSPECIFIED", 3)


def test_tier_and_scheduling_options_may_disagree(cloud: Google) -> None:
    """Google has two places for one thing, and no description says that it compares them."""
    cloud.active(queued={"spot": {}}, node={"scheduling_config": {"reserved": True}})

    assert nodes(cloud)[0].scheduling_config.reserved


def test_a_region_is_no_zone(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "us-east5'", "zone"):
        cloud.tpu.list_nodes(parent=ZONE.removesuffix("-b"))


@pytest.mark.parametrize("identifier", ["a b", "a/b", "ü"])
def test_an_id_has_a_form(cloud: Google, identifier: str) -> None:
    with refused("INVALID_ARGUMENT", "queued_resource_id"):
        cloud.begin_request(identifier)


def test_an_id_in_use_is_refused(cloud: Google) -> None:
    cloud.active()

    with refused("ALREADY_EXISTS", "queuedResources/pool"):
        cloud.begin_request()


@pytest.mark.parametrize("held", [["qr_waiting"], []])
def test_a_node_id_in_use_is_refused(cloud: Google, held: list[str]) -> None:
    for kind in held:
        cloud.control.hold(kind)
    cloud.done(cloud.begin_request(params={"node_id_prefix": "slice"}))

    with refused("ALREADY_EXISTS", "nodes/slice-0"):
        cloud.begin_request("other", params={"node_id_prefix": "slice"})


def test_the_same_request_id_is_the_same_request(cloud: Google) -> None:
    first = cloud.begin_request(request_id="one")

    assert cloud.begin_request(request_id="one").operation.name == first.operation.name


def test_the_same_request_id_deletes_once(cloud: Google) -> None:
    cloud.active()
    request = {"name": POOL, "force": True, "request_id": "two"}
    first = cloud.tpu.delete_queued_resource(request=request)
    cloud.done(first)

    assert cloud.tpu.delete_queued_resource(request=request).operation.name == first.operation.name


def test_without_force_an_active_request_stays(cloud: Google) -> None:
    cloud.active()

    with refused("FAILED_PRECONDITION", "ACTIVE", "SUSPENDED"):
        delete(cloud, force=False)


def test_without_force_a_waiting_request_stays(cloud: Google) -> None:
    cloud.control.hold("qr_waiting")
    cloud.done(cloud.begin_request())

    with refused("FAILED_PRECONDITION", "WAITING_FOR_RESOURCES"):
        delete(cloud, force=False)


@pytest.mark.parametrize("held", [["create_queued_resource"], ["qr_waiting"], ["qr_provisioning"], []])
def test_with_force_a_request_goes_in_any_state(cloud: Google, held: list[str]) -> None:
    for kind in held:
        cloud.control.hold(kind)
    cloud.begin_request()
    cloud.done(delete(cloud, force=True))
    objects = cloud.control.objects()

    assert (objects["queuedResources"], objects["nodes"]) == ([], [])


def test_a_request_is_seen_while_it_is_deleted(cloud: Google) -> None:
    cloud.active()
    cloud.control.hold("delete_queued_resource")
    delete(cloud, force=True)

    assert cloud.state() == "DELETING"


def test_a_request_is_not_deleted_twice_at_a_time(cloud: Google) -> None:
    cloud.active()
    cloud.control.hold("delete_queued_resource")
    delete(cloud, force=True)

    with refused("FAILED_PRECONDITION", "deleted already"):
        delete(cloud, force=True)


def test_preemption_takes_the_nodes(cloud: Google) -> None:
    cloud.active()
    cloud.control.preempt("pool")
    until_state(cloud, "SUSPENDED")

    assert nodes(cloud) == []


def test_preemption_is_the_service_s(cloud: Google) -> None:
    cloud.active()
    cloud.control.hold("qr_suspending")
    cloud.control.preempt("pool")
    state = cloud.tpu.get_queued_resource(name=POOL).state

    assert (state.state.name, state.state_initiator.name) == ("SUSPENDING", "SERVICE")


def test_without_force_a_suspended_request_goes(cloud: Google) -> None:
    cloud.active()
    cloud.control.preempt("pool")
    until_state(cloud, "SUSPENDED")
    cloud.done(delete(cloud, force=False))

    assert cloud.control.objects()["queuedResources"] == []


@pytest.mark.parametrize("kind", ["create_queued_resource", "qr_waiting", "qr_provisioning"])
def test_a_request_that_fails_says_why_and_has_no_nodes(cloud: Google, kind: str) -> None:
    cloud.control.fail_operation(kind, "RESOURCE_EXHAUSTED", "no more capacity")
    cloud.begin_request()
    until_state(cloud, "FAILED")
    error = cloud.tpu.get_queued_resource(name=POOL).state.failed_data.error

    assert (error.code, error.message, nodes(cloud)) == (8, "no more capacity", [])


def test_a_creation_that_fails_ends_its_operation_in_the_error(cloud: Google) -> None:
    cloud.control.fail_operation("create_queued_resource", "PERMISSION_DENIED", "no")

    assert cloud.wait(cloud.begin_request()).error.message == "no"


def delete_node(cloud: Google, name: str) -> None:
    cloud.wait(cloud.tpu.delete_node(name=f"{ZONE}/nodes/{name}"))


def test_deleting_the_node_suspends_its_request(cloud: Google) -> None:
    cloud.active(spec={"node_id": "alone", "multi_node_params": None})
    delete_node(cloud, "alone")
    until_state(cloud, "SUSPENDED")
    state = cloud.tpu.get_queued_resource(name=POOL).state

    assert (state.state_initiator.name, nodes(cloud)) == ("USER", [])


def test_deleting_one_of_several_nodes_leaves_the_request_as_it_is(cloud: Google) -> None:
    cloud.active()
    delete_node(cloud, "pool-1")

    assert (cloud.state(), [node.name[-6:] for node in nodes(cloud)]) == ("ACTIVE", ["pool-0", "pool-2"])


def test_a_node_that_is_being_deleted_is_not_deleted_again(cloud: Google) -> None:
    cloud.active()
    cloud.control.hold("delete_node")
    cloud.tpu.delete_node(name=f"{ZONE}/nodes/pool-1")

    with refused("FAILED_PRECONDITION", "nodes/pool-1"):
        cloud.tpu.delete_node(name=f"{ZONE}/nodes/pool-1")


def test_maintenance_takes_one_slice_of_a_collection_at_a_time(cloud: Google) -> None:
    cloud.active()
    cloud.control.hold("maintenance")
    cloud.control.maintain("pool")
    down = [node for node in until_down(cloud) if node.health.name == "UNHEALTHY_MAINTENANCE"]

    assert [node.upcoming_maintenance.maintenance_status.name for node in down] == ["ONGOING"]


def test_maintenance_takes_all_nodes_of_another_request(cloud: Google) -> None:
    cloud.active(params={"workload_type": "THROUGHPUT_OPTIMIZED"})
    cloud.control.hold("maintenance")
    cloud.control.maintain("pool")

    assert {node.health.name for node in until_down(cloud)} == {"UNHEALTHY_MAINTENANCE"}


def until_down(cloud: Google) -> list[Any]:
    for _ in range(2000):
        found = nodes(cloud)
        if any(node.health.name == "UNHEALTHY_MAINTENANCE" for node in found):
            return found
    pytest.fail("no node is under maintenance")


def test_every_slice_is_back_after_maintenance(cloud: Google) -> None:
    cloud.active()
    cloud.control.hold("maintenance")
    cloud.control.maintain("pool")
    until_down(cloud)
    cloud.control.release("maintenance")

    for _ in range(2000):
        if {node.health.name for node in nodes(cloud)} == {"HEALTHY"}:
            break
    assert {(node.health.name, bool(node.upcoming_maintenance)) for node in nodes(cloud)} == {("HEALTHY", False)}


def test_states_lead_to_states() -> None:
    assert {target for targets in TRANSITIONS.values() for target in targets} | {"CREATING"} == set(TRANSITIONS)


def test_every_state_leads_to_the_end() -> None:
    assert [state for state, targets in TRANSITIONS.items() if state != "DELETING" and "DELETING" not in targets] == []


def test_what_may_be_deleted_without_force_are_states() -> None:
    assert set(DELETABLE_WITHOUT_FORCE) < set(TRANSITIONS)
