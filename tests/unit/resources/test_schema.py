"""The package schema: as it is kept, and whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.golden.write_schema import GOLDEN, text

SCHEMA = json.loads(text())
EFFECTS = ("changes in place", "uploads a new version", "deploys the variant anew", "forces a replacement")


def objects() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object with properties, by name."""
    for token, resource in SCHEMA["resources"].items():
        yield f"{token} (inputs)", {"properties": resource["inputProperties"]}
        yield f"{token} (outputs)", {"properties": resource["properties"]}
    for token, function in SCHEMA["functions"].items():
        yield f"{token} (inputs)", function["inputs"]
        yield f"{token} (outputs)", function["outputs"]
    yield from SCHEMA["types"].items()


def properties() -> list[tuple[str, dict[str, Any]]]:
    return [(f"{name}.{key}", value) for name, item in objects() for key, value in item["properties"].items()]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from [value["$ref"]] if "$ref" in value else []
        for item in value.values():
            yield from references(item)


def test_schema_is_the_golden() -> None:
    """A change that was meant: `python -m tests.golden.write_schema`."""
    assert text() == GOLDEN.read_text(encoding="utf-8")


def test_four_resources() -> None:
    assert sorted(SCHEMA["resources"]) == [
        "tpuserve:tpu:QueuedResource",
        "tpuserve:vertex:Deployment",
        "tpuserve:vertex:Endpoint",
        "tpuserve:vertex:Model",
    ]


def test_five_functions() -> None:
    assert sorted(SCHEMA["functions"]) == [
        "tpuserve:tpu:getAcceleratorTypes",
        "tpuserve:tpu:getRuntimeVersions",
        "tpuserve:vertex:getEndpoint",
        "tpuserve:vertex:getModel",
        "tpuserve:vertex:getModelVersion",
    ]


@pytest.mark.parametrize("token", sorted(SCHEMA["functions"]))
def test_result_of_a_function_is_always_whole(token: str) -> None:
    outputs = SCHEMA["functions"][token]["outputs"]

    assert outputs["required"] == sorted(outputs["properties"])


@pytest.mark.parametrize(("name", "value"), properties(), ids=[name for name, _ in properties()])
def test_property_is_described(name: str, value: dict[str, Any]) -> None:
    assert value["description"].strip()


def test_words_of_the_schema_name_arguments_as_the_wire_does() -> None:
    assert re.findall(r"`[a-z]+(?:_[a-z]+)+`", text()) == []


def test_every_reference_has_its_type() -> None:
    wanted = set(references(SCHEMA))

    assert {reference.removeprefix("#/types/") for reference in wanted} == set(SCHEMA["types"])


@pytest.mark.parametrize("token", sorted(SCHEMA["resources"]))
def test_each_input_of_a_resource_says_what_a_change_does(token: str) -> None:
    inputs = SCHEMA["resources"][token]["inputProperties"]

    silent = [name for name, value in inputs.items() if not any(words in value["description"] for words in EFFECTS)]
    assert silent == []


@pytest.mark.parametrize("token", sorted(SCHEMA["resources"]))
def test_required_inputs_are_outputs_too(token: str) -> None:
    resource = SCHEMA["resources"][token]

    assert set(resource["requiredInputs"]) <= set(resource["required"])
