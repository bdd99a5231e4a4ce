"""The shape of one slice: every type and topology of the catalog, and what does not agree."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Fault, Unclear
from tpuserve.catalog.slices import accelerator_of, check_slice

TYPES = list(catalog.accelerator_types().values())
ACCELERATORS = {name: each.accelerator for name, each in catalog.generations().items()}
RUNTIMES = {name: catalog.runtimes_for(name)[0] for name in catalog.generations()}


def said(**node: Any) -> list[tuple[type, str]]:
    """Kind and path of each answer."""
    return [(type(each), each.path) for each in check_slice(node)]


def config(kind: Any, topology: Any) -> dict[str, Any]:
    return {"acceleratorConfig": {"type": kind, "topology": topology}}


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.name)
def test_every_type_agrees_with_a_runtime_of_its_generation(kind: Any) -> None:
    assert said(acceleratorType=kind.name, runtimeVersion=RUNTIMES[kind.generation]) == []


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.name)
def test_every_type_can_be_given_as_generation_and_topology(kind: Any) -> None:
    node = config(ACCELERATORS[kind.generation], kind.topology)

    assert (said(**node), accelerator_of(node)) == ([], kind.name)


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.name)
def test_no_type_boots_the_runtime_of_another_generation(kind: Any) -> None:
    [other] = RUNTIMES.keys() - {kind.generation}

    assert said(acceleratorType=kind.name, runtimeVersion=RUNTIMES[other]) == [(Fault, "runtimeVersion")]


def test_a_runtime_is_compared_with_the_generation_of_a_config() -> None:
    assert said(**config("V6E", "2x4"), runtimeVersion=RUNTIMES["v5e"]) == [(Fault, "runtimeVersion")]


def test_both_ways_of_naming_the_accelerator_are_one_too_many() -> None:
    assert said(acceleratorType="v6e-8", **config("V6E", "2x4")) == [(Fault, "")]


@pytest.mark.parametrize(
    ("node", "path"),
    [
        ({"acceleratorType": "v6e-12"}, "acceleratorType"),
        (config("V4", "2x2x1"), "acceleratorConfig.type"),
        (config("V6E", "3x3"), "acceleratorConfig.topology"),
    ],
)
def test_what_does_not_exist_is_a_fault(node: dict[str, Any], path: str) -> None:
    assert said(**node) == [(Fault, path)]


@pytest.mark.parametrize(
    ("node", "paths"),
    [
        ({"acceleratorType": UNKNOWN}, ["acceleratorType"]),
        ({"acceleratorConfig": UNKNOWN}, ["acceleratorConfig"]),
        (config(UNKNOWN, "3x3"), ["acceleratorConfig.type"]),
        (config("V6E", UNKNOWN), ["acceleratorConfig.topology"]),
        ({"acceleratorType": "v6e-8", "runtimeVersion": UNKNOWN}, ["runtimeVersion"]),
        ({"acceleratorType": "v6e-8", "acceleratorConfig": UNKNOWN}, ["acceleratorConfig"]),
    ],
)
def test_what_is_not_known_yet_is_unclear_and_no_fault(node: dict[str, Any], paths: list[str]) -> None:
    assert said(**node) == [(Unclear, path) for path in paths]


@pytest.mark.parametrize("node", [{}, {"acceleratorConfig": {"type": "V6E"}}, {"runtimeVersion": "v2-alpha-tpuv6e"}])
def test_what_is_absent_is_not_looked_at(node: dict[str, Any]) -> None:
    assert said(**node) == []


@pytest.mark.parametrize("node", [UNKNOWN, "v6e-8", {}, {"acceleratorConfig": UNKNOWN}, config("V6E", "3x3")])
def test_an_accelerator_that_cannot_be_told_is_unknown(node: Any) -> None:
    assert accelerator_of(node) is UNKNOWN


ANYTHING = st.sampled_from([None, UNKNOWN, "", "v6e-8", "V6E", "2x4", "v2-alpha-tpuv6e", 8, ("2x4",)])


@given(
    st.fixed_dictionaries({}, optional={"acceleratorType": ANYTHING, "runtimeVersion": ANYTHING}), ANYTHING, ANYTHING
)
def test_no_value_makes_it_raise(node: dict[str, Any], kind: Any, topology: Any) -> None:
    answers = list(check_slice(node | config(kind, topology)))

    assert all(isinstance(each, Fault | Unclear) for each in answers)
