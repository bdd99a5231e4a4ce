"""The pack as the engine asks it: the families, and what the policy configuration says of all of them.

Exemptions, strict mode and a twin's sight of its rule's configuration are no business of a rule. They are done here,
around the policy SDK's own servicer, so that they hold for every rule and in every way of running the pack.
"""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from typing import Any

import grpc
from google.protobuf import json_format
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    ReportViolation,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.policy import _PolicyAnalyzerServicer  # the SDK pins it: its public class cannot be asked in process

from tpuserve.catalog.words import did_you_mean
from tpuserve.declared.answers import TWIN
from tpuserve.hiding import hide

from . import exemptions, schema
from .families import FAMILIES
from .family import DOCS, Family, StackFamily
from .secrets import secrets

NAME = "tpuserve"
DESCRIPTION = "What may be declared for TPU inference on Google Cloud"
STRICT = "strict"
ALL = "all"
"""In a policy configuration: the level of every policy that has none of its own."""
LARGEST = 400 * 1024 * 1024  # bytes of a message, as the SDK has it: a stack is sent as a whole
Today = Callable[[], date]


class ConfigError(Exception):
    """The policy configuration cannot be meant so; all faults at once."""


class Pack(_PolicyAnalyzerServicer):
    """The analyzer of the engine's protocol."""

    def __init__(self, today: Today = date.today, families: Sequence[Family | StackFamily] = FAMILIES) -> None:
        self._today = today
        self._exemptions: list[exemptions.Exemption] = []
        self._names = [family.name for family in families]
        self.policies = [*(each for family in families for each in family.policies(self._is_exempt)), *self._own()]
        super().__init__(
            NAME,
            "0.0.1",  # PulumiPolicy.yaml has the version; this one is for a pack without
            self.policies,
            EnforcementLevel.MANDATORY,
            description=DESCRIPTION,
            display_name="TPU inference",
            readme=f"{DESCRIPTION}: {DOCS} has each rule, its configuration and what to do.",
            provider="gcp",
            tags=["tpu", "vertex-ai", "inference"],
        )

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Take the policy configuration. Raises ConfigError."""
        given = dict(request.policyConfig)
        unread = [fault for each in self.policies if each.name in given for fault in _unread(each, given)]
        of_all = schema.unread(list(given[ALL].properties), None, ALL) if ALL in given else ()
        if faults := [*self.unknown(given), *unread, *of_all]:
            raise ConfigError("\n".join(faults))
        given.pop(ALL, None)  # its level has been given to each policy by the engine, which sends it nevertheless
        self._exemptions = _exemptions(given)
        strict = STRICT in given and given[STRICT].enforcementLevel == analyzer_pb2.MANDATORY
        spread = analyzer_pb2.ConfigureAnalyzerRequest()
        for name, config in given.items():
            spread.policyConfig[name].CopyFrom(config)
        for name in self._names:
            _spread(spread.policyConfig, name, strict)
        return super().Configure(spread, context)

    def Analyze(self, request: Any, context: Any) -> Any:  # noqa: N802
        """What the rules on a resource find."""
        return self._judged(super().Analyze(request, context), request.urn, [request])

    def AnalyzeStack(self, request: Any, context: Any) -> Any:  # noqa: N802
        """What the rules on the stack find."""
        return self._judged(super().AnalyzeStack(request, context), "", request.resources)

    def unknown(self, given: Iterable[str]) -> Iterator[str]:
        """A fault for each name in a policy configuration that is neither a policy's nor `all`."""
        known = {each.name for each in self.policies} | {ALL}
        return (
            f"{name}: the pack has no such policy{did_you_mean(name, known)}" for name in given if name not in known
        )

    def _judged(self, response: Any, subject: str, resources: Iterable[Any]) -> Any:
        today = self._today()
        hidden = _hidden(resources) if response.diagnostics else set[str]()
        for each in response.diagnostics:
            found = each.policyName, each.urn or subject, hide(each.message, hidden)
            is_exempt, each.message = exemptions.judged(self._exemptions, *found, today)
            if is_exempt:
                each.enforcementLevel = analyzer_pb2.ADVISORY
        return response

    def _is_exempt(self, rule: str, urn: str) -> bool:
        return exemptions.judged(self._exemptions, rule, urn, "", self._today())[0]

    def _own(self) -> Iterable[Policy]:
        """The two policies that are there for their configuration."""
        yield StackValidationPolicy(
            name=exemptions.NAME,
            display_name="Exemptions",
            description="Agreed exceptions from the rules: each with its owner, its reason and its last day.",
            validate=self._void,
            enforcement_level=EnforcementLevel.ADVISORY,
            config_schema=exemptions.schema(self._names),
            severity=Severity.MEDIUM,
            remediation_steps="Mend what was exempted and take the exemption out, or agree on another day.",
            url=f"{DOCS}#exemptions",
        )
        yield StackValidationPolicy(
            name=STRICT,
            display_name="Strict mode",
            description="Whether what could not be checked blocks: set this policy's level to mandatory.",
            validate=lambda args, report_violation: None,
            enforcement_level=EnforcementLevel.DISABLED,
            severity=Severity.MEDIUM,
            url=f"{DOCS}#strict",
        )

    def _void(self, args: StackValidationArgs, report_violation: ReportViolation) -> None:
        urns = [each.urn for each in args.resources]
        for message in exemptions.void(self._exemptions, urns, self._today()):
            report_violation(message, None)


def _unread(policy: Policy, config: Mapping[str, Any]) -> Iterator[str]:
    """Keys that the policy does not read; the engine lets them pass."""
    return schema.unread(list(config[policy.name].properties), policy.config_schema, policy.name)


def _hidden(resources: Iterable[Any]) -> set[str]:
    return {text for each in resources for text in secrets(json_format.MessageToDict(each.properties))}


def _exemptions(config: dict[str, Any]) -> list[exemptions.Exemption]:
    """All of them, at any level of their policy: `all` sets that too, and an agreement is no level."""
    given = config.get(exemptions.NAME)
    if given is None:
        return []
    try:
        return exemptions.read(json_format.MessageToDict(given.properties))
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _spread(config: Any, name: str, strict: bool) -> None:
    """Let a twin see its rule's configuration, and say nothing where the rule is disabled."""
    twin = f"{name}{TWIN}"
    if name in config:
        own = config[twin].properties if twin in config else None
        level = config[twin].enforcementLevel if twin in config else analyzer_pb2.ADVISORY
        level = analyzer_pb2.ADVISORY if level == analyzer_pb2.REMEDIATE else level  # nothing mends what is not known
        if not own:
            config[twin].properties.CopyFrom(config[name].properties)
        is_off = config[name].enforcementLevel == analyzer_pb2.DISABLED
        config[twin].enforcementLevel = analyzer_pb2.DISABLED if is_off else level
    if strict and (twin not in config or config[twin].enforcementLevel != analyzer_pb2.DISABLED):
        config[twin].enforcementLevel = analyzer_pb2.MANDATORY


def serve(pack: Pack) -> None:
    """Answer the engine, which reads the port from standard output, until it ends this process."""
    server = grpc.server(ThreadPoolExecutor(max_workers=4), options=[("grpc.max_receive_message_length", LARGEST)])
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(pack, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):  # how the engine ends a pack
        threading.Event().wait()
