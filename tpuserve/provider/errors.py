"""One classifier of Google's errors: what was asked, what Google answered, what to do."""

from __future__ import annotations

from tpuserve.catalog.google_errors import ErrorKind, error_kind
from tpuserve.google import CloudError

# Codes after which a create certainly made nothing.
REFUSED = frozenset(
    {
        "INVALID_ARGUMENT",
        "PERMISSION_DENIED",
        "UNAUTHENTICATED",
        "FAILED_PRECONDITION",
        "NOT_FOUND",
        "UNIMPLEMENTED",
        "RESOURCE_EXHAUSTED",
        "ALREADY_EXISTS",
        "OUT_OF_RANGE",
    }
)


LOOKS = ("Get", "List", "Wait")


def kind_of(error: CloudError) -> ErrorKind | None:
    """The cause, a row of the catalog's `google_errors`; None where Google's words have to do."""
    return error_kind(error.code, error.message, error.reason)


def explain(asked: str, error: CloudError) -> str:
    """The whole message: what was asked, Google's answer with its code, the cause and what to do."""
    kind = kind_of(error)
    answer = f"{asked}: Google answered {error.code} to {error.method}: {error.message.rstrip('.')}"
    return f"{answer}. Cause: {kind.name}; {kind.advice}" if kind else answer


def is_refusal(error: CloudError) -> bool:
    """Whether a create that ended so certainly made nothing; a look that was refused says nothing about it."""
    return error.code in REFUSED and not error.method.startswith(LOOKS)
