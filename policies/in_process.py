"""The pack without an engine: configured by the same file, asked by the same messages, in one process."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2
from pulumi_policy import EnforcementLevel

from tpuserve.declared.answers import TWIN

from . import schema
from .pack import ALL, STRICT, ConfigError, Pack

LEVEL = "enforcementLevel"
LEVELS = [each.value for each in EnforcementLevel]


@dataclass(frozen=True, slots=True)
class Finding:
    """One message of a policy on a resource, or on the stack where `urn` is ""."""

    policy: str
    level: str
    urn: str
    message: str

    @property
    def is_unchecked(self) -> bool:
        """Whether it says what could not be checked."""
        return self.policy.endswith(TWIN)


def configure(pack: Pack, given: Mapping[str, Any], strict: bool) -> None:
    """Configure the pack as the engine does with `--policy-pack-config`. Raises ConfigError with all faults."""
    wanted = {name: _spelled(name, value) for name, value in given.items()}
    if strict:
        wanted[STRICT] = {LEVEL: EnforcementLevel.MANDATORY.value}
    of_all = wanted.pop(ALL, {})
    everywhere = {key: value for key, value in of_all.items() if key == LEVEL}
    own = {each.name: {**_defaults(each), **everywhere, **wanted.get(each.name, {})} for each in pack.policies}
    schemas = {each.name: each.config_schema for each in pack.policies if each.config_schema}
    found = [fault for name, value in own.items() for fault in _faults(name, value, schemas.get(name))]
    if faults := [*pack.unknown(wanted), *found, *_faults(ALL, of_all, None)]:
        raise ConfigError("\n".join(faults))
    policies = {name: _message(value) for name, value in own.items()}
    pack.Configure(analyzer_pb2.ConfigureAnalyzerRequest(policyConfig=policies), None)


def resource(  # noqa: PLR0917 - as the engine has it
    token: str, urn: str, inputs: Mapping[str, Any], parent: str, protect: bool, provider: Any = None
) -> Any:
    """A resource as the engine shows it to a pack; `provider` is another one, its provider."""
    options = analyzer_pb2.AnalyzerResourceOptions(protect=protect, parent=parent)
    name = urn.rpartition("::")[2]
    properties = struct_pb2.Struct()
    properties.update(inputs)
    made = analyzer_pb2.AnalyzerResource(
        type=token, urn=urn, name=name, properties=properties, parent=parent, options=options
    )
    if provider is not None:
        made.provider.CopyFrom(
            analyzer_pb2.AnalyzerProviderResource(
                type=provider.type, urn=provider.urn, name=provider.name, properties=provider.properties
            )
        )
    return made


def findings(pack: Pack, resources: Iterable[Any]) -> Iterator[Finding]:
    """What the policies say of the resources, one by one and then of all of them."""
    given = list(resources)
    for each in given:
        request = analyzer_pb2.AnalyzeRequest(
            type=each.type, urn=each.urn, name=each.name, properties=each.properties, options=each.options
        )
        if each.HasField("provider"):
            request.provider.CopyFrom(each.provider)
        yield from _findings(pack.Analyze(request, None), each.urn)
    yield from _findings(pack.AnalyzeStack(analyzer_pb2.AnalyzeStackRequest(resources=given), None), "")


def _findings(response: Any, subject: str) -> Iterator[Finding]:
    for each in response.diagnostics:
        level = analyzer_pb2.EnforcementLevel.Name(each.enforcementLevel).lower()
        yield Finding(each.policyName, level, each.urn or subject, each.message)


def _spelled(name: str, value: Any) -> Mapping[str, Any]:
    """A policy's entry: an object, or its level alone."""
    spelled = {LEVEL: value} if isinstance(value, str) else value
    if not isinstance(spelled, Mapping):
        raise ConfigError(f"{name}: {value!r} is neither a level nor an object")
    if spelled.get(LEVEL, LEVELS[0]) not in LEVELS:
        raise ConfigError(f"{name}: {spelled[LEVEL]!r} is not a level; there are {', '.join(LEVELS)}")
    return spelled


def _defaults(policy: Any) -> dict[str, Any]:
    properties = policy.config_schema.properties if policy.config_schema else {}
    defaults = {key: each["default"] for key, each in properties.items() if "default" in each}
    return {LEVEL: (policy.enforcement_level or EnforcementLevel.MANDATORY).value, **defaults}


def _faults(name: str, value: Mapping[str, Any], own: Any) -> Iterator[str]:
    properties = {key: each for key, each in value.items() if key != LEVEL}
    if own:
        yield from schema.faults(properties, {"properties": own.properties, "required": own.required}, name)
    yield from schema.unread(list(properties), own, name)


def _message(value: Mapping[str, Any]) -> Any:
    properties = struct_pb2.Struct()
    properties.update({key: each for key, each in value.items() if key != LEVEL})
    level = analyzer_pb2.EnforcementLevel.Value(value[LEVEL].upper())
    return analyzer_pb2.PolicyConfig(enforcementLevel=level, properties=properties)
