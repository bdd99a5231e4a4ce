"""A field added to a resource's TypedDict is in schema, Check, Diff, the request sent and the program's class."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, TypedDict

import pytest

from tests.wire import programs
from tests.wire.programs import changed
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.resources import endpoint, model
from tpuserve.resources.base import inputs_to_wire
from tpuserve.resources.diff import changes
from tpuserve.resources.fields import NEW_VERSION, Effect, Field, Input
from tpuserve.resources.model import ContainerSpecArgs, ModelArgs
from tpuserve.resources.schema import schema
from tpuserve.resources.wire import from_google, to_google


class EndpointWithNetworkArgs(endpoint.EndpointArgs, total=False):
    """Arguments of an endpoint in a network."""

    private_network: Annotated[Input[str], Field(Effect.REPLACE)]
    """Network of its own."""


class NestedContainerArgs(ContainerSpecArgs, total=False):
    """A container with one more port."""

    grpc_port_count: Input[int]
    """Number of ports for gRPC."""


class NestedModelArgs(ModelArgs, total=False):
    """Arguments of a model with such a container."""

    other_container: Annotated[Input[NestedContainerArgs], NEW_VERSION]
    """Another container."""


ENDPOINT = replace(endpoint.DEFINITION, args=EndpointWithNetworkArgs)
MODEL = replace(model.DEFINITION, args=NestedModelArgs)
CONFIG = ProviderConfig(programs.PROJECT, programs.LOCATION, programs.ZONE, programs.OWNER)


def faults(definition: Any, args: dict[str, Any]) -> list[str]:
    urn = f"urn:pulumi:s::p::{definition.token}::r"
    return [str(fault) for fault in Checker(CONFIG).check(definition, urn, {}, args, Autonaming())[1]]


def test_schema_has_it() -> None:
    found = schema("0.1.0", (ENDPOINT,))["resources"][ENDPOINT.token]["inputProperties"]["privateNetwork"]

    assert found == {"description": "Network of its own. A change forces a replacement.", "type": "string"}


def test_schema_has_it_below() -> None:
    found = schema("0.1.0", (MODEL,))["types"]["tpuserve:vertex:NestedContainer"]["properties"]["grpcPortCount"]

    assert found == {"description": "Number of ports for gRPC.", "type": "integer"}


def test_check_takes_it() -> None:
    assert faults(ENDPOINT, programs.endpoint(privateNetwork="n")) == []


def test_check_refuses_another_type() -> None:
    assert faults(ENDPOINT, programs.endpoint(privateNetwork=5)) == [
        "privateNetwork: expected a string, got 5 (a whole number)"
    ]


def test_check_refuses_another_type_below() -> None:
    args = programs.model(otherContainer={"imageUri": "i", "grpcPortCount": "one"})

    assert faults(MODEL, args) == ["otherContainer.grpcPortCount: expected a whole number, got 'one' (a string)"]


def test_without_it_check_does_not_know_it() -> None:
    (fault,) = faults(endpoint.DEFINITION, programs.endpoint(privateNetwork="n"))

    assert fault.startswith("privateNetwork: is not an argument here")


@pytest.mark.parametrize(
    ("definition", "args", "path", "value", "effect"),
    [
        (ENDPOINT, programs.endpoint(), "privateNetwork", "n", Effect.REPLACE),
        (
            MODEL,
            programs.model(otherContainer={"imageUri": "i"}),
            "otherContainer.grpcPortCount",
            2,
            Effect.NEW_VERSION,
        ),
    ],
)
def test_diff_has_its_effect(definition: Any, args: Any, path: str, value: Any, effect: Effect) -> None:
    found = changes(definition.shape, args, changed(args, {path: value}))

    assert [(change.path, change.effect) for change in found] == [(path, effect)]


def test_it_is_sent() -> None:
    assert to_google(ENDPOINT.shape, programs.endpoint(privateNetwork="n"))["privateNetwork"] == "n"


def test_it_is_read_back() -> None:
    """Google writes 64-bit numbers as text."""
    answer = {"otherContainer": {"grpcPortCount": "2"}}

    assert from_google(MODEL.shape, answer) == {"otherContainer": {"grpcPortCount": 2}}


def test_program_spells_it_in_snake_case() -> None:
    given = {"other_container": {"image_uri": "i", "grpc_port_count": 2}}

    assert inputs_to_wire(MODEL.shape, given) == {"otherContainer": {"imageUri": "i", "grpcPortCount": 2}}


class EnvVarOutput(TypedDict, total=False):
    """An output that is called as an argument's type is."""

    seen: str
    """When it was seen."""


class CollidingOutputs(model.ModelOutputs, total=False):
    """Outputs with one of that type."""

    variable: EnvVarOutput
    """What was seen."""


def test_two_types_of_one_name_are_an_error() -> None:
    with pytest.raises(TypeError, match="two types are called tpuserve:vertex:EnvVar"):
        schema("0.1.0", (replace(model.DEFINITION, outputs=CollidingOutputs),))
