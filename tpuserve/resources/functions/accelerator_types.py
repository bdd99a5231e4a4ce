"""`tpuserve:tpu:getAcceleratorTypes`: the accelerator types that Cloud TPU offers in a zone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypedDict, Unpack

import pulumi

from tpuserve import catalog
from tpuserve.resources.fields import Field, Input
from tpuserve.resources.functions.definition import Function
from tpuserve.resources.functions.program import invoke, invoke_output


class GetAcceleratorTypesArgs(TypedDict, total=False):
    """Arguments of `get_accelerator_types`."""

    project: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "project"))]
    """Project id; the provider's where left out."""
    zone: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "zone"))]
    """Zone, such as `us-east5-b`; the provider's where left out."""


class GetAcceleratorConfigOutput(TypedDict, total=False):
    """One shape of an accelerator type."""

    type: str
    """Generation: `V5LITE_POD`, `V5P`, `V6E` ..."""
    topology: str
    """Topology in chips, such as `2x4`."""


class GetAcceleratorTypeOutput(TypedDict, total=False):
    """One accelerator type."""

    name: str
    """Full name, with Google's project number."""
    type: str
    """Such as `v6e-8`: what a queued resource takes as `accelerator_type`."""
    accelerator_configs: Sequence[GetAcceleratorConfigOutput]
    """The shapes it stands for."""


@dataclass(frozen=True)
class GetAcceleratorTypesResult:
    """The accelerator types of a zone."""

    accelerator_types: Sequence[GetAcceleratorTypeOutput]
    """In Google's order; none in a zone without TPUs."""


FUNCTION = Function(
    token="tpuserve:tpu:getAcceleratorTypes",
    args=GetAcceleratorTypesArgs,
    result=GetAcceleratorTypesResult,
    doc="The accelerator types that Cloud TPU offers in a zone. It says nothing of quota or free capacity.",
    place="zone",
)


def get_accelerator_types(
    *, opts: pulumi.InvokeOptions | None = None, **args: Unpack[GetAcceleratorTypesArgs]
) -> GetAcceleratorTypesResult:
    """The accelerator types that Cloud TPU offers in a zone."""
    return invoke(FUNCTION, args, opts)


def get_accelerator_types_output(
    *, opts: pulumi.InvokeOptions | pulumi.InvokeOutputOptions | None = None, **args: Unpack[GetAcceleratorTypesArgs]
) -> pulumi.Output[GetAcceleratorTypesResult]:
    """`get_accelerator_types` of arguments that may be outputs; unknown while one of them is."""
    return invoke_output(FUNCTION, args, opts)
