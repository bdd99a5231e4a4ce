"""The outputs of another stack, read and checked before the first resource is declared."""

from __future__ import annotations

from typing import TypeVar

import pulumi

from tpuserve.stack.contracts import ContractError, EnvironmentContract, fulfilled

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


def environment_of(stack: str | None) -> EnvironmentContract | None:
    """The surroundings that a stack gives; none where none is named. Raises RunError."""
    return None if stack is None else read_contract(EnvironmentContract, stack)
