"""Check and Diff of arguments of which some are not known yet, or are of any type: never a failure, never a crash."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire import programs
from tests.wire.examples import EXAMPLES, REFUSED
from tests.wire.programs import changed
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.server import LIFECYCLES
from tpuserve.resources.fields import Shape

CONFIG = ProviderConfig(programs.PROJECT, programs.LOCATION, programs.ZONE, programs.OWNER)
VALID = {token: examples[0] for token, examples in EXAMPLES.items()}
TOKENS = sorted(VALID)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 99999) | st.floats(-2, 1e9) | st.text(max_size=8) | st.just(UNKNOWN),
    lambda item: st.lists(item, max_size=3) | st.dictionaries(st.text(max_size=8), item, max_size=3),
    max_leaves=6,
)


def paths(value: Any, prefix: str = "") -> Iterator[str]:
    """Every path below `value`, inner ones too."""
    items = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, item in items:
        yield f"{prefix}{key}"
        yield from paths(item, f"{prefix}{key}.")


def known_paths(shape: Shape, path: str = "") -> Iterator[str]:
    """Every argument below a shape; `*` stands for each item of a list and each key of a map."""
    if shape.kind == "object":
        for argument in shape.arguments:
            yield f"{path}{argument.wire}"
            yield from known_paths(argument.shape, f"{path}{argument.wire}.")
    elif shape.item:
        yield from known_paths(shape.item, f"{path}*.")


def given_paths(shape: Shape, value: Any, path: str = "") -> Iterator[str]:
    """Those of them that a value holds."""
    if shape.kind == "object":
        for key, item in value.items():
            yield f"{path}{key}"
            yield from given_paths(shape.by_wire()[key].shape, item, f"{path}{key}.")
    elif shape.item:
        for item in value.values() if shape.kind == "map" else value:
            yield from given_paths(shape.item, item, f"{path}*.")


def replaced(args: dict[str, Any], chosen: list[str], value: Any) -> dict[str, Any]:
    """`args` with `value` at each path; one below another that was replaced already is passed over."""
    for path in sorted(chosen):
        if not any(path.startswith(f"{other}.") for other in chosen):
            args = changed(args, {path: value})
    return args


@st.composite
def partly_unknown(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    token = draw(st.sampled_from(TOKENS))
    chosen = draw(st.lists(st.sampled_from(sorted(paths(VALID[token]))), unique=True))
    return token, replaced(VALID[token], chosen, UNKNOWN)


def apart(chosen: list[str]) -> bool:
    """Whether none of the paths is below another."""
    return not any(one.startswith(f"{other}.") for one in chosen for other in chosen)


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Valid arguments with anything at all at one place or two."""
    token = draw(st.sampled_from(TOKENS))
    args = VALID[token]
    # Paths of the valid arguments alone: what is drawn for one place may have dots in its keys.
    for path in draw(st.lists(st.sampled_from(sorted(paths(args))), min_size=1, max_size=2, unique=True).filter(apart)):
        args = replaced(args, [path], draw(JSON.filter(lambda value: value is not None)))
    return token, args


def check(token: str, args: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    urn = f"urn:pulumi:s::p::{token}::r"
    return Checker(CONFIG).check(LIFECYCLES[token].definition, urn, {}, args, Autonaming())


@pytest.mark.parametrize(("token", "args"), [(token, args) for token in TOKENS for args in EXAMPLES[token]])
def test_valid_arguments_have_no_fault(token: str, args: dict[str, Any]) -> None:
    assert check(token, args)[1] == []


@pytest.mark.parametrize("token", TOKENS)
def test_every_argument_is_in_an_example(token: str) -> None:
    shape = LIFECYCLES[token].definition.shape
    shown = {path for args in EXAMPLES[token] for path in given_paths(shape, args)}

    assert set(known_paths(shape)) - shown - REFUSED == set()


@pytest.mark.parametrize("path", sorted(REFUSED))
def test_what_is_there_to_be_refused_is_refused_with_its_own_reason(path: str) -> None:
    value = 1 if path.endswith("Count") else "TPU_V5_LITEPOD"

    _, faults = check(programs.DEPLOYMENT, changed(VALID[programs.DEPLOYMENT], {path.replace("*", "stable"): value}))

    assert [fault.path for fault in faults] == [path.replace("*", "stable")]
    assert "its 1 chip is part of the machine type" in faults[0].message


@given(partly_unknown())
def test_unknown_is_never_a_fault(case: tuple[str, dict[str, Any]]) -> None:
    assert check(*case)[1] == []


@given(spoiled())
def test_check_answers_whatever_it_is_given(case: tuple[str, dict[str, Any]]) -> None:
    inputs, faults = check(*case)

    assert (isinstance(inputs, dict), all(fault.path and fault.message for fault in faults)) == (True, True)


@pytest.mark.parametrize(
    "path", ["tpu.nodeSpec.0.nodeId", "guaranteed", "bestEffort", "tpu.nodeSpec.0.node.acceleratorType"]
)
def test_second_of_two_that_exclude_each_other_may_turn_out_to_be_absent(path: str) -> None:
    assert check(programs.QUEUED_RESOURCE, changed(VALID[programs.QUEUED_RESOURCE], {path: UNKNOWN}))[1] == []
