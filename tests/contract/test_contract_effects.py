"""The effect of a change of each argument is what Google's own descriptions of the field say, exceptions by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from google.cloud import aiplatform_v1

from tests.contract import descriptions
from tpuserve.resources import deployment, endpoint, model, queued_resource
from tpuserve.resources.fields import Argument, Effect, Field, Shape, shape_of

# Where Google's descriptions say nothing of what an update does. MM: Endpoint.yaml of magic-modules, the description
# from which Google's Terraform provider is made.
ENDPOINT_REPLACEMENTS = {
    "network": "MM: immutable",
    "encryption_spec": "MM: immutable",
    "private_service_connect_config": "MM: enablePrivateServiceConnect is immutable; no source changes it in place",
    "dedicated_endpoint_enabled": "no source changes it; its description says that it cannot be taken back: 'Once you "
    "enabled dedicated endpoint, you won't be able to send request to the shared DNS'",
}
MODEL_EXCEPTIONS = {
    "encryption_spec": (Effect.REPLACE, "a key secures the Model and all sub-resources: not one version's own"),
}


def snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda found: f"_{found[1].lower()}", name)


def sent(shape: Shape) -> list[Argument]:
    return [argument for argument in shape.arguments if not argument.field.ours]


def leaves(shape: Shape, mark: Field, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Effect]]:
    """Each argument that is sent, at its deepest, with the effect it has there."""
    for argument in sent(shape):
        own = argument.field if argument.field.effect else mark
        here = (*path, snake(argument.wire))
        if argument.shape.kind == "object" and sent(argument.shape):
            yield from leaves(argument.shape, own, here)
        else:
            yield here, own.effect or Effect.IN_PLACE


def test_every_field_of_a_queued_resource_is_replaced() -> None:
    assert not descriptions.queued_resources_can_be_updated()

    found = [path for path, effect in leaves(queued_resource.DEFINITION.shape, Field()) if effect is not Effect.REPLACE]

    assert found == []


@pytest.mark.parametrize("argument", sent(model.DEFINITION.shape), ids=lambda argument: argument.wire)
def test_a_field_of_a_model_changes_in_place_if_updatemodel_may(argument: Argument) -> None:
    name = snake(argument.wire)
    in_place = name in descriptions.mutable_in_a_model()
    expected = Effect.IN_PLACE if in_place else MODEL_EXCEPTIONS.get(name, (Effect.NEW_VERSION, ""))[0]

    assert argument.field.effect is expected


@pytest.mark.parametrize("argument", sent(model.DEFINITION.shape), ids=lambda argument: argument.wire)
def test_an_immutable_field_of_a_model_never_changes_in_place(argument: Argument) -> None:
    fixed = descriptions.fields(aiplatform_v1.Model, "Immutable") | descriptions.fields(
        aiplatform_v1.Model, "Input only"
    )

    assert (snake(argument.wire) in fixed, argument.field.effect) != (True, Effect.IN_PLACE)


@pytest.mark.parametrize("argument", sent(endpoint.DEFINITION.shape), ids=lambda argument: argument.wire)
def test_a_field_of_an_endpoint_changes_in_place_unless_a_source_says_otherwise(argument: Argument) -> None:
    name = snake(argument.wire)
    fixed = descriptions.fields(aiplatform_v1.Endpoint, "Immutable") | set(ENDPOINT_REPLACEMENTS)

    assert argument.field.effect is (Effect.REPLACE if name in fixed else Effect.IN_PLACE)


def test_no_argument_is_a_field_that_google_calls_output_only() -> None:
    pairs = [
        (model.DEFINITION.shape, aiplatform_v1.Model),
        (endpoint.DEFINITION.shape, aiplatform_v1.Endpoint),
        (shape_of(deployment.DeployedModelArgs), aiplatform_v1.DeployedModel),
    ]
    found = [
        argument.wire
        for shape, wrapper in pairs
        for argument in sent(shape)
        if snake(argument.wire) in descriptions.fields(wrapper, "Output only")
    ]

    assert found == []


VARIANT = dict(leaves(shape_of(deployment.DeployedModelArgs), Field(Effect.REDEPLOY)))


@pytest.mark.parametrize("path", VARIANT, ids=".".join)
def test_a_field_of_a_variant_changes_in_place_if_mutatedeployedmodel_may(path: tuple[str, ...]) -> None:
    in_place = bool(descriptions.mutable_in_a_deployed_model() & set(path))

    assert VARIANT[path] is (Effect.IN_PLACE if in_place else Effect.REDEPLOY)


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        ("Required. Immutable. The type.", {"Required", "Immutable"}),
        ("The name. Immutable. Not at the beginning.", set()),
    ],
)
def test_only_the_words_at_the_beginning_are_its_mode(described: str, expected: set[str]) -> None:
    assert descriptions.modes(described) == expected


def test_mutatedeployedmodel_changes_what_its_version_has() -> None:
    assert descriptions.mutable_in_a_deployed_model() == {
        "min_replica_count",
        "max_replica_count",
        "required_replica_count",
        "autoscaling_metric_specs",
        "disable_container_logging",
    }


def test_the_long_running_update_is_for_the_connection_alone() -> None:
    assert descriptions.mutable_in_the_long_running_update() == {"client_connection_config"}


def test_an_exception_is_a_field_that_google_has() -> None:
    known = {*descriptions.described(aiplatform_v1.Endpoint), *descriptions.described(aiplatform_v1.Model)}

    assert {*ENDPOINT_REPLACEMENTS, *MODEL_EXCEPTIONS} <= known
