"""Any two programs of one resource: the second is brought about, seen at Google, and read back without a difference.

A few dozen of what `make generated` tries by the ten thousand; a pair that once ended wrong is in
tests/wire/test_wire_counterexamples.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generated import values
from tests.generated.cases import Case, cases
from tests.generated.distribution import Distribution
from tests.generated.drawing import FEW
from tests.generated.proof import prove
from tests.generated.world import world
from tpuserve.provider.server import LIFECYCLES
from tpuserve.resources.deployment import DeployedModelArgs
from tpuserve.resources.fields import Shape, shape_of

Prove = Callable[[Case], None]


@pytest.fixture(scope="module")
def proven() -> Iterator[Prove]:
    """Proves one case, in a world that all of them share."""
    with asyncio.Runner() as runner:
        made = runner.run(world())

        def run(case: Case) -> None:
            try:
                runner.run(prove(made, case))
            except BaseException:
                runner.run(made.begin_anew())
                raise

        yield run


@FEW
@given(case=cases())
def test_a_change_ends_in_what_the_second_program_says(proven: Prove, case: Case) -> None:
    proven(case)


SHAPES = {token: lifecycle.definition.shape for token, lifecycle in LIFECYCLES.items()}
SHAPES["variant"] = shape_of(DeployedModelArgs)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_every_argument_has_values_or_a_reason_why_not(shape: Shape) -> None:
    assert isinstance(values.of(shape), st.SearchStrategy)


def test_an_argument_without_values_is_named() -> None:
    shape = Shape("string")

    with pytest.raises(values.NoValuesError, match="unheardOf"):
        values.of_kind("SomeArgs", "unheardOf", shape)


def test_a_distribution_counts_what_came() -> None:
    args = {"endpoint": "$id/e", "deployedModels": {"a": {"model": "$id/a@1"}, "b": {"model": "$id/a@1"}}}
    other = {"endpoint": "$id/e", "deployedModels": {"a": {"model": "$id/a@2"}}, "trafficSplit": {"a": 100}}
    counted = Distribution()

    counted.add(Case("tpuserve:vertex:Deployment", args, other))

    assert counted.traits == {
        "Deployment": 1,
        "several variants": 1,
        "model and split change": 1,
        "several, model and split": 1,
    }
