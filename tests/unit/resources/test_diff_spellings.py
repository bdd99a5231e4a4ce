"""Two spellings of one thing are no change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.resources.test_effects import ARGS
from tests.wire import programs
from tests.wire.programs import changed
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.server import LIFECYCLES
from tpuserve.resources.diff import changes
from tpuserve.resources.same import canonical, canonical_name, learned

HOST = "https://us-east5-aiplatform.googleapis.com/v1/"
ENDPOINT, BY_NUMBER = "projects/p/locations/us-east5/endpoints/e", "projects/123/locations/us-east5/endpoints/e"
NUMBERS = {"p": "123"}


def found(token: str, before: dict[str, Any], after: dict[str, Any], numbers: dict[str, str]) -> list[str]:
    shape = LIFECYCLES[token].definition.shape
    old, new = canonical(shape, before, numbers), canonical(shape, after, numbers)
    return [change.path for change in changes(shape, old, new)]


@pytest.mark.parametrize(
    "name", [ENDPOINT, HOST + ENDPOINT, f"//aiplatform.googleapis.com/{ENDPOINT}", BY_NUMBER, HOST + BY_NUMBER]
)
def test_endpoint_as_url_path_or_number(name: str) -> None:
    args = ARGS[programs.DEPLOYMENT]

    assert found(programs.DEPLOYMENT, args, changed(args, {"endpoint": name}), NUMBERS) == []


def test_model_by_number() -> None:
    args = ARGS[programs.DEPLOYMENT]
    name = "projects/123/locations/us-east5/models/m@1"

    assert found(programs.DEPLOYMENT, args, changed(args, {"deployedModels.stable.model": name}), NUMBERS) == []


def test_number_that_google_never_answered_is_another_project() -> None:
    args = ARGS[programs.DEPLOYMENT]

    assert found(programs.DEPLOYMENT, args, changed(args, {"endpoint": BY_NUMBER}), {}) == ["endpoint"]


def test_project_by_number() -> None:
    args = ARGS[programs.MODEL]

    assert found(programs.MODEL, args, changed(args, {"project": "123"}), NUMBERS) == []


@pytest.mark.parametrize(("one", "other"), [("3600s", "3600.0s"), ("3600s", "3600.000s"), ("0.5s", "0.50s")])
def test_duration_with_and_without_a_fraction(one: str, other: str) -> None:
    before = changed(ARGS[programs.MODEL], {"containerSpec.deploymentTimeout": one})

    assert found(programs.MODEL, before, changed(before, {"containerSpec.deploymentTimeout": other}), {}) == []


@pytest.mark.parametrize(
    ("given", "answered", "numbers"),
    [
        (ENDPOINT, BY_NUMBER, {"p": "123"}),
        (ENDPOINT, ENDPOINT, {}),
        (BY_NUMBER, BY_NUMBER, {}),
        (ENDPOINT, BY_NUMBER.replace("endpoints/e", "endpoints/f"), {}),
        ("e", BY_NUMBER, {}),
    ],
)
def test_number_is_learned_only_from_an_answer_about_the_same_object(
    given: str, answered: str, numbers: dict[str, str]
) -> None:
    assert learned(given, answered) == numbers


def test_name_that_is_no_project_path_stays() -> None:
    assert canonical_name("https://host/v1/other/thing", NUMBERS) == "other/thing"


NODE = "tpu.nodeSpec.0.node."
SAME = [
    ("guaranteed", {"minDuration": "3600s"}, {"minDuration": "3600.0s"}),
    ("queueingPolicy", {"validAfterDuration": "60s"}, {"validAfterDuration": "60.000s"}),
    ("queueingPolicy", {"validAfterTime": "2026-12-01T08:00:00Z"}, {"validAfterTime": "2026-12-01T09:00:00+01:00"}),
    ("queueingPolicy", {"validUntilTime": "2026-12-01T08:00:00Z"}, {"validUntilTime": "2026-12-01T08:00:00.000Z"}),
    (
        "queueingPolicy",
        {"validInterval": {"endTime": "2026-12-01T08:00:00Z"}},
        {"validInterval": {"endTime": "2026-12-01T08:00:00+00:00"}},
    ),
    (
        f"{NODE}networkConfig.network",
        "projects/p/global/networks/n",
        "https://www.googleapis.com/compute/v1/projects/p/global/networks/n",
    ),
    (f"{NODE}networkConfig.network", "projects/p/global/networks/n", "projects/123/global/networks/n"),
    (
        f"{NODE}dataDisks",
        [{"sourceDisk": "projects/p/zones/us-east5-b/disks/d", "mode": "READ_ONLY"}],
        [{"sourceDisk": "projects/123/zones/us-east5-b/disks/d", "mode": "READ_ONLY"}],
    ),
    (
        "reservationName",
        "projects/p/locations/us-east5-b/reservations/r",
        "projects/123/locations/us-east5-b/reservations/r",
    ),
]


@pytest.mark.parametrize(("path", "one", "other"), SAME)
def test_queued_resource_in_two_spellings(path: str, one: Any, other: Any) -> None:
    args = ARGS[programs.QUEUED_RESOURCE]
    before, after = (changed(args, {path: value}) for value in (one, other))

    assert found(programs.QUEUED_RESOURCE, before, after, NUMBERS) == []


@pytest.mark.parametrize(("path", "one", "other"), SAME)
def test_another_spelling_keeps_the_id(path: str, one: Any, other: Any) -> None:
    """Ids are made from what forces a replacement."""
    args = changed(ARGS[programs.QUEUED_RESOURCE], {"queuedResourceId": None, "project": "p"})
    first = checked(changed(args, {path: one}), {})

    assert checked(changed(args, {path: other}), first)["queuedResourceId"] == first["queuedResourceId"]


def checked(args: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    definition = LIFECYCLES[programs.QUEUED_RESOURCE].definition
    urn = f"urn:pulumi:s::p::{definition.token}::r"
    return Checker(ProviderConfig(), NUMBERS).check(definition, urn, old, args, Autonaming())[0]


def test_accelerator_by_type_or_by_topology() -> None:
    args = ARGS[programs.QUEUED_RESOURCE]
    config = {f"{NODE}acceleratorType": None, f"{NODE}acceleratorConfig": {"type": "V6E", "topology": "2x4"}}

    assert found(programs.QUEUED_RESOURCE, args, changed(args, config), NUMBERS) == []


def test_another_topology_is_a_change() -> None:
    args = ARGS[programs.QUEUED_RESOURCE]
    config = {f"{NODE}acceleratorType": None, f"{NODE}acceleratorConfig": {"type": "V6E", "topology": "2x2"}}

    assert found(programs.QUEUED_RESOURCE, args, changed(args, config), NUMBERS) == [
        "tpu.nodeSpec[0].node.acceleratorType",
        "tpu.nodeSpec[0].node.acceleratorConfig",
    ]


def test_projects_that_may_connect_are_the_same_in_any_order() -> None:
    connect = "privateServiceConnectConfig"
    one, other = (
        changed(ARGS[programs.ENDPOINT], {connect: {"enablePrivateServiceConnect": True, "projectAllowlist": allowed}})
        for allowed in (["project-a", "project-b"], ["project-b", "project-a"])
    )

    assert found(programs.ENDPOINT, one, other, NUMBERS) == []
