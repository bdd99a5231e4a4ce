"""A family of policies: one rule, and its twin that reports what the rule could not check."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    PolicyConfigSchema,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
)

ReportViolation = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Passed:
    """The rule holds for the value at `path`."""

    path: str


@dataclass(frozen=True, slots=True)
class Violated:
    """The rule does not hold: the value given, the values allowed, the fix."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Unchecked:
    """The rule could not be applied: the value at `path` is not known yet."""

    path: str


Answer = Passed | Violated | Unchecked
Rule = Callable[[str, Any, Mapping[str, Any]], Iterable[Answer] | None]
"""Token, properties and policy configuration in; None where the rule says nothing about that type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A rule with all that is shown of it."""

    name: str
    description: str
    rule: Rule
    remediation: str
    config_schema: PolicyConfigSchema | None = None
    severity: Severity = Severity.HIGH

    def policies(self) -> list[ResourceValidationPolicy]:
        """The mandatory rule and its advisory twin, `<name>-unchecked`."""
        return [self._policy(), self._twin()]

    def answers(self, args: ResourceValidationArgs) -> list[Answer]:
        """What the rule says of one resource; an exception names the rule and the resource."""
        try:
            found = self.rule(args.resource_type, args.props, args.get_config())
        except Exception as error:
            raise PolicyError(f"policy {self.name} failed on {args.urn}; please report this: {error!r}") from error
        if found is None:
            args.not_applicable(f"{args.resource_type} is not a subject of {self.name}")
        return list(found or ())

    def _policy(self) -> ResourceValidationPolicy:
        def validate(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
            for answer in self.answers(args):
                if isinstance(answer, Violated):
                    report_violation(f"{answer.path}: {answer.message}")

        return ResourceValidationPolicy(
            name=self.name,
            description=self.description,
            validate=validate,
            enforcement_level=EnforcementLevel.MANDATORY,
            config_schema=self.config_schema,
            severity=self.severity,
            remediation_steps=self.remediation,
        )

    def _twin(self) -> ResourceValidationPolicy:
        def validate(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
            for answer in self.answers(args):
                if isinstance(answer, Unchecked):
                    report_violation(f"{answer.path} is not known yet, so {self.name} could not be checked here")

        return ResourceValidationPolicy(
            name=f"{self.name}-unchecked",
            description=f"Values that {self.name} could not check, since they are not known before the update.",
            validate=validate,
            enforcement_level=EnforcementLevel.ADVISORY,
            config_schema=self.config_schema,
            severity=Severity.LOW,
        )


class PolicyError(Exception):
    """A bug in a policy, not a fault of the program that it looked at."""
