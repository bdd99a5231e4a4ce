"""What `make mutate` takes out of the code."""

import ast
import textwrap
from pathlib import Path

import pytest

from tools.mutate.mutants import Mutant, conditions, orders, rows
from tools.mutate.plan import ADOPTION, ORDERS, everything
from tools.mutate.trying import likely

ROOT = Path(__file__).parents[2]
TABLE = textwrap.dedent(
    '''
    class ThingArgs(TypedDict, total=False):
        """A thing."""

        name: Annotated[Input[str], Field(Effect.REPLACE, check=rule)]
        """Its name."""
        size: Annotated[Input[int], IN_PLACE]
        """Its size."""


    class Other(TypedDict):
        kept: str
    '''
)
STEPS = textwrap.dedent(
    """
    async def run(call):
        await deploy(call)
        await shift(call)
        found = await look(call)
        await undeploy(call, found)


    async def other(call):
        await deploy(call)
    """
)


def by_what(mutants: object) -> dict[str, str]:
    return {mutant.what: mutant.text for mutant in mutants}  # type: ignore[attr-defined]


def test_each_row_of_a_table_is_taken_out_with_its_docstring() -> None:
    text = by_what(rows("f.py", TABLE))["ThingArgs.name taken out"]

    assert "name:" not in text
    assert "Its name" not in text
    assert "size:" in text


def test_a_row_gets_another_effect_and_loses_each_mark() -> None:
    found = by_what(rows("f.py", TABLE))

    assert "Effect.IN_PLACE, check=rule" in found["ThingArgs.name REPLACE made IN_PLACE"]
    assert "Field(Effect.REPLACE)" in found["ThingArgs.name without check"]


def test_what_is_no_arguments_table_stays() -> None:
    assert not [what for what in by_what(rows("f.py", TABLE)) if what.startswith("Other")]


def test_each_part_of_a_condition_is_left_out() -> None:
    found = by_what(conditions("f.py", "def f(a, b):\n    return a and not b\n", ["f"]))

    assert found == {
        "f: without `a`": "def f(a, b):\n    return (not b)\n",
        "f: without `not b`": "def f(a, b):\n    return (a)\n",
    }


def test_a_lone_condition_is_taken_for_true_and_for_false() -> None:
    found = by_what(conditions("f.py", "def f(a):\n    if a > 1:\n        g()\n", ["f"]))

    assert found["f: `a > 1` taken for False"] == "def f(a):\n    if (False):\n        g()\n"
    assert len(found) == 2


def test_steps_that_do_not_need_each_other_are_done_in_turn() -> None:
    found = by_what(orders("f.py", STEPS, ["run"]))

    assert (
        "await shift(call)\n    await deploy(call)\n" in found["run: `await shift(call)` before `await deploy(call)`"]
    )
    assert not [what for what in found if what.startswith("run: `await undeploy(call, found)` before")]


def test_a_step_that_only_acts_is_left_out() -> None:
    assert (
        "await shift(call)\n    found"
        not in by_what(orders("f.py", STEPS, ["run"]))["run: without `await shift(call)`"]
    )


def test_every_mutant_is_python() -> None:
    for mutant in [*rows("f.py", TABLE), *orders("f.py", STEPS, ["run"])]:
        ast.parse(mutant.text)


def test_a_function_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="no function gone"):
        list(conditions("f.py", STEPS, ["gone"]))


def test_a_default_is_no_condition() -> None:
    assert not list(conditions("f.py", "def f(a):\n    return a or {}\n", ["f"]))


def test_every_file_of_the_plan_has_what_the_plan_names() -> None:
    tried = {mutant.path for mutant in everything(ROOT)}

    # The memory decides by what it holds, without a condition of its own.
    assert {*ADOPTION, *ORDERS} - tried == {"tpuserve/provider/memory.py"}


def test_every_change_of_the_plan_is_python() -> None:
    for mutant in everything(ROOT):
        ast.parse(mutant.text)


def test_files_that_speak_of_the_change_are_asked_first() -> None:
    texts = {"a.py": "samplingRate endpoint", "b.py": "endpoint endpoint", "c.py": "nothing"}
    change = Mutant("f.py", 1, "LoggingConfigArgs.sampling_rate taken out", "")

    assert likely(change, texts)[0] == "a.py"


def test_another_effect_is_a_name_that_the_file_knows() -> None:
    for mutant in everything(ROOT):
        if " made " in mutant.what:
            exec(compile(mutant.text, mutant.path, "exec"), {"__name__": "mutant"})
