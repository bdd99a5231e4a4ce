"""What does not fit a schema, in the words of Google's front end.

Source of the words: answers quoted in zed-industries/zed#62539 (an unknown name), google-gemini/gemini-cli#4415 (a
wrong type, with the path of a map's value) and mnfst/llm-gateway#1858 (several faults, one a line, each also in
google.rpc.BadRequest).
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from google.rpc import error_details_pb2, status_pb2

from tpuserve.emulator.errors import ApiError, Code

_LEAD = "Invalid JSON payload received."
_LONGEST = 200  # characters of a value that are quoted


class Violation(NamedTuple):
    """One fault: the path of the message that it is in, and a sentence."""

    field: str
    description: str


class BadRequestError(ApiError):
    """INVALID_ARGUMENT with every violation."""

    def __init__(self, violations: Iterable[Violation]) -> None:
        self.violations = tuple(violations)
        super().__init__(Code.INVALID_ARGUMENT, "\n".join(found.description for found in self.violations))

    def status(self) -> status_pb2.Status:
        status = super().status()
        details = error_details_pb2.BadRequest()
        for found in self.violations:
            details.field_violations.add(field=found.field, description=found.description)
        status.details.add().Pack(details)
        return status


def unknown_name(path: str, name: str) -> Violation:
    at = f" at '{path}'" if path else ""
    return Violation(path, f'{_LEAD} Unknown name "{name}"{at}: Cannot find field.')


def unknown_query(name: str) -> Violation:
    told = f"Cannot bind query parameter. Field '{name}' could not be found in request message."
    return Violation(name, f'{_LEAD} Unknown name "{name}": {told}')


def no_message() -> Violation:
    return Violation("", f'{_LEAD} Unknown name "": Root element must be a message.')


def no_json(found: str) -> Violation:
    return Violation("", f"{_LEAD} {found}")


def no_list(path: str, name: str) -> Violation:
    at = f" at '{path}'" if path else ""
    told = "Proto field is not repeating, cannot start list."
    return Violation(path, f'{_LEAD} Unknown name "{name}"{at}: {told}')


def wrong_value(path: str, kind: str, value: Any) -> Violation:
    text = json.dumps(value, ensure_ascii=False)
    return Violation(path, f"Invalid value at '{path}' ({kind}), {text[:_LONGEST]}")


def missing(path: str) -> Violation:
    """assumed: the words; the document says `Required.` of the field."""
    return Violation(path, f"The field '{path}' is required.")
