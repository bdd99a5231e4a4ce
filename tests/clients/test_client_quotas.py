"""Cloud Quotas by google-cloud-quotas over REST, the transport that the emulator serves it by."""

import pytest
from google.api_core.exceptions import NotFound
from google.auth.credentials import AnonymousCredentials
from google.cloud import cloudquotas_v1

from tests.emulator.google import NUMBER, PROJECT
from tpuserve.emulator import Emulator
from tpuserve.emulator.quota.tables import QUOTAS

V6E = "TPUV6EPerProjectPerZoneForTPUAPI"
PARENT = f"projects/{PROJECT}/locations/global/services/tpu.googleapis.com"
NAME = f"{PARENT}/quotaInfos/{V6E}"
LIMITS = {"us-east5-a": 0, "us-east5-b": 64, "*": 8}


@pytest.fixture
def limited(emulator: Emulator) -> Emulator:
    emulator.control.reset()
    emulator.control.set("quotas", {V6E: LIMITS})
    return emulator


@pytest.fixture
def quotas(limited: Emulator) -> cloudquotas_v1.CloudQuotasClient:
    options = {"api_endpoint": f"http://{limited.addresses.rest}"}
    return cloudquotas_v1.CloudQuotasClient(
        transport="rest", client_options=options, credentials=AnonymousCredentials()
    )


def test_a_quota_is_read_as_a_message(quotas: cloudquotas_v1.CloudQuotasClient) -> None:
    found = quotas.get_quota_info(name=NAME)

    assert (found.name, found.container_type.name, found.is_precise) == (
        NAME.replace(PROJECT, str(NUMBER)),
        "PROJECT",
        True,
    )


def test_each_place_has_its_limit(quotas: cloudquotas_v1.CloudQuotasClient) -> None:
    infos = quotas.get_quota_info(name=NAME).dimensions_infos

    assert {info.dimensions.get("zone", "*"): info.details.value for info in infos} == LIMITS


def test_all_quotas_of_a_service_are_listed_page_by_page(quotas: cloudquotas_v1.CloudQuotasClient) -> None:
    listed = quotas.list_quota_infos(request={"parent": PARENT, "page_size": 1})

    assert [row.quota_id for row in listed] == [
        quota.id for quota in QUOTAS.values() if quota.service == "tpu.googleapis.com"
    ]


def test_a_quota_that_there_is_not_is_not_found(quotas: cloudquotas_v1.CloudQuotasClient) -> None:
    with pytest.raises(NotFound):
        quotas.get_quota_info(name=f"{PARENT}/quotaInfos/TPUV9")
