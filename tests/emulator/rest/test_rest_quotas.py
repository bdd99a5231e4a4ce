"""Cloud Quotas over REST: the numbers that the emulator refuses by."""

from typing import Any

import pytest

from tests.emulator.google import NUMBER, PROJECT, Google
from tests.emulator.rest.http_client import Rest
from tpuserve.emulator.quota.tables import QUOTAS

V6E = "TPUV6EPerProjectPerZoneForTPUAPI"
PARENT = f"/v1/projects/{PROJECT}/locations/global/services/tpu.googleapis.com/quotaInfos"


def info(rest: Rest, quota: str = V6E) -> dict[str, Any]:
    return rest.get(f"{PARENT}/{quota}").value()


def test_a_limit_is_told_for_its_places(rest: Rest, cloud: Google) -> None:
    cloud.control.set("quotas", {V6E: {"us-east5-b": 64, "us-east5-a": 0}})

    assert info(rest)["dimensionsInfos"] == [
        {"dimensions": {"zone": "us-east5-a"}, "applicableLocations": ["us-east5-a"], "details": {}},
        {"dimensions": {"zone": "us-east5-b"}, "applicableLocations": ["us-east5-b"], "details": {"value": "64"}},
        {"details": {}},
    ]


def test_a_quota_is_named_with_the_project_s_number(rest: Rest) -> None:
    found = info(rest)

    assert (found["name"], found["metric"]) == (
        f"projects/{NUMBER}/locations/global/services/tpu.googleapis.com/quotaInfos/{V6E}",
        "tpu.googleapis.com/tpu-v6e",
    )


def test_a_quota_without_limits_says_so(rest: Rest) -> None:
    assert info(rest)["dimensionsInfos"] == [{"details": {"value": "-1"}}]


def test_all_quotas_of_a_service_are_listed_page_by_page(rest: Rest) -> None:
    found, token = [], ""
    while True:
        answer = rest.get(f"{PARENT}?pageSize=2&pageToken={token}").value()
        found += [row["quotaId"] for row in answer["quotaInfos"]]
        if not (token := answer.get("nextPageToken", "")):
            break

    assert found == [quota.id for quota in QUOTAS.values() if quota.service == "tpu.googleapis.com"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{PARENT}/TPUV9", 404),
        (PARENT.replace(PROJECT, "other"), 403),
        (f"{PARENT}?pageSize=-1", 400),
        (f"{PARENT}?pageToken=x", 400),
    ],
)
def test_what_cannot_be_read_is_refused(rest: Rest, path: str, status: int) -> None:
    assert rest.get(path).status == status
