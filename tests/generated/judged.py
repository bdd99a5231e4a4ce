"""What Check and the policy pack say of a stack, before anything is asked of Google."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi.runtime import rpc
from pulumi.runtime.proto import analyzer_pb2
from tpuserve.policies import in_process  # pyright: ignore[reportMissingImports]
from tpuserve.policies.pack import Pack  # pyright: ignore[reportMissingImports]

from tests.generated.stacks import Args, Case, Declared, Unit
from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, PROJECT
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.server import LIFECYCLES

CONFIG = ProviderConfig(PROJECT, programs.LOCATION, programs.ZONE, programs.OWNER)
CHECK, QUOTAS = "check", "quotas"
STACK = -1
"""In place of a unit's index: the stack as a whole."""


@dataclass(frozen=True)
class Finding:
    """What one rule has against one unit."""

    unit: int
    rule: str
    """`check`, or the policy's name."""
    token: str
    message: str
    """The property path first."""


def judged(case: Case, pack: Pack) -> list[Finding]:
    """Every fault that Check finds, and every violation of a mandatory policy."""
    is_limited = case.limits is not None and any(policy.name == QUOTAS for policy in pack.policies)
    limits = {QUOTAS: {"limits": {PROJECT: case.limits}}} if is_limited else {}
    in_process.configure(pack, limits, strict=False)
    checker, found = Checker(CONFIG), list[Finding]()
    shown: list[Any] = []
    owners: dict[str, tuple[int, str]] = {}
    for index, unit in enumerate(case.units):
        for each in unit.resources:
            inputs, faults = _checked(checker, each, unit)
            found += (Finding(index, CHECK, each.token, f"{fault.path}: {fault.message}") for fault in faults)
            shown.append(_shown(each, inputs, unit))
            owners[each.urn] = index, each.token
    return [*found, *_violations(pack, shown, owners)]


def _checked(checker: Checker, each: Declared, unit: Unit) -> tuple[Args, list[Any]]:
    given = _previewed(each.args, UNKNOWN) if unit.previewed else each.args
    return checker.check(LIFECYCLES[each.token].definition, each.urn, {}, given, Autonaming())


def _previewed(args: Args, unknown: Any) -> Args:
    """The arguments while the names of what the same update makes are not known."""
    if "deployedModels" not in args:
        return args
    variants = {name: variant | {"model": unknown} for name, variant in args["deployedModels"].items()}
    return args | {"endpoint": unknown, "deployedModels": variants}


def _shown(each: Declared, inputs: Mapping[str, Any], unit: Unit) -> Any:
    """The resource as the engine shows it to a pack: its inputs, and what they depend on."""
    made = in_process.resource(each.token, each.urn, _on_the_wire(inputs), "", protect=False)
    if each.token == DEPLOYMENT:
        urns = {other.token: other.urn for other in unit.resources}
        for argument, token in (("endpoint", ENDPOINT), ("deployedModels", MODEL)):
            made.propertyDependencies[argument].urns.append(urns[token])
    return made


def _on_the_wire(value: Any) -> Any:
    if value is UNKNOWN:
        return rpc.UNKNOWN
    if isinstance(value, Mapping):
        return {key: _on_the_wire(item) for key, item in value.items()}
    return [_on_the_wire(item) for item in value] if isinstance(value, list | tuple) else value


def _violations(pack: Pack, shown: list[Any], owners: Mapping[str, tuple[int, str]]) -> Iterator[Finding]:
    mandatory = analyzer_pb2.EnforcementLevel.Name(analyzer_pb2.MANDATORY).lower()
    for each in in_process.findings(pack, shown):
        if each.level == mandatory:
            unit, token = owners.get(each.urn, (STACK, ""))
            yield Finding(unit, each.policy, token, each.message)
