"""The container of a resource that serves a model, as the families on containers look at it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Fault, Unclear, Unknown
from tpuserve.declared.chips import TPU_FAMILIES
from tpuserve.declared.tokens import MODEL, RAW_GARDEN

from .family import Answer, Passed, Resource, Unchecked, Violated
from .values import Found, find, plain


@dataclass(frozen=True, slots=True)
class Subject:
    """Where a resource type has its container."""

    spec: str
    command: str = "command"
    """The bridged provider's word for it is another."""
    artifact: str = ""
    machine: str = ""
    """Path of the machine type; "" for a resource that serves on TPUs alone."""


SUBJECTS = {
    MODEL: Subject("containerSpec", artifact="artifactUri"),
    RAW_GARDEN: Subject(
        "modelConfig.containerSpec",
        command="commands",
        machine="deployConfig.dedicatedResources.machineSpec.machineType",
    ),
}


@dataclass(frozen=True, slots=True)
class Container:
    """A container as Google takes it, `command` under that name, and where it is in the resource."""

    subject: Subject
    spec: Mapping[str, Any]
    artifact: str | Unknown | None
    """Folder of the weights; `UNKNOWN` too for a type that has no such argument."""
    versioned: bool
    """Whether the resource says by `contentVersion` when its contents have changed."""

    def answers(self, found: Iterable[Fault | Unclear]) -> list[Answer]:
        """What a rule found in the container, as answers of the pack."""
        answers: list[Answer] = []
        for each in found:
            path = self._path(each.path)
            fault = isinstance(each, Fault)
            answers.append(Violated(path, each.message) if fault else Unchecked(path, reason=each.reason))
        return answers or [Passed(self.subject.spec)]

    def _path(self, own: str) -> str:
        command = own.removeprefix("command")
        return f"{self.subject.spec}.{own if command == own else self.subject.command + command}"


def answers_on(resource: Resource, look: Callable[[Container], list[Answer]]) -> list[Answer] | None:
    """What `look` says of the container that a resource serves on TPUs; None for a resource of another type."""
    if not (subject := SUBJECTS.get(resource.token)):
        return None
    spec = _first(resource, subject.spec)
    if spec is None:
        return []
    if isinstance(spec.value, Unknown):
        return [Unchecked(spec.path)]
    given = plain(spec.value)
    if not catalog.presets_of(given.get("imageUri")) and subject.machine:
        machine = _first(resource, subject.machine)
        if machine is None or not (machine.value is UNKNOWN or str(machine.value).startswith(TPU_FAMILIES)):
            return []
        if machine.value is UNKNOWN:
            return [Unchecked(machine.path)]
    return look(_container(resource, subject, given))


def _container(resource: Resource, subject: Subject, given: dict[str, Any]) -> Container:
    if subject.command in given:
        given["command"] = given.pop(subject.command)
    artifact = _first(resource, subject.artifact) if subject.artifact else Found("", UNKNOWN)
    versioned = _first(resource, "contentVersion") is not None
    return Container(subject, given, artifact.value if artifact else None, versioned)


def _first(resource: Resource, path: str) -> Found | None:
    return next(find(resource.properties, path), None)
