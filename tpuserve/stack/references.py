"""The outputs of another stack, read and checked before the first resource is declared."""

from __future__ import annotations

from typing import TypeVar

import pulumi

from tpuserve.stack.config import StackConfig
from tpuserve.stack.contracts import ContractError, EnvironmentContract, fulfilled
from tpuserve.stack.surroundings import surroundings_faults

T = TypeVar("T")
READ = "pulumi:pulumi:readStackOutputs"
"""The engine's function behind `pulumi.StackReference`, whose own outputs are known too late to refuse anything."""


def read_contract(contract: type[T], stack: str) -> T:
    """What a stack gives, as a contract; `stack` is named as the engine does, `organization/PROJECT/STACK` in a backend
    of one's own. Raises RunError, with every fault."""
    try:
        found = pulumi.runtime.invoke(READ, {"name": stack}).value
    except Exception as error:
        raise pulumi.RunError(f"stack {stack} cannot be read: {error}") from None
    try:
        return fulfilled(contract, stack, found["outputs"], found.get("secretOutputNames") or ())
    except ContractError as error:
        raise pulumi.RunError(str(error)) from None


def surroundings_of(stack: StackConfig) -> EnvironmentContract | None:
    """What the stack that is named gives, fit for this one; none where none is named. Raises RunError."""
    if (name := stack.settings.surroundings) is None:
        return None
    around = read_contract(EnvironmentContract, name)
    if faults := list(surroundings_faults(stack, around)):
        raise pulumi.RunError(str(ContractError(name, faults)))
    return around
