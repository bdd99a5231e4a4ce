"""A function said once: arguments and result in schema, Invoke and program; and what a program may hand over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import pulumi
import pytest

import tpuserve
from tpuserve import resources
from tpuserve.provider.checking import Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.functions import checked, complete
from tpuserve.resources import functions
from tpuserve.resources.base import inputs_to_wire
from tpuserve.resources.fields import Field, Input
from tpuserve.resources.functions import model_version
from tpuserve.resources.functions.program import invoke, result_of
from tpuserve.resources.schema import schema


class PatientArgs(model_version.GetModelVersionArgs, total=False):
    """Arguments with one more."""

    upload_count: Annotated[Input[int], Field(check=lambda value: "is too many" if value > 3 else None)]
    """How many."""


@dataclass(frozen=True)
class PatientResult:
    """A result with one of each kind."""

    upload_count: int
    """How many."""
    is_new: bool
    """Whether it is new."""
    all_labels: Mapping[str, str]
    """Labels."""
    all_versions: Sequence[functions.model.GetModelVersionOutput]
    """Versions."""


PATIENT = replace(model_version.FUNCTION, args=PatientArgs, result=PatientResult)


def test_schema_has_an_argument_that_is_added() -> None:
    found = schema("0.1.0", functions=(PATIENT,))["functions"][PATIENT.token]

    assert found["inputs"]["properties"]["uploadCount"] == {"description": "How many.", "type": "integer"}
    assert found["outputs"]["properties"]["allLabels"]["type"] == "object"


def test_invoke_checks_an_argument_that_is_added() -> None:
    checker = Checker(ProviderConfig("p", "us-east5", "us-east5-b"))

    _, faults = checked(checker, PATIENT, {"model": "m", "uploadCount": 4})

    assert [str(fault) for fault in faults] == ["uploadCount: is too many"]


def test_program_spells_an_argument_that_is_added() -> None:
    assert inputs_to_wire(PATIENT.shape, {"upload_count": 2}) == {"uploadCount": 2}


def test_result_is_whole_where_google_left_everything_out() -> None:
    assert complete(PATIENT.result_shape, {}) == {
        "uploadCount": 0,
        "isNew": False,
        "allLabels": {},
        "allVersions": [],
    }


def test_nested_result_is_whole_too() -> None:
    [version] = complete(PATIENT.result_shape, {"allVersions": [{"versionId": "3", "more": 1}]})["allVersions"]

    assert version == {
        "versionId": "3",
        "versionName": "",
        "versionAliases": [],
        "versionDescription": "",
        "versionCreateTime": "",
    }


def test_result_has_attributes_in_snake_case() -> None:
    answer = {"uploadCount": 2, "isNew": True, "allLabels": {"a.B": "c"}, "allVersions": [{"versionId": "3"}]}

    assert result_of(PATIENT, answer) == PatientResult(2, True, {"a.B": "c"}, [{"version_id": "3"}])


async def test_plain_form_refuses_an_output() -> None:
    output = pulumi.Output.from_input("m")

    with pytest.raises(pulumi.RunError, match=r"model is an output, .* the function that ends in _output"):
        invoke(model_version.FUNCTION, {"model": output}, None)


def forms() -> list[Callable[..., Any]]:
    return [getattr(functions, name) for name in functions.__all__ if name.startswith("get_")]


def test_each_function_has_a_plain_form_and_one_for_outputs() -> None:
    tokens = [function.token.rsplit(":", 1)[-1] for function in functions.FUNCTIONS]
    names = ["".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in token) for token in tokens]

    assert sorted(form.__name__ for form in forms()) == sorted([*names, *(f"{name}_output" for name in names)])


@pytest.mark.parametrize("form", forms(), ids=lambda form: form.__name__)
def test_each_form_can_be_had_from_the_package_and_beside_the_classes(form: Callable[..., Any]) -> None:
    assert getattr(tpuserve, form.__name__) is form
    assert getattr(resources, form.__name__) is form


def test_package_has_nothing_else() -> None:
    with pytest.raises(AttributeError, match="module 'tpuserve' has no attribute 'get_node'"):
        _ = tpuserve.get_node  # pyright: ignore[reportAttributeAccessIssue]
