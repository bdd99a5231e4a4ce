"""`tpuserve:vertex:getModelVersion`: one version of a model, by its number or an alias; whoever uploaded it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Required, TypedDict, Unpack

import pulumi

from tpuserve import catalog
from tpuserve.catalog.faults import Fault
from tpuserve.resources.fields import Field, Input
from tpuserve.resources.functions.definition import Function, in_one_place
from tpuserve.resources.functions.program import invoke, invoke_output
from tpuserve.resources.names import check_model


class GetModelVersionArgs(TypedDict, total=False):
    """Arguments of `get_model_version`."""

    model: Annotated[Required[Input[str]], Field(check=check_model)]
    """Id of the model, or its full name `projects/P/locations/L/models/M`; without a version."""
    alias: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "versionAlias"))]
    """Alias of the version; the model's default version where alias and version are left out."""
    version: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "versionId"))]
    """Number of the version, as text; at most one of alias and version."""
    project: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "project"))]
    """Project id, beside an id of a model; the provider's where left out."""
    location: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "region"))]
    """Region, beside an id of a model; the provider's where left out."""


@dataclass(frozen=True)
class GetModelVersionResult:
    """One version of a model, as it is at this moment."""

    name: str
    """Full name of the model, with Google's project number, without a version."""
    model_id: str
    """Id of the model."""
    version_id: str
    """Number of the version."""
    version_name: str
    """`.../models/M@3`: what a Deployment takes as `model`."""
    version_aliases: Sequence[str]
    """Aliases of the version."""
    display_name: str
    """The model's name for people."""
    description: str
    """The model's text for people."""
    version_description: str
    """The version's text for people."""
    labels: Mapping[str, str]
    """Labels, tpuserve's own among them."""
    artifact_uri: str
    """Folder with the weights, `gs://...`."""
    create_time: str
    """When the model was first uploaded, RFC 3339."""
    version_create_time: str
    """When the version was uploaded, RFC 3339."""
    version_update_time: str
    """When the version was last changed, RFC 3339."""


def _rules(arguments: Mapping[str, Any]) -> Iterator[Fault]:
    if arguments.get("alias") is not None and arguments.get("version") is not None:
        yield Fault("version", "alias is given as well: give one of the two, or neither for the default version")


FUNCTION = Function(
    token="tpuserve:vertex:getModelVersion",
    args=GetModelVersionArgs,
    result=GetModelVersionResult,
    doc="One version of a model, whoever uploaded it. It is looked up in each preview and update, so that an alias "
    "that moved shows as a change of what uses `version_name`.",
    place="location",
    named="model",
    rules=(in_one_place("model"), _rules),
)


def get_model_version(
    *, opts: pulumi.InvokeOptions | None = None, **args: Unpack[GetModelVersionArgs]
) -> GetModelVersionResult:
    """One version of a model, by its number or an alias, as it is at this moment."""
    return invoke(FUNCTION, args, opts)


def get_model_version_output(
    *, opts: pulumi.InvokeOptions | pulumi.InvokeOutputOptions | None = None, **args: Unpack[GetModelVersionArgs]
) -> pulumi.Output[GetModelVersionResult]:
    """`get_model_version` of arguments that may be outputs; unknown while one of them is."""
    return invoke_output(FUNCTION, args, opts)
