"""The functions that run on the TPU, from aliases to the container's argument and back."""

import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.converter_options import aliases_of, unquoted
from tpuserve.catalog.converter import check_tpu_functions, converter_options, functions_argument
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator.serving.variables import expanded

FLAG = "--converter_options_string"
ALIASES = st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True)
HARD = ["it's", 'a "b"', "back\\slash", "$(HOME) $HOME `x`", "new\nline", "naïve 模型", "nul\x00", "}", "#", "%s"]


def test_the_argument_is_as_googles_page_has_it() -> None:
    assert functions_argument(FLAG, ["partitioning function name"]) == (
        "--converter_options_string='tpu_functions { function_alias: \"partitioning function name\" }'"
    )


def test_each_function_is_a_message_of_its_own() -> None:
    assert (
        converter_options(["f", "g"]) == 'tpu_functions { function_alias: "f" } tpu_functions { function_alias: "g" }'
    )


@given(ALIASES)
def test_the_options_are_read_back_as_the_aliases(aliases: list[str]) -> None:
    assert aliases_of(converter_options(aliases)) == aliases


@given(ALIASES)
def test_a_shell_that_takes_the_quotes_away_finds_the_options(aliases: list[str]) -> None:
    value = functions_argument(FLAG, aliases).removeprefix(f"{FLAG}=")

    assert unquoted(value) == converter_options(aliases)


@given(ALIASES)
def test_no_quote_of_the_value_is_inside_it(aliases: list[str]) -> None:
    assert "'" not in converter_options(aliases)


@given(ALIASES)
@example(["$(HOME)"])
@example(["$$"])
def test_nothing_in_it_is_a_variable_that_vertex_would_expand(aliases: list[str]) -> None:
    argument = functions_argument(FLAG, aliases)

    assert expanded(argument, dict.fromkeys([*aliases, "HOME"], "gone")) == argument


def test_a_real_shell_finds_the_options_of_aliases_that_are_hard_to_quote() -> None:
    script = f"printf %s {functions_argument(FLAG, HARD)}"

    told = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout

    assert aliases_of(told.removeprefix(f"{FLAG}=")) == HARD


@given(st.one_of(st.none(), st.integers(), st.text(), st.lists(st.one_of(st.none(), st.integers(), st.text()))))
@settings(max_examples=200)
def test_anything_is_built_or_refused(functions: object) -> None:
    if check_tpu_functions(functions):  # pyright: ignore[reportArgumentType]
        with pytest.raises(ValueError, match="tpu_functions"):
            converter_options(functions)  # pyright: ignore[reportArgumentType]
    else:
        assert converter_options(functions)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("functions", "faults"),
    [
        ([], [("tpu_functions", "missing; give the alias of each function that runs on the TPU, at least one")]),
        (
            "f",
            [("tpu_functions", "not a list; give the aliases of the functions that run on the TPU as plain text")],
        ),
        (
            ["f", "", 3],
            [
                ("tpu_functions[1]", "'' is not a function alias; give the one that the SavedModel was saved with"),
                ("tpu_functions[2]", "int is not a function alias; give plain text"),
            ],
        ),
        (["f", "f"], [("tpu_functions[1]", "'f' is given twice; remove one")]),
        (
            ["\ud800"],
            [
                (
                    "tpu_functions[0]",
                    "'\\ud800' is not a function alias; give the one that the SavedModel was saved with",
                )
            ],
        ),
        (UNKNOWN, []),
        (["f", UNKNOWN], []),
    ],
)
def test_functions_that_are_refused(functions: object, faults: list[tuple[str, str]]) -> None:
    assert check_tpu_functions(functions) == faults  # pyright: ignore[reportArgumentType]
