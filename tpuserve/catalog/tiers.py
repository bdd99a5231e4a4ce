"""Ways to capacity: tiers, provisioning models, and what nodes' scheduling options say of the same thing."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from tpuserve.catalog.faults import UNKNOWN
from tpuserve.catalog.words import listed

# QueuedResource, oneof tier (google.cloud.tpu.v2alpha1)
TIERS = ("spot", "guaranteed", "bestEffort")
# QueuedResource.provisioningModel (discovery document tpu.v2alpha1)
ProvisioningModel = Literal["STANDARD", "SPOT", "RESERVATION_BOUND", "FLEX_START"]
PROVISIONING_MODELS: tuple[str, ...] = get_args(ProvisioningModel)
FLEX_START: ProvisioningModel = "FLEX_START"
# The descriptions of the models; that the two ways to say one thing agree is this project's rule, not known to be
# Google's.
CONTRADICTED: Mapping[str, Sequence[str]] = {
    "STANDARD": ("spot",),
    "SPOT": ("guaranteed", "bestEffort"),
    "RESERVATION_BOUND": ("spot", "bestEffort"),
    "FLEX_START": (*TIERS, "reservationName"),
}
# schedulingConfig -> what it would mean beside a tier, where the two contradict each other.
CONTRADICTIONS: Mapping[str, Mapping[str, bool]] = {
    "spot": {"spot": False, "reserved": True},
    "guaranteed": {"spot": True, "preemptible": True},
    "bestEffort": {"spot": True, "reserved": True},
    FLEX_START: {"spot": True, "preemptible": True, "reserved": True},
}


def normalize_provisioning_model(value: str) -> str:
    """The API's own spelling: `flex-start`, as gcloud takes it, is FLEX_START; what is none comes back unchanged."""
    spelled = value.upper().replace("-", "_")
    return spelled if spelled in PROVISIONING_MODELS else value


def check_tiers(request: Mapping[str, Any]) -> list[tuple[str, str]]:
    """At most one tier; each further one is a fault."""
    first, *more = _given(request) or [""]
    return [(tier, f"cannot be asked for together with {first}; leave one of the two out") for tier in more]


def check_provisioning_model(request: Mapping[str, Any]) -> str | None:
    """Why the provisioning model contradicts what else says how capacity is asked for."""
    model = request.get("provisioningModel")
    if not isinstance(model, str) or model not in CONTRADICTED:
        return None
    others = [name for name in CONTRADICTED[model] if request.get(name) not in (None, UNKNOWN)]
    if others:
        return f"{model} cannot be asked for together with {listed(others)}; leave one of the two out"
    if model == "SPOT" and request.get("spot") is None:
        return "SPOT needs the tier that says the same beside it: spot: {}"
    if model == "RESERVATION_BOUND" and _is_unreserved(request):
        return "RESERVATION_BOUND needs a reservation: reservationName, or guaranteed: {reserved: true}"
    return None


def _is_unreserved(request: Mapping[str, Any]) -> bool:
    guaranteed = request.get("guaranteed")
    reserved = guaranteed.get("reserved") if isinstance(guaranteed, Mapping) else guaranteed
    return request.get("reservationName") is None and reserved in (None, False)


def check_scheduling(request: Mapping[str, Any], scheduling: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where `schedulingConfig` says something else than the request's tier; each fault with its field."""
    given = _given(request)
    faults = [
        (field, f"{_word(value)} contradicts {tier}, which is asked for; leave {field} out")
        for tier in [*given, *([FLEX_START] if request.get("provisioningModel") == FLEX_START else [])]
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
    if any(request.get(tier) is not None for tier in TIERS) or request.get("provisioningModel") in (
        FLEX_START,
        UNKNOWN,
    ):
        return []
    needs = {"spot": "spot: {}", "reserved": "guaranteed: {reserved: true}"}
    wanted = [(field, tier) for field, tier in needs.items() if scheduling.get(field) is True]
    return [(field, f"true needs the tier of the request beside it: {tier}") for field, tier in wanted]


def _given(request: Mapping[str, Any]) -> list[str]:
    return [tier for tier in TIERS if request.get(tier) is not None and request.get(tier) is not UNKNOWN]


def _word(value: object) -> str:
    return "true" if value else "false"
