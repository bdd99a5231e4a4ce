"""Family `machine-types`: on which machines models may be deployed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_policy import PolicyConfigSchema

from tpuserve import catalog
from tpuserve.catalog import Unknown
from tpuserve.catalog.words import listed
from tpuserve.declared.chips import TPU_FAMILIES
from tpuserve.declared.tokens import DEPLOYMENT, RAW_GARDEN, RAW_POOL

from .family import Answer, Config, Family, Passed, Resource, Unchecked, Violated
from .remedies import Edit
from .values import Found, find, plain


@dataclass(frozen=True, slots=True)
class Subject:
    """Where a resource type names a machine type."""

    pattern: str
    tpu_only: bool
    """Whether the resource serves on TPUs alone; else other machines are none of this pack's business."""


SUBJECTS = {
    DEPLOYMENT: Subject("deployedModels.*.dedicatedResources.machineSpec.machineType", True),
    RAW_GARDEN: Subject("deployConfig.dedicatedResources.machineSpec.machineType", False),
    RAW_POOL: Subject("dedicatedResources.machineSpec.machineType", False),
}
OTHERS = {"ct3": "TPU v2 or v3", "ct4p": "TPU v4", "ct5p": "TPU v5p", "tpu7x": "Ironwood (TPU7x)"}
"""Generations that the catalog does not serve on, by what their machine types begin with."""
TPU_NAME = r"^(ct|tpu)[0-9][a-z0-9]*-[a-z]+-[0-9]+t$"


def machine_types(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether each machine type is one that this stack may use; the configured list is narrower than Check's."""
    subject = SUBJECTS.get(resource.token)
    if not subject:
        return None
    allowed = config.get("allowed") or list(catalog.machine_types())
    values = _answers(find(resource.properties, subject.pattern), subject, allowed)
    return [*values, *_beside(resource)]


def _answers(values: Iterator[Found], subject: Subject, allowed: list[str]) -> Iterator[Answer]:
    for found in values:
        if isinstance(found.value, Unknown):
            yield Unchecked(found.path)
        elif found.value in allowed or not (subject.tpu_only or str(found.value).startswith(TPU_FAMILIES)):
            yield Passed(found.path)
        else:
            yield Violated(found.path, _message(found.value, allowed))


def _tpu_machines(resource: Resource) -> Iterator[tuple[Found, Mapping[str, Any]]]:
    """Each machine of a TPU machine type: where it is, and what is given of it."""
    subject = SUBJECTS.get(resource.token)
    for found in find(resource.properties, subject.pattern.removesuffix(".machineType")) if subject else ():
        machine = plain(found.value)
        if not isinstance(machine, Unknown) and catalog.machine_type(machine.get("machineType")):
            yield found, machine


def _beside(resource: Resource) -> Iterator[Answer]:
    """Accelerator fields and topology beside a TPU machine type."""
    for found, machine in _tpu_machines(resource):
        kind = machine["machineType"]
        present, topology = [name for name in catalog.ACCELERATOR_FIELDS if name in machine], machine.get("tpuTopology")
        if message := catalog.check_accelerator_fields(kind, present):
            yield Violated(f"{found.path}.{present[0]}", message)
        if isinstance(topology, Unknown):
            yield Unchecked(f"{found.path}.tpuTopology")
        elif message := catalog.check_tpu_topology(kind, topology):
            yield Violated(f"{found.path}.tpuTopology", message)


def without_accelerators(resource: Resource, config: Config) -> Iterator[Edit]:
    """Accelerator fields beside a TPU machine type, taken out."""
    for found, machine in _tpu_machines(resource):
        yield from (Edit((*found.steps, name)) for name in catalog.ACCELERATOR_FIELDS if name in machine)


def _message(value: str, allowed: list[str]) -> str:
    other = next((title for prefix, title in OTHERS.items() if str(value).startswith(prefix)), "")
    is_other = f" ({other}, on which this project does not serve)" if other else ""
    return (
        f"{value!r}{is_other} is not a machine type that this stack may use; use {listed(allowed, 'or')}, or widen "
        "`machine-types.allowed` in the stack's policy configuration"
    )


FAMILY = Family(
    name="machine-types",
    description="Models are deployed on the TPU machine types that the stack's policy configuration allows, without "
    "accelerator fields beside them, and with a topology only for several hosts.",
    rule=machine_types,
    remedy=without_accelerators,
    tokens=tuple(SUBJECTS),
    remediation="Use one of the machine types in `machine-types.allowed` of the stack's policy configuration.",
    config_schema=PolicyConfigSchema(
        properties={
            "allowed": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string", "pattern": TPU_NAME},
                "description": "Machine types that this stack may use; those of v5e and v6e if left out. Newer ones, "
                "such as tpu7x-standard-4t, are used by naming them here.",
            }
        }
    ),
)
