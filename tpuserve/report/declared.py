"""The resources of a run as the rules on what is declared read them, before it and after it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve.catalog import Unknown
from tpuserve.declared.chips import READ, Chips, Missing, chips_of
from tpuserve.declared.endpoints import IDS
from tpuserve.declared.resource import Resource
from tpuserve.declared.tokens import DEPLOYMENT
from tpuserve.report.events import State
from tpuserve.report.plan import name_of
from tpuserve.report.values import plain

NUMBER = re.compile(r"projects/(\d+)/")


@dataclass(frozen=True, slots=True)
class Side:
    """What there is at one end of a run."""

    resources: Mapping[str, Resource]
    """Those that chips are told of, by URN."""
    chips: Mapping[str, tuple[Chips, ...]]
    """By URN."""
    missing: tuple[Missing, ...]


def side(states: Mapping[str, State], projects: Mapping[str, str]) -> Side:
    """The chips of all that there is; `projects` are ids by number."""
    wanted = {urn: state for urn, state in states.items() if state.type in READ}
    givens = {
        urn: {key: plain(each) for key, each in state.inputs.items() if each is not None}
        for urn, state in wanted.items()
    }
    endpoints = [urn for urn, state in wanted.items() if state.type in IDS]
    resources = {
        urn: Resource(
            state.type, name_of(urn), urn, _named(givens[urn], projects), _sources(urn, wanted, givens, endpoints)
        )
        for urn, state in wanted.items()
    }
    found = list(chips_of(list(resources.values())))
    chips: dict[str, tuple[Chips, ...]] = {}
    for each in found:
        if isinstance(each, Chips):
            chips[each.resource.urn] = (*chips.get(each.resource.urn, ()), each)
    return Side(resources, chips, tuple(each for each in found if isinstance(each, Missing)))


def variants(deployment: Resource | None) -> Mapping[str, Any]:
    """The variants of a Deployment by name, as far as they are known."""
    found = deployment.given.get("deployedModels") if deployment else None
    return found if isinstance(found, Mapping) else {}


def projects(*sides: Mapping[str, State]) -> dict[str, str]:
    """Ids of projects by their numbers, as far as states tell both of one resource."""
    found: dict[str, str] = {}
    for states in sides:
        for state in states.values():
            given, number = state.inputs.get("project"), NUMBER.match(str(state.outputs.get("name", "")))
            if isinstance(given, str) and number and not given.isdecimal():
                found[number[1]] = given
    return found


def _named(given: Mapping[str, Any], projects: Mapping[str, str]) -> Mapping[str, Any]:
    """With the project's id in the name of an endpoint, for a project is charged once, however it is spelled."""
    endpoint = given.get("endpoint")
    number = NUMBER.match(endpoint) if isinstance(endpoint, str) else None
    if not isinstance(endpoint, str) or not number or number[1] not in projects:
        return given
    return {**given, "endpoint": f"projects/{projects[number[1]]}/{endpoint[number.end() :]}"}


def _sources(
    own: str, wanted: Mapping[str, State], givens: Mapping[str, Mapping[str, Any]], endpoints: list[str]
) -> dict[str, list[str]]:
    """The endpoint that a Deployment serves on while its name is not known, for events do not tell.

    It is that of the same component, or any where all of the stack are in one place.
    """
    state = wanted[own]
    if state.type != DEPLOYMENT or not isinstance(givens[own].get("endpoint"), Unknown):
        return {}
    beside = [urn for urn in endpoints if wanted[urn].parent == state.parent] or endpoints
    places = {(str(givens[urn].get("project")), str(givens[urn].get("location"))) for urn in beside}
    return {"endpoint": beside[:1]} if len(places) == 1 else {}
