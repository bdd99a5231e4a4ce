"""What a rollout refuses before it changes anything, and what it does not shift to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.provider.test_deployment_plan import OURS, all_wanted, live, planned, variant, wanted
from tpuserve.provider.deployment.deployed_model import Live
from tpuserve.provider.deployment.plan import Plan
from tpuserve.provider.deployment.rules import Case, refusals, unready
from tpuserve.provider.endpoint.view import View

NAME = "projects/1/locations/us-east5/endpoints/e"
FIRST = {"strategy": "UNDEPLOY_FIRST"}
STABLE = live("1", wanted("stable", variant("1")), 100)
FOREIGN = live("9", wanted("hand", variant("3")), 0, mark="")


def view(there: list[Live], **fields: Any) -> View:
    split = {item.id: item.share for item in there if item.share}
    return View({"name": NAME, "deployedModels": [item.data for item in there], "trafficSplit": split, **fields})


def refused(variants: dict[str, Any], there: list[Live], recorded: dict[str, str], **inputs: Any) -> list[str]:
    network = {"network": inputs.pop("network")} if "network" in inputs else {}
    plan = planned(variants, there, recorded)
    ours = {item.id for item in there if item.has_identity(OURS)}
    return refusals(Case(view(there, **network), plan, all_wanted(variants), inputs, frozenset(ours)))


def test_another_version_beside_is_not_refused() -> None:
    assert refused({"stable": variant("2")}, [STABLE], {"stable": "1"}) == []


def test_every_reason_is_told_at_once() -> None:
    given = {"stable": {**variant("2"), "id": "9", **FIRST}}

    found = refused(given, [STABLE, FOREIGN], {"stable": "1"}, trafficSplit={"stable": 60, "5": 40})

    assert [message.partition(":")[0] for message in found] == [
        "trafficSplit",
        "deployedModels.stable.id",
        "deployedModels.stable",
    ]


def test_named_model_of_others_is_no_stranger() -> None:
    split = {"stable": 60, "9": 40}

    assert refused({"stable": variant("1")}, [STABLE, FOREIGN], {"stable": "1"}, trafficSplit=split) == []


def test_models_of_others_are_listed_beside_a_stranger() -> None:
    split = {"stable": 60, "5": 40}

    (message,) = refused({"stable": variant("1")}, [STABLE, FOREIGN], {"stable": "1"}, trafficSplit=split)

    assert message == (
        "trafficSplit: the endpoint has no deployed model '5' (any more): remove it, and give its 40 % to another; "
        "deployed models of others: '9'"
    )


def test_only_variant_that_serves_needs_an_agreement() -> None:
    given = {"stable": {**variant("2"), **FIRST}}

    found = refused(given, [STABLE], {"stable": "1"})

    assert (len(found), refused(given, [STABLE], {"stable": "1"}, allowOutage=True)) == (1, [])


def test_variant_without_requests_needs_none() -> None:
    idle = live("1", wanted("stable", variant("1")), 0)

    assert refused({"stable": {**variant("2"), **FIRST}}, [idle], {"stable": "1"}) == []


def test_model_of_others_that_serves_is_no_outage() -> None:
    there = [live("1", wanted("stable", variant("1")), 60), live("9", wanted("hand", variant("3")), 40, mark="")]
    split = {"stable": 60, "9": 40}

    assert refused({"stable": {**variant("2"), **FIRST}}, there, {"stable": "1"}, trafficSplit=split) == []


def test_private_endpoint_tells_what_is_wrong_with_each() -> None:
    given = {"stable": variant("2"), "canary": variant("3")}

    found = refused(given, [STABLE], {"stable": "1"}, network="n", trafficSplit={"stable": 90, "canary": 10})

    assert [message.partition(":")[0] for message in found] == [
        "deployedModels",
        "deployedModels.canary",
        "deployedModels.stable",
    ]


def available(item: Live, replicas: int) -> Live:
    return Live({**item.data, "status": {"availableReplicaCount": replicas}}, item.share)


@pytest.mark.parametrize(
    ("share", "replicas", "wanted_share", "moves"),
    [
        (0, 2, 100, True),
        (0, 1, 100, False),
        (0, 1, 0, True),
        (50, 1, 100, True),
    ],
    ids=["all are up", "one is missing", "it gets no requests", "it serves already"],
)
def test_first_requests_come_with_the_required_replicas(
    share: int, replicas: int, wanted_share: int, moves: bool
) -> None:
    given = {"canary": variant("1", replicas=2)}
    item = available(live("1", wanted("canary", given["canary"]), share), replicas)
    split = {"canary": wanted_share, "9": 100 - wanted_share}

    found = list(unready(Plan({"canary": "1"}), view([item]), all_wanted(given), split))

    assert (found == []) == moves


def test_lack_of_replicas_is_told() -> None:
    given = {"canary": variant("1", replicas=3, requiredReplicaCount=2)}
    item = available(live("1", wanted("canary", given["canary"])), 1)

    (message,) = unready(Plan({"canary": "1"}), view([item]), all_wanted(given), None)

    assert message.startswith("deployedModels.canary: 1 of 2 required replicas are available: run it again")


def test_variant_that_is_not_there_is_told() -> None:
    (message,) = unready(Plan(), view([]), all_wanted({"canary": variant()}), None)

    assert message.startswith("deployedModels.canary: Google reported it deployed, and the endpoint does not have it")
