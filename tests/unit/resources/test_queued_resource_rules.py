"""What Check says of a queued resource's arguments: each fault at its path, before anything is asked of Google."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.wire import programs
from tests.wire.programs import changed
from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator.tpu.tables import ACCELERATOR_TYPES
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.resources.check import normalize
from tpuserve.resources.fields import shape_of
from tpuserve.resources.node import AcceleratorConfigArgs
from tpuserve.resources.queued_resource import DEFINITION

CONFIG = ProviderConfig(programs.PROJECT, programs.LOCATION, programs.ZONE, programs.OWNER)
SPEC, NODE = "tpu.nodeSpec.0.", "tpu.nodeSpec.0.node."
PATH = "tpu.nodeSpec[0].node"
DISK = "projects/tpuserve-local/zones/us-east5-b/disks/weights"
BY_TOPOLOGY = {f"{NODE}acceleratorType": None, f"{NODE}acceleratorConfig": {"type": "V6E", "topology": "2x4"}}
ALONE = {f"{SPEC}multiNodeParams": None, f"{SPEC}nodeId": "alone"}
RESERVATION = "projects/owner-project/locations/us-east5-b/reservations/r"


def faults(changes: dict[str, Any]) -> dict[str, str]:
    """Path -> message of each fault of the collection with these changes."""
    urn = f"urn:pulumi:s::p::{DEFINITION.token}::r"
    found = Checker(CONFIG).check(
        DEFINITION, urn, {}, changed(programs.collection(), copy.deepcopy(changes)), Autonaming()
    )[1]
    return {fault.path: fault.message for fault in found}


ACCEPTED: list[dict[str, Any]] = [
    BY_TOPOLOGY,
    ALONE,
    {"spot": {}, f"{NODE}schedulingConfig": {"spot": True}},
    {"bestEffort": {}},
    {"provisioningModel": "FLEX_START"},
    {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "604800s"}},
    {"provisioningModel": "FLEX_START", "runDuration": {"terminationTime": "2040-01-01T00:00:00Z"}},
    {"provisioningModel": "FLEX_START", "queueingPolicy": {"validUntilDuration": "3600s"}},
    {"provisioningModel": "SPOT", "spot": {}},
    {"provisioningModel": "STANDARD", "guaranteed": {}},
    {"provisioningModel": "RESERVATION_BOUND", "reservationName": RESERVATION},
    {"provisioningModel": "RESERVATION_BOUND", "guaranteed": {"reserved": True}},
    {"runDuration": {"maxRunDuration": "999999s"}},
    {"guaranteed": {"reserved": True, "minDuration": "3600s"}, "reservationName": RESERVATION},
    {"guaranteed": {"reserved": True}, "reservationName": "folders/1/locations/us-east5-b/reservations/-"},
    {f"{NODE}networkConfig": {"network": "n", "enableExternalIps": False, "canIpForward": True, "queueCount": 8}},
    {f"{NODE}networkConfig": {"subnetwork": "projects/host-project/regions/us-east5/subnetworks/tpus"}},
    {f"{NODE}dataDisks": [{"sourceDisk": DISK, "mode": "READ_ONLY"}]},
    {f"{NODE}dataDisks": [{"sourceDisk": DISK}], **ALONE},
    {f"{NODE}bootDiskConfig": {"enableConfidentialCompute": True}},
    {f"{NODE}shieldedInstanceConfig": {"enableSecureBoot": True}},
    {f"{NODE}description": "d" * 512},
    {"queueingPolicy": {"validUntilTime": "2026-12-01T08:00:00Z"}},
]


@pytest.mark.parametrize("changes", ACCEPTED)
def test_accepted(changes: dict[str, Any]) -> None:
    assert faults(changes) == {}


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({f"{NODE}acceleratorType": None}, PATH, "exactly one of acceleratorType (v6e-8) and acceleratorConfig"),
    ({f"{NODE}acceleratorConfig": {"type": "V6E", "topology": "2x4"}}, PATH, "exactly one of acceleratorType"),
    ({**BY_TOPOLOGY, f"{NODE}acceleratorConfig.topology": "4x2"},
     f"{PATH}.acceleratorConfig.topology", "did you mean 2x4?; allowed: 1x1 (v6e-1), 2x2 (v6e-4)"),
    ({**BY_TOPOLOGY, f"{NODE}acceleratorConfig.type": "V5P"}, f"{PATH}.acceleratorConfig.type", "V5LITE_POD, V6E"),
    ({**BY_TOPOLOGY, f"{NODE}acceleratorConfig.topology": None}, f"{PATH}.acceleratorConfig.topology", "is required"),
    ({**BY_TOPOLOGY, f"{NODE}runtimeVersion": "v2-alpha-tpuv5-lite"}, f"{PATH}.runtimeVersion", "v6e-8 is v6e"),
    ({**BY_TOPOLOGY, "zone": "us-west4-a"}, "zone", "has no Trillium (v6e), which v6e-8 needs"),
    ({**BY_TOPOLOGY, f"{NODE}acceleratorConfig.type": "V5LITE_POD", f"{NODE}runtimeVersion": "v2-alpha-tpuv5-lite",
      "zone": "us-west4-a"}, f"{PATH}.acceleratorConfig.type", "Trillium (v6e) only"),
    ({"bestEffort": {}, "spot": {}}, "bestEffort", "together with spot"),
    ({"bestEffort": {}, "guaranteed": {}}, "bestEffort", "together with guaranteed"),
    ({"provisioningModel": "FLEX_START", "spot": {}}, "provisioningModel", "together with spot"),
    ({"provisioningModel": "FLEX_START", "guaranteed": {}}, "provisioningModel", "together with guaranteed"),
    ({"provisioningModel": "FLEX_START", "bestEffort": {}}, "provisioningModel", "together with bestEffort"),
    ({"provisioningModel": "FLEX_START", "reservationName": RESERVATION}, "provisioningModel", "reservationName"),
    ({"provisioningModel": "FLEX_START", f"{NODE}schedulingConfig": {"preemptible": True}},
     f"{PATH}.schedulingConfig.preemptible", "true contradicts FLEX_START"),
    ({"provisioningModel": "STANDARD", "spot": {}}, "provisioningModel", "together with spot"),
    ({"provisioningModel": "SPOT"}, "provisioningModel", "spot: {}"),
    ({"provisioningModel": "SPOT", "guaranteed": {}}, "provisioningModel", "together with guaranteed"),
    ({"provisioningModel": "RESERVATION_BOUND"}, "provisioningModel", "needs a reservation"),
    ({"provisioningModel": "RESERVATION_BOUND", "guaranteed": {}}, "provisioningModel", "needs a reservation"),
    ({"provisioningModel": "RESERVATION_BOUND", "spot": {}, "reservationName": RESERVATION},
     "provisioningModel", "together with spot"),
    ({"provisioningModel": "FLEXIBLE"}, "provisioningModel", "STANDARD, SPOT, RESERVATION_BOUND, FLEX_START"),
    ({"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "604801s"}},
     "runDuration.maxRunDuration", "at most 604800s, which is 7 days"),
    ({"runDuration": {"maxRunDuration": "0s"}}, "runDuration.maxRunDuration", "more than 0s"),
    ({"runDuration": {"maxRunDuration": "1h"}}, "runDuration.maxRunDuration", "'1h' is not a duration"),
    ({"runDuration": {"terminationTime": "tomorrow"}}, "runDuration.terminationTime", "RFC 3339"),
    ({"runDuration": {}}, "runDuration", "says nothing"),
    ({"guaranteed": {"minDuration": "1h"}}, "guaranteed.minDuration", "'1h' is not a duration"),
    ({"guaranteed": {"minDuration": "999999999999s"}}, "guaranteed.minDuration", "too long"),
    ({"queueingPolicy": {"validUntilTime": "tomorrow"}}, "queueingPolicy.validUntilTime", "RFC 3339"),
    ({"queueingPolicy": {"validUntilDuration": "1s", "validAfterDuration": "1s"}}, "queueingPolicy", "exactly one"),
    ({"queueingPolicy": {}}, "queueingPolicy", "says nothing"),
    ({"reservationName": "r"}, "reservationName", "projects/PROJECT/locations/ZONE/reservations/RESERVATION"),
    ({"reservationName": RESERVATION.replace("-b/", "-a/")}, "reservationName", "is in us-east5-a"),
    ({f"{NODE}networkConfig": {"network": "projects/host-project/networks/n"}},
     f"{PATH}.networkConfig.network", "projects/HOST_PROJECT/global/networks/NETWORK"),
    ({f"{NODE}networkConfig": {"subnetwork": "projects/host-project/regions/us-east1/subnetworks/s"}},
     f"{PATH}.networkConfig.subnetwork", "is in us-east1, and the slices are in us-east5-b"),
    ({f"{NODE}networkConfig": {"queueCount": 0}}, f"{PATH}.networkConfig.queueCount", "0 is not a count"),
    ({f"{NODE}dataDisks": [{"sourceDisk": DISK}]}, f"{PATH}.dataDisks[0].mode", "use READ_ONLY"),
    ({f"{NODE}dataDisks": [{"sourceDisk": DISK, "mode": "READ_WRITE"}], **ALONE, f"{NODE}acceleratorType": "v6e-16"},
     f"{PATH}.dataDisks[0].mode", "use READ_ONLY"),
    ({f"{NODE}dataDisks": [{"sourceDisk": "weights", "mode": "READ_ONLY"}]},
     f"{PATH}.dataDisks[0].sourceDisk", "projects/PROJECT/zones/ZONE/disks/DISK"),
    ({f"{NODE}dataDisks": [{"sourceDisk": DISK.replace("-b/", "-a/"), "mode": "READ_ONLY"}]},
     f"{PATH}.dataDisks[0].sourceDisk", "is in us-east5-a"),
    ({f"{NODE}bootDiskConfig": {"customerEncryptionKey": {"kmsKeyName": "k"}}},
     f"{PATH}.bootDiskConfig.customerEncryptionKey.kmsKeyName", "cryptoKeys/KEY"),
    ({f"{NODE}schedulingConfig": {"spot": True}}, f"{PATH}.schedulingConfig.spot", "spot: {}"),
    ({f"{NODE}description": "d" * 513}, f"{PATH}.description", "513 characters; allowed: at most 512"),
    ({f"{SPEC}multiNodeParams.nodeCount": 2**31}, "tpu.nodeSpec[0].multiNodeParams.nodeCount", "is not a count"),
]  # fmt: skip


@pytest.mark.parametrize("row", REFUSED, ids=[f"{path}: {words}" for _, path, words in REFUSED])
def test_refused(row: tuple[dict[str, Any], str, str]) -> None:
    changes, path, words = row

    found = faults(changes)

    assert list(found) == [path]
    assert words in found[path]


@pytest.mark.parametrize(
    ("path", "words"),
    [("provisioning_model", "provisioningModel: FLEX_START"), ("run_duration", "runDuration: {"),
     ("flex_start", "provisioningModel: FLEX_START"), ("flexStart", "provisioningModel: FLEX_START"),
     (f"{NODE}schedulingConfig.provisioningModel", "provisioningModel: FLEX_START"),
     (f"{NODE}maxRunDuration", "runDuration: {"), ("spot.runDuration", "runDuration: {")],
)  # fmt: skip
def test_flex_start_in_another_place_is_told_its_own(path: str, words: str) -> None:
    (message,) = faults({path: "x"}).values()

    assert words in message


def test_a_model_is_taken_in_the_spelling_of_gcloud() -> None:
    assert normalize(DEFINITION.shape, {"provisioningModel": "flex-start"}) == {"provisioningModel": "FLEX_START"}


def test_a_model_that_is_not_known_yet_is_no_fault() -> None:
    assert faults({"provisioningModel": UNKNOWN, "spot": {}, "runDuration": {"maxRunDuration": "999999s"}}) == {}


def test_an_accelerator_that_may_turn_out_to_be_absent_is_no_fault() -> None:
    assert faults({f"{NODE}acceleratorConfig": UNKNOWN}) == {}


def test_generations_that_an_accelerator_config_takes_are_the_catalog_s() -> None:
    (kind, _) = shape_of(AcceleratorConfigArgs).arguments

    assert set(kind.shape.allowed) == {each.accelerator for each in catalog.generations().values()}


@pytest.mark.parametrize("name", sorted(ACCELERATOR_TYPES))
def test_type_and_topology_name_one_slice(name: str) -> None:
    known = ACCELERATOR_TYPES[name]
    found = catalog.accelerator_of_config(known.generation, known.topology)

    assert found
    assert (found.name, found.hosts) == (name, known.hosts)
