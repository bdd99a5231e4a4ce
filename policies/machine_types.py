"""Family `machine-types`: on which machines models may be deployed."""

from collections.abc import Iterator
from dataclasses import dataclass

from pulumi_policy import PolicyConfigSchema

from tpuserve import catalog
from tpuserve.catalog import Unknown
from tpuserve.catalog.words import listed

from .family import Answer, Config, Family, Passed, Resource, Unchecked, Violated
from .values import Found, find


@dataclass(frozen=True, slots=True)
class Subject:
    """Where a resource type names a machine type."""

    pattern: str
    tpu_only: bool
    """Whether the resource serves on TPUs alone; else other machines are none of this pack's business."""


SUBJECTS = {
    "tpuserve:vertex:Deployment": Subject("deployedModels.*.dedicatedResources.machineSpec.machineType", True),
    "gcp:vertex/aiEndpointWithModelGardenDeployment:AiEndpointWithModelGardenDeployment": Subject(
        "deployConfig.dedicatedResources.machineSpec.machineType", False
    ),
    "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool": Subject(
        "dedicatedResources.machineSpec.machineType", False
    ),
}
TPU_FAMILIES = ("ct", "tpu")
"""What the names of Google's machine types with TPU chips begin with."""


def machine_types(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether each machine type is one that this stack may use; the configured list is narrower than Check's."""
    subject = SUBJECTS.get(resource.token)
    if not subject:
        return None
    allowed = config.get("allowed") or list(catalog.machine_types())
    return list(_answers(find(resource.properties, subject.pattern), subject, allowed))


def _answers(values: Iterator[Found], subject: Subject, allowed: list[str]) -> Iterator[Answer]:
    for found in values:
        if isinstance(found.value, Unknown):
            yield Unchecked(found.path)
        elif found.value in allowed or not (subject.tpu_only or str(found.value).startswith(TPU_FAMILIES)):
            yield Passed(found.path)
        else:
            yield Violated(found.path, _message(found.value, allowed))


def _message(value: str, allowed: list[str]) -> str:
    return (
        f"{value!r} is not a machine type that this stack may use; use {listed(allowed, 'or')}, or widen "
        "`machine-types.allowed` in the stack's policy configuration"
    )


FAMILY = Family(
    name="machine-types",
    description="Models are deployed on the TPU machine types that the stack's policy configuration allows.",
    rule=machine_types,
    tokens=tuple(SUBJECTS),
    remediation="Use one of the machine types in `machine-types.allowed` of the stack's policy configuration.",
    config_schema=PolicyConfigSchema(
        properties={
            "allowed": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string", "enum": list(catalog.machine_types())},
                "description": "Machine types that this stack may use; all TPU machine types if left out.",
            }
        }
    ),
)
