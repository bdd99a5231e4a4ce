"""`tpuserve:vertex:getModel`: a model of the Vertex AI Model Registry with all its versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Required, TypedDict, Unpack

import pulumi

from tpuserve import catalog
from tpuserve.resources.fields import Field, Input
from tpuserve.resources.functions.definition import Function, in_one_place
from tpuserve.resources.functions.program import invoke, invoke_output
from tpuserve.resources.names import check_model


class GetModelArgs(TypedDict, total=False):
    """Arguments of `get_model`."""

    model: Annotated[Required[Input[str]], Field(check=check_model)]
    """Id of the model, or its full name `projects/P/locations/L/models/M`; without a version."""
    project: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "project"))]
    """Project id, beside an id of a model; the provider's where left out."""
    location: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "region"))]
    """Region, beside an id of a model; the provider's where left out."""


class GetModelVersionOutput(TypedDict, total=False):
    """One version of a model."""

    version_id: str
    """Number of the version."""
    version_name: str
    """`.../models/M@3`: what a Deployment takes as `model`."""
    version_aliases: Sequence[str]
    """Its aliases; exactly one version has `default`."""
    version_description: str
    """Text for people."""
    version_create_time: str
    """When it was uploaded, RFC 3339."""


@dataclass(frozen=True)
class GetModelResult:
    """A model, as it is at this moment."""

    name: str
    """Full name, with Google's project number."""
    model_id: str
    """Id."""
    display_name: str
    """Name for people."""
    description: str
    """Text for people."""
    labels: Mapping[str, str]
    """Labels, tpuserve's own among them."""
    create_time: str
    """When it was first uploaded, RFC 3339."""
    update_time: str
    """When it was last changed, RFC 3339."""
    versions: Sequence[GetModelVersionOutput]
    """Its versions, oldest first."""


FUNCTION = Function(
    token="tpuserve:vertex:getModel",
    args=GetModelArgs,
    result=GetModelResult,
    doc="A model of the Vertex AI Model Registry with all its versions, whoever uploaded it.",
    place="location",
    named="model",
    rules=(in_one_place("model"),),
)


def get_model(*, opts: pulumi.InvokeOptions | None = None, **args: Unpack[GetModelArgs]) -> GetModelResult:
    """A model with all its versions, as it is at this moment."""
    return invoke(FUNCTION, args, opts)


def get_model_output(
    *, opts: pulumi.InvokeOptions | pulumi.InvokeOutputOptions | None = None, **args: Unpack[GetModelArgs]
) -> pulumi.Output[GetModelResult]:
    """`get_model` of arguments that may be outputs; unknown while one of them is."""
    return invoke_output(FUNCTION, args, opts)
