"""Google's errors by cause, and what the message tells a user to do."""

from __future__ import annotations

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve.google import CloudError
from tpuserve.provider.errors import explain, is_refusal, kind_of

CODES = [code.name for code in grpc.StatusCode]
DISABLED = "Cloud TPU API has not been used in project 1 before or it is disabled. Enable it by visiting ..."
CASES = [
    ("PERMISSION_DENIED", DISABLED, "API not enabled"),
    ("PERMISSION_DENIED", "Permission 'tpu.nodes.create' denied on 'projects/p'", "permission"),
    ("FAILED_PRECONDITION", "Constraint constraints/compute.vmExternalIpAccess violated", "organisation policy"),
    ("RESOURCE_EXHAUSTED", 'There is no more capacity in the zone "us-east5-b"', "capacity"),
    ("UNAVAILABLE", "Insufficient capacity for v6e", "capacity"),
    ("RESOURCE_EXHAUSTED", "Quota limit 'TPUV6EPerProjectPerZoneForTPUAPI' has been exceeded. Limit: 8", "quota"),
    ("RESOURCE_EXHAUSTED", "The following quotas are exceeded: CustomModelServingTPUV6E", "quota"),
    ("UNAUTHENTICATED", "Request had invalid authentication credentials", "credentials"),
    ("ABORTED", "etag mismatch", "busy"),
    ("UNAVAILABLE", "connection refused", "no answer"),
    ("DEADLINE_EXCEEDED", "", "no answer"),
    ("NOT_FOUND", "Resource 'models/m' was not found.", "gone"),
]


@pytest.mark.parametrize(("code", "message", "cause"), CASES)
def test_cause(code: str, message: str, cause: str) -> None:
    found = kind_of(CloudError("M", code, message))

    assert found is not None
    assert found.name == cause


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "INTERNAL", "ALREADY_EXISTS"])
def test_error_of_which_google_says_enough_itself(code: str) -> None:
    assert kind_of(CloudError("M", code, "the field x is wrong")) is None


@given(st.sampled_from(CODES), st.text(max_size=40))
def test_every_error_tells_what_was_asked_the_code_and_googles_words(code: str, message: str) -> None:
    told = explain("collection", CloudError("CreateQueuedResource", code, message))

    assert told.startswith(f"collection: Google answered {code} to CreateQueuedResource: {message.rstrip('.')}")


def test_whole_message() -> None:
    error = CloudError("CreateNode", "UNAUTHENTICATED", "Invalid credentials.")

    assert explain("slice", error) == (
        "slice: Google answered UNAUTHENTICATED to CreateNode: Invalid credentials. Cause: credentials; log in with "
        "`gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS"
    )


@pytest.mark.parametrize("code", ["UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "UNKNOWN", "ABORTED", "CANCELLED"])
def test_create_that_ended_so_may_have_made_something(code: str) -> None:
    assert not is_refusal(CloudError("M", code, ""))


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "PERMISSION_DENIED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED"])
def test_create_that_ended_so_made_nothing(code: str) -> None:
    assert is_refusal(CloudError("M", code, ""))


@pytest.mark.parametrize("method", ["WaitOperation", "GetOperation", "GetEndpoint", "ListOperations"])
def test_look_that_was_refused_says_nothing_about_the_create(method: str) -> None:
    assert not is_refusal(CloudError(method, "PERMISSION_DENIED", ""))
