"""Identifiers, at the edges of what Google allows."""

import pytest

from tpuserve import catalog

GOOD = [
    ("queuedResourceId", "digits-3f"),
    ("nodeId", "a.b~c+d%e_f"),
    ("modelId", "_digits-1"),
    ("modelId", "a" * 63),
    ("endpointId", "a"),
    ("endpointId", "digits-1"),
    ("endpointId", "123456789"),
    ("deployedModelId", "0"),
    ("deployedModelId", "1234567890"),
    ("versionAlias", "v1"),
    ("versionAlias", "aB-1"),
    ("versionId", "3"),
    ("variant", "canary-2"),
    ("labelKey", "größe"),
    ("labelKey", "a" * 63),
    ("deployedModelDisplayName", "a" * 91),
    ("labelValue", ""),
    ("zone", "us-central1-ai1"),
    ("project", "tpuserve-local"),
    ("project", "example.com:my-project"),
    ("project", "123456789012"),
    ("networkConfig.network", "default"),
    ("networkConfig.network", "global/networks/default"),
    ("networkConfig.network", "projects/host-project/global/networks/shared"),
    ("networkConfig.network", "https://www.googleapis.com/compute/v1/projects/p/global/networks/n"),
    ("networkConfig.subnetwork", "tpus"),
    ("networkConfig.subnetwork", "projects/host-project/regions/us-east5/subnetworks/tpus"),
    ("dataDisks.sourceDisk", "projects/my-project/zones/us-central1-c/disks/my-disk"),
    ("dataDisks.sourceDisk", "projects/my-project/regions/us-central1/disks/my-disk"),
    ("customerEncryptionKey.kmsKeyName", "projects/p/locations/us-east5/keyRings/r/cryptoKeys/k"),
    ("customerEncryptionKey.kmsKeyName", "projects/p/locations/us-east5/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1"),
    ("reservationName", "projects/p/locations/us-east5-b/reservations/r"),
    ("reservationName", "projects/p/locations/us-east5-b/reservations/-"),
    ("reservationName", "folders/12/locations/us-east5-b/reservations/-"),
    ("reservationName", "organizations/12/locations/us-east5-b/reservations/-"),
]
BAD = [
    ("queuedResourceId", "my digits"),
    ("queuedResourceId", ""),
    ("modelId", "1digits"),
    ("modelId", "-digits"),
    ("modelId", "Digits"),
    ("modelId", "a" * 64),
    ("endpointId", "digits-"),
    ("endpointId", "0123"),
    ("endpointId", "1234567890"),
    ("deployedModelId", "12345678901"),
    ("deployedModelId", "12a"),
    ("versionId", "0"),
    ("versionId", "v3"),
    ("versionAlias", "1"),
    ("versionAlias", "a"),
    ("versionAlias", "v-"),
    ("variant", "4711"),
    ("variant", "Canary"),
    ("labelKey", "Team"),
    ("labelKey", "1st"),
    ("labelKey", "_a"),
    ("labelKey", "a" * 64),
    ("labelValue", "a" * 64),
    ("deployedModelDisplayName", "a" * 92),
    ("labelValue", "a b"),
    ("zone", "us-east5"),
    ("project", "ab"),
    ("networkConfig.network", "projects/host-project/networks/shared"),
    ("networkConfig.network", "Default"),
    ("networkConfig.subnetwork", "projects/host-project/subnetworks/tpus"),
    ("networkConfig.subnetwork", "projects/host-project/regions/us-east5-b/subnetworks/tpus"),
    ("dataDisks.sourceDisk", "my-disk"),
    ("customerEncryptionKey.kmsKeyName", "k"),
    ("reservationName", "r"),
    ("reservationName", "projects/p/zones/us-east5-b/reservations/r"),
    ("reservationName", "folders/12/locations/us-east5-b/reservations/r"),
]


@pytest.mark.parametrize(("kind", "value"), GOOD)
def test_allowed(kind: str, value: str) -> None:
    assert catalog.check_resource_id(kind, value) is None


@pytest.mark.parametrize(("kind", "value"), BAD)
def test_refused_with_the_value_and_what_is_allowed(kind: str, value: str) -> None:
    message = catalog.check_resource_id(kind, value)

    assert message
    assert message.startswith(f"{value!r} is not a valid ")
    assert "; allowed: " in message


def test_a_kind_that_does_not_exist_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        catalog.check_resource_id("shoeSize", "42")
