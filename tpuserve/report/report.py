"""A whole report, made of events alone: no clock, no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from tpuserve.report import plan
from tpuserve.report.capacity import Capacity, Unsure, capacity, told, unsure
from tpuserve.report.cost import Cost, cost
from tpuserve.report.declared import Side, projects, side
from tpuserve.report.events import Stream
from tpuserve.report.outage import outage
from tpuserve.report.plan import Change, Drift, name_of
from tpuserve.report.policies import Policy, policies
from tpuserve.report.traffic import Traffic, traffic
from tpuserve.report.values import LONGEST, clipped
from tpuserve.report.verdict import CODES, CUT_OFF, Verdict, verdict

FOLLOWS = ("Resource monitor has terminated", "update failed", "preview failed")
"""Errors that only say that there was another one."""


class Said(Struct, frozen=True, rename="camel"):
    """A warning or an error of the run."""

    severity: str
    urn: str
    name: str
    text: str


class Report(Struct, frozen=True, rename="camel"):
    """What a reviewer decides from."""

    schema: Literal["tpuserve.report/1"]
    """The version of this shape: another number where a reader of this one would be misled."""
    title: str
    is_preview: bool
    """Whether nothing was done; else it tells of an update that ran."""
    is_whole: bool
    """Whether the engine came to the end; else there may be more than this."""
    verdict: Verdict
    changes: tuple[Change, ...]
    references: tuple[tuple[str, str], ...]
    """Pairs of URNs of changed resources: the first has a value of the second, as far as values are known."""
    drift: tuple[Drift, ...]
    capacity: tuple[Capacity, ...]
    not_counted: tuple[Unsure, ...]
    """Whose chips are not in `capacity`."""
    cost: Cost
    traffic: tuple[Traffic, ...]
    policies: tuple[Policy, ...]
    policies_passed: int
    """How many of the pack's policies had nothing to say."""
    messages: tuple[Said, ...]

    @property
    def code(self) -> int:
        """The exit code: 0 nothing changes, 1 blocked, 2 changes."""
        return CODES[self.verdict.outcome]


def report(stream: Stream, config: Mapping[str, Any] | None = None, title: str = "") -> Report:
    """Everything that the events of one run tell; `config` is the stack's policy configuration."""
    states = plan.before(stream), plan.after(stream)
    numbers = projects(*states)
    old, new = (side(each, numbers) for each in states)
    found, drift = plan.changes(stream), plan.drift(stream)
    changes = tuple(_whole(each, old, new) for each in found)
    limits = _of(config, "quotas").get("limits") if config is not None else None
    rows = capacity(changes, old, new, limits)
    money = cost(old, new, _of(config, "budget").get("prices") or {})
    said, ruled = _messages(stream), policies(stream)
    named = title or _stack(stream)
    failures = [*_failures(stream, said, ruled), *_vanished(states[0], drift)]
    return Report(
        schema="tpuserve.report/1",
        title=named,
        is_preview=stream.is_preview,
        is_whole=stream.is_whole,
        verdict=verdict(
            named,
            changes=changes,
            drift=drift,
            rows=rows,
            cost=money,
            policies=ruled,
            failures=failures,
            old=old,
        ),
        changes=changes,
        references=plan.references(stream, {each.urn for each in changes}),
        drift=drift,
        capacity=rows,
        not_counted=unsure(new, limits),
        cost=money,
        traffic=traffic(changes, old, new),
        policies=ruled,
        policies_passed=len(stream.passed - {each.policy for each in ruled}),
        messages=said,
    )


def _whole(change: Change, old: Side, new: Side) -> Change:
    """With what only both sides of the whole run tell."""
    chips = told(change, old), told(change, new)
    return replace(change, chips_before=chips[0], chips_after=chips[1], outage=outage(change, old, new))


def _of(config: Mapping[str, Any] | None, policy: str) -> Mapping[str, Any]:
    """The configuration of one policy; a word alone is its level."""
    found = (config or {}).get(policy)
    return found if isinstance(found, Mapping) else {}


def _stack(stream: Stream) -> str:
    """The stack's name, which every URN has."""
    urns = (step.urn for step in (*stream.steps, *stream.refreshed))
    return next((parts[2] for urn in urns if len(parts := urn.split(":")) > 2), "the stack")


def _messages(stream: Stream) -> tuple[Said, ...]:
    found = (
        Said(each.severity, each.urn, name_of(each.urn) or "the stack", clipped(each.text, LONGEST))
        for each in stream.messages
        if each.severity != "info" and each.text and not each.text.startswith(FOLLOWS)
    )
    return tuple(dict.fromkeys(found))  # the engine says of a plugin what it says each time that it is started


def _failures(stream: Stream, said: tuple[Said, ...], found: tuple[Policy, ...]) -> Iterator[str]:
    """Why the run itself is no ground to go on; what policies say is told of them."""
    if stream.result == "failed" and not any(each.blocks for each in found):
        errors = [each for each in said if each.severity == "error"]
        word = "preview" if stream.is_preview else "update"
        yield f"the {word} failed" + (f": {errors[0].text}" if errors else "")
    elif not stream.result:
        yield CUT_OFF


def _vanished(before: Mapping[str, Any], drift: tuple[Drift, ...]) -> Iterator[str]:
    """Kinds of which a refresh found more than half gone, or the whole stack: rather a wrong project than drift."""
    gone = Counter(each.type for each in drift if each.is_gone)
    left = Counter(plan.kinds(before))
    found = [(number, left[kind], f" of {kind}") for kind, number in sorted(gone.items())]
    kinds = [each for each in found if _is_most(*each[:2])]
    whole = (gone.total(), left.total(), " resources")
    for number, kept, what in kinds or ([whole] if _is_most(*whole[:2]) else []):
        yield f"{number} of {number + kept}{what} are gone: look at project, permissions and who deleted them first"


def _is_most(gone: int, left: int) -> bool:
    """One alone is no sign: somebody may have deleted it."""
    return gone > 1 and gone > left
