"""What goes away with an endpoint of ours, and what keeps it."""

import pytest

from tpuserve.provider.call import ResourceError
from tpuserve.provider.endpoint.lifecycle import _leftover_or_error
from tpuserve.provider.ownership import CLAIM_LABEL, Identity

OWNER, OTHER = "a" * 20, "b" * 20
URN = "urn:pulumi:s::p::tpuserve:vertex:Deployment::d"
NAME = "projects/1/locations/us-east5/endpoints/e"


def refused(owner_of_claim: str = "", share: int = 0, marked: bool = True) -> bool:
    mark = Identity(owner_of_claim or OWNER, URN).mark("0" * 12) if marked else ""
    labels = {CLAIM_LABEL: Identity(owner_of_claim, URN).claim} if owner_of_claim else {}
    live = {"labels": labels, "trafficSplit": {"7": share}}
    try:
        _leftover_or_error(NAME, live, {"id": "7", "displayName": f"v{mark}"}, OWNER)
    except ResourceError:
        return True
    return False


@pytest.mark.parametrize("claim", ["", OWNER])
def test_a_marked_model_without_requests_goes(claim: str) -> None:
    assert not refused(claim)


def test_a_model_under_another_owners_claim_stays() -> None:
    assert refused(OTHER)


def test_a_model_with_requests_stays() -> None:
    assert refused(OWNER, share=1)


def test_an_unmarked_model_stays() -> None:
    assert refused(OWNER, marked=False)


@pytest.mark.parametrize(("fields", "told"), [({"displayName": "by hand"}, "'by hand'"), ({}, "'7'")])
def test_what_stays_is_named_as_it_is_known(fields: dict[str, str], told: str) -> None:
    with pytest.raises(ResourceError, match=f"still serves {told}"):
        _leftover_or_error(NAME, {}, {"id": "7", **fields}, OWNER)
