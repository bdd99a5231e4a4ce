"""docs/components.md says what the catalog and the components say."""

import json
import re

import pytest
import yaml
from tpuserve.components import serving_model  # pyright: ignore[reportMissingImports]

from tests.docs.pages import ROOT, blocks
from tools.docs import components
from tpuserve import catalog, container
from tpuserve.resources.fields import docs_of
from tpuserve.stack.config import read_stack

PAGE = ROOT / "docs" / "components.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = {row[1]: row[0] for row in re.finditer(r"^\| `(\w+)` \|.*$", TEXT, flags=re.MULTILINE)}


@pytest.mark.parametrize("preset", catalog.container_presets().values(), ids=lambda preset: preset.name)
def test_the_row_of_a_preset_has_all_that_it_decides(preset: catalog.ContainerPreset) -> None:
    functions = ["rank"] if preset.functions_flag else []
    decided = catalog.preset_arguments(preset.name, functions)
    image = decided.pop("image_uri")
    told = [part for value in decided.values() for part in (value if isinstance(value, list) else [value])]

    row = ROWS[preset.name]

    assert f"| {preset.artifact} |" in row
    assert f"`{image}`" in row or "the same" in row
    assert row.split("|")[4].strip() == (" ".join(f"`{part}`" for part in told) or "none")


def test_every_preset_has_a_row() -> None:
    assert [name for name in ROWS if name in catalog.PRESETS] == list(catalog.PRESETS)


def test_the_programs_model_is_one_that_can_be_built() -> None:
    given: dict[str, object] = {}
    program = next(block for block in blocks(PAGE, "python") if "ServingModel" in block)

    exec(program, {"ServingModel": lambda _name, args: given.update(args)})

    assert list(serving_model.container_faults(given)) == []
    assert serving_model.model_args(given)["container_spec"]["args"]


def test_the_stack_file_says_the_same() -> None:
    [block] = blocks(PAGE, "yaml")
    [section] = yaml.safe_load(block).values()

    settings = read_stack({"tpu-inference:model": json.dumps(section)}, "tpu-inference", ROOT).settings

    assert settings.model
    assert (settings.model.preset, settings.model.tpu_functions) == ("tensorflow_partitioned", ["rank"])


def test_the_line_for_a_shell_is_the_librarys() -> None:
    assert f"`MEMLOCK_SHELL`, `{container.MEMLOCK_SHELL}`" in TEXT


def test_the_line_of_a_refusal_is_what_the_library_writes() -> None:
    limits = (8388608, 8388608)
    refused = container.Memlock(container.MEMLOCK_BYTES, limits, limits, "not allowed to raise maximum limit")

    assert f"    {refused}\n" in TEXT


def test_the_tables_of_arguments_are_not_stale() -> None:
    assert components.with_reference(TEXT) == TEXT, "run `.venv/bin/python -m tools.docs resources`"


@pytest.mark.parametrize("arguments", [each for _, each in components.COMPONENTS], ids=lambda each: each.__name__)
def test_every_argument_of_a_component_has_words(arguments: type) -> None:
    assert [name for name in arguments.__annotations__ if not docs_of(arguments).get(name)] == []
