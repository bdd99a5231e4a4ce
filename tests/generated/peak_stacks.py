"""Stacks before and after a change of what holds chips: collections, and Deployments on endpoints that exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.wire.programs import DEPLOYMENT, LOCATION, PROJECT, QUEUED_RESOURCE

Args = Mapping[str, Any]
PLACE = f"projects/{PROJECT}/locations/{LOCATION}"
RUNTIMES = {"v6e": "v2-alpha-tpuv6e", "v5litepod": "v2-alpha-tpuv5-lite"}
MACHINES = ("ct6e-standard-1t", "ct6e-standard-4t", "ct5lp-hightpu-1t", "ct5lp-hightpu-4t")


@dataclass(frozen=True)
class Declared:
    """One resource: its arguments in the first program and in the second, None where it is not in it."""

    token: str
    name: str
    first: Args | None
    second: Args | None


Case = tuple[Declared, ...]


@st.composite
def collections(draw: st.DrawFn, name: str) -> Args:
    """Slices, sometimes under names of their own, which have to go before others of these names come."""
    generation, chips = draw(st.sampled_from([("v6e", 8), ("v6e", 8), ("v6e", 16), ("v6e", 4), ("v5litepod", 8)]))
    node = {"acceleratorType": f"{generation}-{chips}", "runtimeVersion": RUNTIMES[generation]}
    many: dict[str, Any] = {"nodeCount": draw(st.integers(2, 4))}
    if generation == "v6e":
        many["workloadType"] = "AVAILABILITY_OPTIMIZED"
    if draw(st.booleans()):
        many["nodeIdPrefix"] = name
    zone = "us-east5-b" if generation == "v6e" else "us-west4-a"
    how = draw(st.sampled_from([{}, {}, {}, {"spot": {}}, {"guaranteed": {"reserved": True}}]))
    label = {"labels": {"team": draw(st.sampled_from("ab"))}}
    return {"zone": zone, "tpu": {"nodeSpec": [{"multiNodeParams": many, "node": node | label}]}, **how}


@st.composite
def variants(draw: st.DrawFn) -> dict[str, Any]:
    least = draw(st.integers(1, 3))
    resources: dict[str, Any] = {
        "machineSpec": {"machineType": draw(st.sampled_from(MACHINES))},
        "minReplicaCount": least,
    }
    if draw(st.booleans()):
        resources["maxReplicaCount"] = least + draw(st.integers(0, 3))
    if draw(st.integers(0, 4)) == 0:
        resources["spot"] = True
    model = f"{PLACE}/models/model-{draw(st.sampled_from('ab'))}@{draw(st.integers(1, 2))}"
    strategy = {"strategy": "UNDEPLOY_FIRST"} if draw(st.integers(0, 2)) == 0 else {}
    return {"model": model, "dedicatedResources": resources, **strategy}


@st.composite
def deployments(draw: st.DrawFn, endpoints: str) -> Args:
    """One on one of these endpoints; paused at times."""
    names = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=3, unique=True))
    rest = draw(st.sampled_from([0, 10]))  # 0: they are deployed, and get no requests
    shares = [100 - rest * (len(names) - 1), *[rest] * (len(names) - 1)]
    given = {
        "endpoint": f"{PLACE}/endpoints/place-{draw(st.sampled_from(endpoints))}",
        "deployedModels": {name: draw(variants()) for name in names},
        "trafficSplit": dict(zip(names, shares, strict=True)),
        "allowOutage": True,
    }
    return given | ({"paused": True} if draw(st.integers(0, 7)) == 0 else {})


@st.composite
def changes(draw: st.DrawFn, token: str, name: str, programs: st.SearchStrategy[Args]) -> Declared:
    """A resource that comes, goes, stays or becomes another; a Deployment often keeps most of its variants."""
    first = draw(st.none() | programs)
    kind = draw(st.integers(0, 7))
    second = first if first and kind == 0 else draw(programs if first is None or kind < 7 else st.none())
    if first and second and token == DEPLOYMENT and kind < 5:
        kept = {key: value for key, value in first["deployedModels"].items() if draw(st.booleans())}
        second = {**second, "deployedModels": {**second["deployedModels"], **_within(kept, second)}}
    return Declared(token, name, first, second)


def _within(kept: Args, second: Args) -> Args:
    return {name: value for name, value in kept.items() if name in second["deployedModels"]}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Up to three collections and two Deployments, each with endpoints of its own; something is there or comes."""
    numbers = draw(st.integers(0, 3)), draw(st.sampled_from([0, 1, 1, 2]))
    numbers = numbers if any(numbers) else (1, 1)
    slices = [draw(changes(QUEUED_RESOURCE, f"c{n}", collections(f"c{n}"))) for n in range(numbers[0])]
    places = ("eg", "fh")
    served = [draw(changes(DEPLOYMENT, f"d{n}", deployments(places[n]))) for n in range(numbers[1])]
    return (*slices, *served)
