"""docs/stacks.md lists every key, with the words that the messages use."""

import dataclasses
import re
from pathlib import Path

import pytest

from tpuserve.stack import settings as stack_settings
from tpuserve.stack.decoding import camel
from tpuserve.stack.environments import ENVIRONMENTS, Environment

DOCS = (Path(__file__).parents[3] / "docs" / "stacks.md").read_text()
SECTIONS = [
    stack_settings.CollectionSettings,
    stack_settings.ModelSettings,
    stack_settings.VariantSettings,
    stack_settings.EndpointSettings,
]
ROWS = [(camel(field.name), field.metadata["doc"]) for section in SECTIONS for field in dataclasses.fields(section)]


@pytest.mark.parametrize(("key", "doc"), ROWS)
def test_every_key_has_its_row(key: str, doc: str) -> None:
    assert f"| `{key}` | {doc} |" in DOCS


@pytest.mark.parametrize("field", dataclasses.fields(stack_settings.StackSettings), ids=lambda field: field.name)
def test_every_section_has_its_heading(field: dataclasses.Field) -> None:
    assert f"## `tpu-inference:{camel(field.name)}`\n" in DOCS


def test_no_row_is_of_a_key_that_does_not_exist() -> None:
    keys, _, _ = DOCS.partition("## Policies of a stack")
    rows = re.findall(r"^\| `(\w+)` \|", keys, flags=re.MULTILINE)

    assert sorted(rows) == sorted(key for key, _ in ROWS)


@pytest.mark.parametrize(("name", "environment"), ENVIRONMENTS.items())
def test_every_environment_has_its_row(name: str, environment: Environment) -> None:
    assert f"| `{name}` | {environment.summary} |" in DOCS
