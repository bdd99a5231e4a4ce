"""Google's errors by cause, and what the message tells a user to do."""

from __future__ import annotations

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve.google import CloudError
from tpuserve.provider.errors import explain, is_refusal

CODES = [code.name for code in grpc.StatusCode]


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


def test_reason_that_google_gives_counts() -> None:
    error = CloudError("CreateNode", "PERMISSION_DENIED", "no", "SERVICE_DISABLED")

    assert "Cause: API not enabled; enable the API" in explain("slice", error)


@pytest.mark.parametrize("code", ["UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "UNKNOWN", "ABORTED", "CANCELLED"])
def test_create_that_ended_so_may_have_made_something(code: str) -> None:
    assert not is_refusal(CloudError("M", code, ""))


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "PERMISSION_DENIED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED"])
def test_create_that_ended_so_made_nothing(code: str) -> None:
    assert is_refusal(CloudError("M", code, ""))


@pytest.mark.parametrize("method", ["WaitOperation", "GetOperation", "GetEndpoint", "ListOperations"])
def test_look_that_was_refused_says_nothing_about_the_create(method: str) -> None:
    assert not is_refusal(CloudError(method, "PERMISSION_DENIED", ""))
