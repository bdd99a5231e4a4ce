"""What an environment gives has to be where the stack is."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.stack.stack import config, read
from tpuserve.stack.config import read_stack
from tpuserve.stack.contracts import EnvironmentContract
from tpuserve.stack.surroundings import surroundings_faults

KEY = "projects/p/locations/{}/keyRings/r/cryptoKeys/k"
SUBNETWORK = "projects/h/regions/{}/subnetworks/s"
AROUND = EnvironmentContract(service_account="a@p.iam.gserviceaccount.com", model_bucket="gs://b")


def faults(stack: dict[str, Any], **given: str) -> list[str]:
    return [str(fault) for fault in surroundings_faults(read(stack), replace(AROUND, **given))]


def test_what_is_in_the_same_region_fits() -> None:
    assert faults({}, kms_key_name=KEY.format("us-east5"), subnetwork=SUBNETWORK.format("us-east5")) == []


def test_what_is_not_given_fits() -> None:
    assert faults({}) == []


def test_everything_in_another_region_is_told_at_once() -> None:
    elsewhere = {"kms_key_name": KEY.format("us-west1"), "subnetwork": SUBNETWORK.format("us-west1")}

    key, subnetwork = (repr(each) for each in elsewhere.values())
    assert faults({}, **elsewhere) == [
        f"kmsKeyName: {key} is in us-west1; boot disks in us-east5-b need a key of us-east5",
        f"subnetwork: {subnetwork} is in us-west1; slices in us-east5-b need a subnetwork of us-east5",
        f"kmsKeyName: {key} is in us-west1; model and endpoint in us-east5 need a key of us-east5",
    ]


def test_the_zone_of_the_section_is_the_slices() -> None:
    stack = {"collection.zone": "us-central1-b"}

    assert [each.split(";")[0] for each in faults(stack, subnetwork=SUBNETWORK.format("us-east5"))] == [
        f"subnetwork: '{SUBNETWORK.format('us-east5')}' is in us-east5"
    ]


def test_a_stack_without_slices_needs_no_subnetwork() -> None:
    given = {key: value for key, value in config({}).items() if key != "tpu-inference:collection"}
    stack = read_stack(given, "tpu-inference", Path())

    assert list(surroundings_faults(stack, replace(AROUND, subnetwork=SUBNETWORK.format("us-west1")))) == []


@pytest.mark.parametrize(
    "subnetwork", ["s", "https://www.googleapis.com/compute/v1/projects/h/regions/us-east5/subnetworks/s"]
)
def test_other_spellings_of_a_subnetwork_are_read_or_left_to_google(subnetwork: str) -> None:
    assert faults({}, subnetwork=subnetwork) == []
