"""`tpuserve:tpu:getRuntimeVersions`: the runtime versions that Cloud TPU offers in a zone."""

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


class GetRuntimeVersionsArgs(TypedDict, total=False):
    """Arguments of `get_runtime_versions`."""

    project: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "project"))]
    """Project id; the provider's where left out."""
    zone: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "zone"))]
    """Zone, such as `us-east5-b`; the provider's where left out."""


class GetRuntimeVersionOutput(TypedDict, total=False):
    """One runtime version."""

    name: str
    """Full name, with Google's project number."""
    version: str
    """Such as `v2-alpha-tpuv6e`: what a queued resource takes as `runtime_version`."""


@dataclass(frozen=True)
class GetRuntimeVersionsResult:
    """The runtime versions of a zone."""

    runtime_versions: Sequence[GetRuntimeVersionOutput]
    """In Google's order; none in a zone without TPUs."""


FUNCTION = Function(
    token="tpuserve:tpu:getRuntimeVersions",
    args=GetRuntimeVersionsArgs,
    result=GetRuntimeVersionsResult,
    doc="The runtime versions that Cloud TPU offers in a zone. Not each of them fits each accelerator type.",
    place="zone",
)


def get_runtime_versions(
    *, opts: pulumi.InvokeOptions | None = None, **args: Unpack[GetRuntimeVersionsArgs]
) -> GetRuntimeVersionsResult:
    """The runtime versions that Cloud TPU offers in a zone."""
    return invoke(FUNCTION, args, opts)


def get_runtime_versions_output(
    *, opts: pulumi.InvokeOptions | pulumi.InvokeOutputOptions | None = None, **args: Unpack[GetRuntimeVersionsArgs]
) -> pulumi.Output[GetRuntimeVersionsResult]:
    """`get_runtime_versions` of arguments that may be outputs; unknown while one of them is."""
    return invoke_output(FUNCTION, args, opts)
