"""What the policy pack said of the program."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from tpuserve.declared.answers import EXEMPTED, TWIN
from tpuserve.report.events import PolicyMessage, Stream
from tpuserve.report.plan import STACK, name_of

Kind = Literal["blocks", "advises", "waived", "mended", "not checked"]
ORDER: tuple[Kind, ...] = ("blocks", "not checked", "waived", "mended", "advises")
MANDATORY = "mandatory"


class Policy(Struct, frozen=True, rename="camel"):
    """One message of a policy."""

    policy: str
    level: str
    kind: Kind
    urn: str
    """Of the resource; "" for the stack."""
    name: str
    text: str
    blocks: bool
    """Whether the run ends for it."""


def policies(stream: Stream) -> tuple[Policy, ...]:
    """Every message, what blocks first."""
    found = [_policy(each) for each in stream.policies]
    return tuple(sorted(found, key=lambda each: (not each.blocks, ORDER.index(each.kind))))


def _policy(each: PolicyMessage) -> Policy:
    is_stack = not each.urn or f"::{STACK}::" in each.urn
    kind = _kind(each)
    text = each.text.partition("\n")[2] or each.text  # the first line is the policy's description
    name = "the stack" if is_stack else name_of(each.urn)
    return Policy(each.policy, each.level, kind, "" if is_stack else each.urn, name, text, each.level == MANDATORY)


def _kind(each: PolicyMessage) -> Kind:
    if each.policy.endswith(TWIN):
        return "not checked"
    if each.level == MANDATORY:
        return "blocks"
    if each.level == "remediate":
        return "mended"
    return "waived" if f"\n{EXEMPTED} " in each.text else "advises"
