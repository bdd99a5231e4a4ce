"""Tiers of capacity that a request asks for, and what its nodes' scheduling options say of the same thing."""

from collections.abc import Mapping
from typing import Any

from tpuserve.catalog.faults import UNKNOWN

# QueuedResource, oneof tier (google.cloud.tpu.v2alpha1)
TIERS = ("spot", "guaranteed", "bestEffort")
# schedulingConfig -> what it would mean beside a tier, where the two contradict each other.
CONTRADICTIONS: Mapping[str, Mapping[str, bool]] = {
    "spot": {"spot": False, "reserved": True},
    "guaranteed": {"spot": True, "preemptible": True},
    "bestEffort": {"spot": True, "reserved": True},
}


def check_tiers(request: Mapping[str, Any]) -> list[tuple[str, str]]:
    """At most one tier; each further one is a fault."""
    first, *more = _given(request) or [""]
    return [(tier, f"cannot be asked for together with {first}; leave one of the two out") for tier in more]


def check_scheduling(request: Mapping[str, Any], scheduling: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where `schedulingConfig` says something else than the request's tier; each fault with its field."""
    given = _given(request)
    faults = [
        (field, f"{_word(value)} contradicts {tier}, the tier that is asked for; leave {field} out")
        for tier in given
        for field, value in CONTRADICTIONS[tier].items()
        if scheduling.get(field) is value
    ]
    return faults + _check_reserved(request, scheduling) + _check_tierless(request, scheduling)


def _check_reserved(request: Mapping[str, Any], scheduling: Mapping[str, Any]) -> list[tuple[str, str]]:
    guaranteed, reserved = request.get("guaranteed"), scheduling.get("reserved")
    if not isinstance(guaranteed, Mapping) or not isinstance(reserved, bool):
        return []
    asked = guaranteed.get("reserved", False)
    if asked is UNKNOWN or bool(asked) is reserved:
        return []
    return [("reserved", f"{_word(reserved)} contradicts guaranteed.reserved, which is {_word(asked)}; make them one")]


def _check_tierless(request: Mapping[str, Any], scheduling: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Options of a tier that nobody asked for: Google's two places for one thing would disagree."""
    if any(request.get(tier) is not None for tier in TIERS):
        return []
    needs = {"spot": "spot: {}", "reserved": "guaranteed: {reserved: true}"}
    wanted = [(field, tier) for field, tier in needs.items() if scheduling.get(field) is True]
    return [(field, f"true needs the tier of the request beside it: {tier}") for field, tier in wanted]


def _given(request: Mapping[str, Any]) -> list[str]:
    return [tier for tier in TIERS if request.get(tier) is not None and request.get(tier) is not UNKNOWN]


def _word(value: object) -> str:
    return "true" if value else "false"
