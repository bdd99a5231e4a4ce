"""What is not ours, or not where it seems to be."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.harness import State, Wire
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE, collection, deployment, endpoint, model
from tests.wire.stack import urn_of
from tpuserve.provider.config import faults as config_faults
from tpuserve.provider.ownership import CLAIM_LABEL

HOSTS = ("evil.com?", "evil.com#", "evil.com/", "evil.com")


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("token", "program"), [(MODEL, model), (ENDPOINT, endpoint)])
async def test_location_is_never_another_host(wire: Wire, token: str, program: Any, host: str) -> None:
    found = await wire.check(urn_of(token, "r"), {**program(), "location": host})

    assert "is not a valid region" in found.failures["location"]


@pytest.mark.parametrize("host", HOSTS[:2])
async def test_location_of_an_endpoint_is_never_another_host(wire: Wire, host: str) -> None:
    place = f"projects/p/locations/{host}"
    given = deployment(f"{place}/endpoints/e", f"{place}/models/m@1")

    found = await wire.check(urn_of(DEPLOYMENT, "r"), given)

    assert "is not a valid region" in found.failures["endpoint"]


@pytest.mark.parametrize("key", ["tpuserve-owner", "tpuserve-origin", CLAIM_LABEL])
async def test_labels_of_tpuserve_are_not_the_users(wire: Wire, key: str) -> None:
    found = await wire.check(urn_of(ENDPOINT, "r"), {**endpoint(), "labels": {key: "x"}})

    assert "are the provider's own" in found.failures["labels"]


async def test_labels_of_slices_are_not_the_users_either(wire: Wire) -> None:
    given = collection()
    given["tpu"]["nodeSpec"][0]["node"]["labels"] = {"tpuserve-owner": "x"}

    found = await wire.check(urn_of(QUEUED_RESOURCE, "r"), given)

    assert "are the provider's own" in found.failures["tpu.nodeSpec[0].node.labels"]


@pytest.mark.parametrize("url", ["http://[::1", "https://[x]", "https://h:99999", "http://127.0.0.1:x"])
def test_malformed_url_is_a_fault(url: str) -> None:
    assert [fault.path for fault in config_faults({"endpoints": {"tpu": url}})] == ["endpoints.tpu"]


@pytest.mark.parametrize(("key", "value"), [("location", "evil.com?"), ("zone", "us-east5-b/x")])
def test_place_of_the_provider_is_a_name(key: str, value: str) -> None:
    assert [fault.path for fault in config_faults({key: value})] == [key]


async def test_id_that_google_gave_is_kept(wire: Wire) -> None:
    """Google's own ids are longer than those it lets a user choose."""
    inputs = await wire.checked(urn_of(ENDPOINT, "r"), endpoint())
    imported = {**inputs, "endpointId": "1234567890123456789"}
    old = State("", {}, imported)

    found = await wire.check(urn_of(ENDPOINT, "r"), imported, old)

    assert found.failures == {}
