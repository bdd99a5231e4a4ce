"""A family of policies: one rule, and its twin that reports what the rule could not check."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from tpuserve.declared.answers import TWIN

from . import remedies
from .remedies import Edit
from .values import plain

ReportViolation = Callable[..., None]
Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource as a rule sees it: inputs at the time of the program, in a preview with unknowns."""

    token: str
    """Its type, such as `tpuserve:vertex:Deployment`."""
    name: str
    urn: str
    properties: Any
    """To be read key by key (`values.find`): listing them raises at the first unknown."""
    options: PolicyResourceOptions
    dependencies: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Property -> URNs of the resources that it has its value from; only rules on the whole stack see them."""
    provider: Any = None
    """The settings of its provider, read as `properties` are; None where they are not seen: in rules on the stack."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The rule holds for the value at `path`."""

    path: str
    urn: str = ""


@dataclass(frozen=True, slots=True)
class Violated:
    """The rule does not hold: the value given, the values allowed, the fix."""

    path: str
    message: str
    urn: str = ""
    """The resource that is at fault, where a rule looks at the whole stack; "" for the stack itself."""


@dataclass(frozen=True, slots=True)
class Unchecked:
    """The rule could not be applied to the value at `path`."""

    path: str
    urn: str = ""
    reason: str = "is not known yet"
    """What follows the path in the sentence that says so."""


Answer = Passed | Violated | Unchecked
Rule = Callable[[Resource, Config], Iterable[Answer] | None]
"""None where the rule says nothing about that type."""
StackRule = Callable[[Sequence[Resource], Config], Iterable[Answer]]
"""The same answers for any order of the resources."""
Remedy = Callable[[Resource, Config], Iterable[Edit]]
"""What to change where that is certain; nothing where nothing is to be mended."""
IsExempt = Callable[[str, str], bool]
"""Whether a rule's violations by a resource, given by its URN, are agreed on: then they are not mended either."""


def never(name: str, urn: str) -> bool:
    """Nothing is exempt."""
    return False


DOCS = "docs/policies.md"
"""The page that is made from the families; the pack's URLs lead there, within the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown(ABC):
    """All that is shown of a rule."""

    name: str
    description: str
    remediation: str
    config_schema: PolicyConfigSchema | None = None
    severity: Severity = Severity.HIGH
    level: EnforcementLevel = EnforcementLevel.MANDATORY
    tokens: Sequence[str] = ()
    """Types that the rule looks at."""
    title: str = ""
    """The name for people; made of `name` where left out."""

    @property
    def twin(self) -> str:
        """Name of the policy that reports what the rule could not check."""
        return self.name + TWIN

    @property
    def display_name(self) -> str:
        """The name for people."""
        return self.title or self.name.replace("-", " ").capitalize()

    def _of_rule(self) -> dict[str, Any]:
        return self._common() | {
            "name": self.name,
            "display_name": self.display_name,
            "description": self.description,
            "enforcement_level": self.level,
            "severity": self.severity,
            "remediation_steps": self.remediation,
        }

    def _of_twin(self) -> dict[str, Any]:
        return self._common() | {
            "name": self.twin,
            "display_name": f"{self.display_name}: not checked",
            "description": f"What {self.name} could not check, such as a value that is not known before the update.",
            "enforcement_level": EnforcementLevel.ADVISORY,
            "severity": Severity.LOW,
            "remediation_steps": "Give the value in the program, or look again once the update has made it known.",
        }

    @abstractmethod
    def answers(self, args: Any) -> list[Answer]:
        """What the rule says; an exception names the rule and what it looked at."""

    def _validate(self, args: Any, report_violation: ReportViolation) -> None:
        for answer in self.answers(args):
            if isinstance(answer, Violated):
                report_violation(f"{answer.path}: {answer.message}", answer.urn or None)

    def _validate_twin(self, args: Any, report_violation: ReportViolation) -> None:
        for answer in self.answers(args):
            if isinstance(answer, Unchecked):
                message = f"{answer.path} {answer.reason}, so {self.name} could not be checked here"
                report_violation(message, answer.urn or None)

    def _common(self) -> dict[str, Any]:
        return {
            "config_schema": self.config_schema,
            "tags": ["tpu", self.name.partition("-")[0]],
            "url": f"{DOCS}#{self.name}",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Family(_Shown):
    """A rule on a resource."""

    rule: Rule
    remedy: Remedy | None = None
    """Runs where the policy configuration sets the rule's level to `remediate`."""

    def policies(self, is_exempt: IsExempt = never) -> list[Policy]:
        """The rule and its advisory twin, `<name>-unchecked`."""
        remediate = partial(self._remediate, is_exempt) if self.remedy else None
        return [
            ResourceValidationPolicy(**self._of_rule(), validate=self._validate, remediate=remediate),
            ResourceValidationPolicy(**self._of_twin(), validate=self._validate_twin),
        ]

    def answers(self, args: ResourceValidationArgs) -> list[Answer]:
        """What the rule says of one resource; an exception names the rule and the resource."""
        provider = args.provider.props if args.provider else None
        resource = Resource(args.resource_type, args.name, args.urn, args.props, args.opts, provider=provider)
        try:
            found = self.rule(resource, plain(args.get_config()))
        except Exception as error:
            raise PolicyError(self.name, args.urn, error) from error
        if found is None:
            args.not_applicable(f"{args.resource_type} is not a subject of {self.name}")
        return list(found or ())

    def _remediate(self, is_exempt: IsExempt, args: ResourceValidationArgs) -> Any:
        assert self.remedy
        if is_exempt(self.name, args.urn):
            return None
        given = remedies.tree(args.props)
        resource = Resource(args.resource_type, args.name, args.urn, remedies.readable(given), args.opts)
        try:
            edits = list(self.remedy(resource, plain(args.get_config())))
            remedies.apply(given, edits)
            return given if edits else None
        except Exception as error:
            raise PolicyError(self.name, args.urn, error) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class StackFamily(_Shown):
    """A rule on the whole stack. In a preview the engine shows new resources with their inputs."""

    rule: StackRule

    def policies(self, is_exempt: IsExempt = never) -> list[Policy]:
        """The rule and its advisory twin, `<name>-unchecked`; nothing asks `is_exempt`, for a stack is not mended."""
        return [
            StackValidationPolicy(**self._of_rule(), validate=self._validate),
            StackValidationPolicy(**self._of_twin(), validate=self._validate_twin),
        ]

    def answers(self, args: StackValidationArgs) -> list[Answer]:
        """What the rule says of the stack; an exception names the rule."""
        try:
            return list(self.rule([_resource(each) for each in args.resources], plain(args.get_config())))
        except Exception as error:
            raise PolicyError(self.name, "the stack", error) from error


class PolicyError(Exception):
    """A rule that could not come to an end: a bug of its own, or an argument of a kind that its type does not have."""

    def __init__(self, policy: str, subject: str, error: Exception) -> None:
        cause = "An argument of another kind than its type has does that, and the resource's own faults then name it"
        super().__init__(f"policy {policy} failed on {subject}: {error!r}. {cause}; else please report this")


def _resource(each: PolicyResource) -> Resource:
    sources = {name: [source.urn for source in given] for name, given in each.property_dependencies.items()}
    return Resource(each.resource_type, each.name, each.urn, each.props, each.opts, sources)
