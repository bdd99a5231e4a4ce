"""Any stack: what Check and the pack accept, the emulated Google takes, and what they refuse, it refuses.

A few dozen of what `make generated ARGS=--policies` tries by the ten thousand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from tpuserve.policies.families import FAMILIES  # pyright: ignore[reportMissingImports]
from tpuserve.policies.family import Family, Violated  # pyright: ignore[reportMissingImports]
from tpuserve.policies.pack import Pack  # pyright: ignore[reportMissingImports]

from tests.generated.agreement import Tally, compared
from tests.generated.asked import asked
from tests.generated.drawing import FEW
from tests.generated.judged import judged
from tests.generated.stacks import Case, Declared, Unit, cases
from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, PROJECT

Disagreements = Callable[[Case, Pack], list[str]]
LIMITS = {"CustomModelServingV6ETPUPerProjectPerRegion": {"us-east5": 1}}


@pytest.fixture(scope="module")
def disagreements() -> Iterator[Disagreements]:
    """What the two do not agree on."""
    with asyncio.Runner() as runner:
        yield lambda case, pack: list(compared(case, judged(case, pack), runner.run(asked(case))))


@pytest.fixture(scope="module")
def pack() -> Pack:
    return Pack()


@FEW
@given(case=cases())
def test_check_and_pack_accept_what_google_takes_and_nothing_else(
    disagreements: Disagreements, pack: Pack, case: Case
) -> None:
    assert disagreements(case, pack) == []


def served(limits: Any = None, endpoint: Any = None, model: Any = None, **more: Any) -> Case:
    """A stack of one served model in us-east5."""
    place = f"projects/{PROJECT}/locations/us-east5"
    version = f"{place}/models/m@1"
    variants = {"deployedModels": {"stable": programs.variant(version), "canary": programs.variant(version)}}
    shares = {"trafficSplit": {"stable": 90, "canary": 10}}
    args = {
        MODEL: programs.model(modelId="m", location="us-east5", **model or {}),
        ENDPOINT: programs.endpoint(endpointId="e", location="us-east5", **endpoint or {}),
        DEPLOYMENT: {"endpoint": f"{place}/endpoints/e", **variants, **shares, **more},
    }
    return Case((Unit(tuple(Declared(token, token[-5:], each) for token, each in args.items())),), limits)


def variant(**changes: Any) -> dict[str, Any]:
    """The argument of a Deployment with one variant, changed by path."""
    name = f"projects/{PROJECT}/locations/us-east5/models/m@1"
    return {"deployedModels": {"stable": programs.variant(name, **changes)}, "trafficSplit": {"stable": 100}}


COUNTEREXAMPLES = {
    "a label key that begins with a digit": served(model={"labels": {"1": "a"}}),
    "a label key of 64 characters": served(endpoint={"labels": {"a" * 64: ""}}),
    "a display name that leaves no room for the mark": served(**variant(displayName="a" * 92)),
    "the longest display name": served(**variant(displayName="a" * 91)),
    "a model's key in another region": served(
        model={"encryptionSpec": {"kmsKeyName": "projects/p/locations/us-west1/keyRings/r/cryptoKeys/k"}}
    ),
    "a reservation without its type": served(
        **variant(**{"dedicatedResources.machineSpec.reservationAffinity": {"key": "k", "values": ["r"]}})
    ),
    "no machine type": served(**variant(**{"dedicatedResources.machineSpec": {}})),
    "no machine spec": served(**variant(**{"dedicatedResources.machineSpec": None})),
}


@pytest.mark.parametrize("case", COUNTEREXAMPLES.values(), ids=COUNTEREXAMPLES)
def test_what_they_once_disagreed_on(disagreements: Disagreements, pack: Pack, case: Case) -> None:
    assert disagreements(case, pack) == []


ANY_PATH = {"containerSpec.predictRoute": None, "containerSpec.invokeRoutePrefix": "/*"}
VIOLATIONS = {
    "quotas": served(LIMITS),
    "traffic-private": served(endpoint={"network": "projects/100000000001/global/networks/n"}),
    "containers-any-path": served(model=ANY_PATH),
}


@pytest.mark.parametrize("rule", VIOLATIONS)
def test_a_rule_that_google_has_as_well_is_no_disagreement(disagreements: Disagreements, pack: Pack, rule: str) -> None:
    assert disagreements(VIOLATIONS[rule], pack) == []


@pytest.mark.parametrize("rule", VIOLATIONS)
def test_a_pack_without_one_of_its_rules_is_caught(disagreements: Disagreements, rule: str) -> None:
    poorer = Pack(families=[family for family in FAMILIES if family.name != rule])

    found = disagreements(VIOLATIONS[rule], poorer)

    assert [each.partition(":")[0] for each in found] == ["accepted, and Google refuses it"]


def test_a_rule_that_google_does_not_have_is_caught(disagreements: Disagreements) -> None:
    def never(resource: Any, config: Any) -> list[Violated] | None:
        return [Violated("displayName", "is never right")] if resource.token == MODEL else None

    stricter = Pack(families=[*FAMILIES, Family(name="names", description="-", remediation="-", rule=never)])

    found = disagreements(served(), stricter)

    assert [each.partition(":")[0] for each in found] == ["refused, and Google takes it"]


def test_a_run_whose_stacks_are_all_accepted_proves_too_little() -> None:
    tally = Tally()

    tally.add(served(), [], [None])

    assert next(tally.faults()) == "0% of the stacks were refused, not 20%"
