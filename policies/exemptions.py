"""Exemptions: who has agreed until when that a rule does not hold for a resource.

They are data of the policy configuration, applied to what the rules have found; a rule knows nothing of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import Any

from pulumi_policy import PolicyConfigSchema

from tpuserve.declared.answers import EXEMPTED, TWIN

NAME = "exemptions"
_TEXT = {"type": "string", "minLength": 1}


@dataclass(frozen=True, slots=True)
class Exemption:
    """One agreement. It holds on its last day, by this machine's date."""

    policy: str
    resource: str
    """Name or URN of a resource; `*` and `?` as in file names. What blames the whole stack has the URN ""."""
    owner: str
    reason: str
    expires: date

    def covers(self, policy: str, urn: str) -> bool:
        """Whether it speaks of what that policy, or its twin, says of that resource."""
        return policy.removesuffix(TWIN) == self.policy and self.is_of(urn)

    def is_of(self, urn: str) -> bool:
        """Whether it speaks of that resource; brackets are part of a name."""
        pattern = self.resource.replace("[", "[[]")
        return any(fnmatchcase(each, pattern) for each in (urn, urn.split("::", 3)[-1]))

    def has_expired(self, today: date) -> bool:
        """Whether its last day is over."""
        return today > self.expires

    def __str__(self) -> str:
        return f"{self.owner}: {self.reason}"


def read(properties: Mapping[str, Any]) -> list[Exemption]:
    """The exemptions of the configuration. Raises ValueError, a line for each entry whose day there is not."""
    given: Sequence[Mapping[str, str]] = properties.get("list") or ()
    wrong = [(index, each["expires"]) for index, each in enumerate(given) if not _is_day(each["expires"])]
    if wrong:
        raise ValueError("\n".join(f"{NAME}.list[{index}].expires: {day!r} is no day" for index, day in wrong))
    return [Exemption(**{**each, "expires": date.fromisoformat(each["expires"])}) for each in given]


def judged(given: Iterable[Exemption], policy: str, urn: str, message: str, today: date) -> tuple[bool, str]:
    """Whether a violation is exempted, and its message with who exempted it, or whose exemption has expired."""
    covering = [each for each in given if each.covers(policy, urn)]
    valid = next((each for each in covering if not each.has_expired(today)), None)
    if valid:
        return True, f"{message}\n{EXEMPTED} {valid.expires} ({valid})"
    past = "".join(f"\nits exemption expired on {each.expires} ({each}); mend it, or agree anew" for each in covering)
    return False, message + past


def void(given: Iterable[Exemption], urns: Sequence[str], today: date) -> Iterator[str]:
    """What to say of those that have expired, whether or not they covered anything, or that no resource answers to."""
    for each in given:
        what = f"the exemption of {each.resource} from {each.policy}"
        if each.has_expired(today):
            yield f"{what} expired on {each.expires} ({each}); take it out"
        elif not any(map(each.is_of, ("", *urns))):
            yield f"{what} ({each}) covers nothing: no resource of the stack is named so; mend it or take it out"


def schema(policies: Iterable[str]) -> PolicyConfigSchema:
    """The configuration, for the policies that can be exempted from."""
    fields = {
        "policy": {"type": "string", "enum": list(policies)},
        "resource": _TEXT | {"description": "Name or URN of the resource; `*` and `?` as in file names."},
        "owner": _TEXT | {"description": "Who answers for it."},
        "reason": _TEXT,
        "expires": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$", "description": "The last day."},
    }
    item = {"type": "object", "required": list(fields), "properties": fields, "additionalProperties": False}
    return PolicyConfigSchema(properties={"list": {"type": "array", "items": item, "description": "All exemptions."}})


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
