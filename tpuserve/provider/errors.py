"""One classifier of Google's errors: what was asked, what Google answered, what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Kind:
    """One cause: the codes and words that tell it, and what a user can do."""

    name: str
    codes: frozenset[str]
    words: str
    advice: str


# The first that fits. Words: facts.md-style user reports and Google's own messages; matched without case.
KINDS = (
    Kind(
        "API not enabled",
        frozenset({"PERMISSION_DENIED"}),
        r"has not been used in project|it is disabled|api .*not enabled|SERVICE_DISABLED",
        "enable the API in the project: gcloud services enable tpu.googleapis.com aiplatform.googleapis.com",
    ),
    Kind(
        "organisation policy",
        frozenset({"FAILED_PRECONDITION", "PERMISSION_DENIED", "INVALID_ARGUMENT"}),
        r"constraint constraints/|organization policy|orgpolicy",
        "an organisation policy forbids it: ask its administrator, or change what is asked for",
    ),
    Kind(
        "capacity",
        frozenset({"RESOURCE_EXHAUSTED", "UNAVAILABLE", "UNKNOWN"}),
        r"no more capacity|insufficient .*capacity|out of capacity|stockout",
        "Google has no such machines free there now: queue for longer, or use another zone, type or a reservation",
    ),
    Kind(
        "quota",
        frozenset({"RESOURCE_EXHAUSTED"}),
        r"quota|limit|exhausted|",
        "ask for more quota in the console (IAM & Admin, Quotas), or ask for less; requests that failed or were "
        "suspended hold quota until they are deleted",
    ),
    Kind(
        "permission",
        frozenset({"PERMISSION_DENIED"}),
        r"",
        "grant the named permission to whoever runs this, on the project that was named",
    ),
    Kind(
        "credentials",
        frozenset({"UNAUTHENTICATED"}),
        r"",
        "log in with `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS",
    ),
    Kind(
        "gone",
        frozenset({"NOT_FOUND"}),
        r"",
        "it was deleted outside of Pulumi, or its name is wrong: `pulumi refresh` tells which, then run it again",
    ),
    Kind("busy", frozenset({"ABORTED"}), r"", "something else changed the object at the same time: run it again"),
    Kind("no answer", frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED"}), r"", "Google did not answer: run it again"),
)


def kind_of(error: CloudError) -> Kind | None:
    """The cause, where the table has it."""
    fits = (k for k in KINDS if error.code in k.codes and re.search(k.words, error.message, re.IGNORECASE))
    return next(fits, None)


def explain(asked: str, error: CloudError) -> str:
    """The whole message: what was asked, Google's answer with its code, the cause and what to do."""
    kind = kind_of(error)
    answer = f"{asked}: Google answered {error.code} to {error.method}: {error.message.rstrip('.')}"
    return f"{answer}. Cause: {kind.name}; {kind.advice}" if kind else answer


def is_refusal(error: CloudError) -> bool:
    """Whether a create that ended so certainly made nothing; a look that was refused says nothing about it."""
    return error.code in REFUSED and not error.method.startswith(LOOKS)
