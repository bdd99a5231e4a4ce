"""The counter sees what is lost, what is doubled and what is not as declared."""

from typing import Any

import pytest

from tests.crash.counter import miscounted
from tests.crash.inventories import as_declared, collection, deployed, endpoint, model, slice_of
from tests.crash.programs import NOTHING, Program

PROGRAM = Program(slices=2, image="server:2", endpoint="first")


def counted(**changed: Any) -> str:
    return "\n".join(miscounted(PROGRAM, {**as_declared(PROGRAM), **changed}))


DECLARED = [
    NOTHING,
    PROGRAM,
    Program(endpoint="second", slices=4),
    Program(canary="server:2", share=30),
    Program(paused=True),
]


@pytest.mark.parametrize("program", DECLARED, ids=str)
def test_exactly_what_is_declared_is_no_fault(program: Program) -> None:
    assert miscounted(program, as_declared(program)) == []


def test_older_versions_of_the_model_are_no_fault() -> None:
    served = endpoint("first", deployed("7", "m", "2"))

    assert not counted(models=[model("m", "server:1", "server:2")], endpoints=[served])


@pytest.mark.parametrize("kind", ["queuedResources", "nodes", "models", "endpoints"])
def test_anything_left_after_destroy_is_a_fault(kind: str) -> None:
    left = {**as_declared(NOTHING), kind: as_declared(PROGRAM)[kind]}

    assert any(fault.startswith("too many: ") for fault in miscounted(NOTHING, left))


@pytest.mark.parametrize("kind", ["queuedResources", "nodes", "models", "endpoints"])
def test_anything_missing_is_lost(kind: str) -> None:
    assert "lost: 0 " in counted(**{kind: []})


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"queuedResources": [collection("c"), collection("d")]}, "too many: 2 queued resources"),
        ({"nodes": [slice_of("c", number) for number in range(3)]}, "too many: 3 ready slices"),
        ({"models": [model("m", "server:2"), model("n", "server:2")]}, "too many: 2 models"),
        ({"models": [model("m", "server:2", "server:2")]}, "server:2 was uploaded 2 times"),
        (
            {"endpoints": [endpoint("first", deployed("7", "m", "1"), deployed("8", "m", "1"))]},
            "too many: 2 deployed models",
        ),
        ({"endpoints": [endpoint("first", deployed("7", "m", "1")), endpoint("second")]}, "too many: 2 endpoints"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_doubled_is_named(changed: dict[str, Any], fault: str) -> None:
    assert fault in counted(**changed)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"queuedResources": [collection("c", "SUSPENDED")]}, "is SUSPENDED"),
        ({"nodes": [slice_of("c", 0), slice_of("c", 1, "PREEMPTED")]}, "is PREEMPTED"),
        ({"models": [model("m", "server:1")]}, "no version is of server:2, only of server:1"),
        ({"models": [model("m", "server:1", "server:2")]}, "serves server:1, not server:2"),
        ({"endpoints": [endpoint("first", deployed("7", "gone", "1"))]}, "serves a version that is gone"),
        ({"endpoints": [endpoint("first", deployed("7", "m", "1", alive=False))]}, "does not serve"),
        ({"endpoints": [endpoint("second", deployed("7", "m", "1"))]}, "endpoint second is not declared"),
        ({"operations": [{"kind": "deploy_model", "target": "first"}]}, "still running: deploy_model on first"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_as_declared_is_named(changed: dict[str, Any], fault: str) -> None:
    assert fault in counted(**changed)


def test_requests_that_go_elsewhere_are_a_fault() -> None:
    served = endpoint("first", deployed("7", "m", "1"))

    assert "the traffic split is {'server:2': 0}, not {'server:2': 100}" in counted(
        endpoints=[{**served, "trafficSplit": {}}]
    )


def test_a_share_other_than_declared_is_a_fault() -> None:
    program = Program(canary="server:2", share=30)
    served = as_declared(program)["endpoints"][0]

    found = miscounted(program, {**as_declared(program), "endpoints": [{**served, "trafficSplit": {"7": 100}}]})

    assert found == ["the traffic split is {'server:1': 100, 'server:2': 0}, not {'server:1': 70, 'server:2': 30}"]


def test_requests_to_a_deployed_model_that_is_not_there_are_a_fault() -> None:
    served = endpoint("first", deployed("7", "m", "1"))

    assert "requests go to 9" in counted(endpoints=[{**served, "trafficSplit": {"7": 100, "9": 0}}])


def test_what_is_served_while_paused_is_a_fault() -> None:
    paused = Program(paused=True)
    found = miscounted(paused, {**as_declared(paused), "endpoints": as_declared(Program())["endpoints"]})

    assert "too many: 1 deployed models (stable), declared 0" in found
