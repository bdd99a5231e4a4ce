"""What tests do to the emulator on purpose: answers that fail, operations that fail or hang, calls that stop midway."""

import asyncio
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from tpuserve.emulator.errors import ApiError, code_named
from tpuserve.emulator.operation import HIDDEN_KINDS, KINDS
from tpuserve.emulator.record import Call

Phase = Literal["before", "after"]


class Rule(msgspec.Struct, kw_only=True):
    """One fault: which calls or operations it hits, how often, and how often it did."""

    what: Literal["call", "operation"]
    name: str  # a method, or a kind of operation
    code: str
    message: str
    times: int  # -1: always
    skip: int
    match: dict[str, Any] | None = None
    phase: Phase = "before"
    stage: str = ""
    reason: str = ""
    retry_after: float = 0
    appears: bool = False
    seen: int = 0
    hits: int = 0

    def strikes(self, request: Callable[[], Mapping[str, Any]]) -> bool:
        """Whether this occasion is one that the rule hits; counts it."""
        if self.match is not None and not matches(self.match, request()):
            return False
        self.seen += 1
        struck = self.seen > self.skip and (self.times < 0 or self.hits < self.times)
        self.hits += struck
        return struck

    def error(self) -> ApiError:
        message = self.message or f"{self.name} was told to fail."
        code, rest = code_named(self.code), {"reason": self.reason, "retry_after": self.retry_after}
        return ApiError(code, message, appears=self.appears, **rest)


class Break(msgspec.Struct, kw_only=True):
    """A call that is to be stopped: the index-th mutating one from now, before its commit or after it."""

    index: int
    phase: Phase
    call: Call | None = None


class Faults:
    """All rules of one run. Rules are not state: a restarted emulator has none."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self._held: dict[str, asyncio.Event] = {}
        self._break: Break | None = None
        self._broken = asyncio.Event()
        self._released = asyncio.Event()

    def add(self, rule: Rule) -> None:
        """Takes a rule; ValueError for a code or a kind that does not exist."""
        code_named(rule.code)
        if rule.what == "operation":
            checked_kind(rule.name)
        self.rules.append(rule)

    def call_error(self, call: Call, phase: Phase) -> ApiError | None:
        """The error that a call is to be answered with, if a rule strikes in this phase."""
        for rule in self.rules:
            fits = rule.what == "call" and rule.phase == phase and _same_method(rule.name, call)
            if fits and rule.strikes(call.request):
                return rule.error()
        return None

    def operation_error(self, kind: str, request: Mapping[str, Any], stage: str, *, last: bool) -> ApiError | None:
        """The error that an operation is to end with at this stage; a rule without one strikes at the last."""
        for rule in self.rules:
            here = rule.stage == stage or (not rule.stage and last)
            fits = rule.what == "operation" and rule.name == kind and here
            if fits and rule.strikes(lambda: request):
                return rule.error()
        return None

    def hold(self, kind: str) -> None:
        self._held.setdefault(checked_kind(kind), asyncio.Event())

    def release(self, kind: str) -> None:
        if (event := self._held.pop(kind, None)) is not None:
            event.set()

    async def gate(self, kind: str) -> None:
        """Waits as long as operations of this kind are held."""
        while (event := self._held.get(kind)) is not None:
            await event.wait()

    def break_at(self, index: int, phase: Phase) -> None:
        self.release_break()
        self._break = Break(index=index, phase=phase)
        self._broken, self._released = asyncio.Event(), asyncio.Event()

    def counted(self, call: Call) -> Break | None:
        """The break this call has run into, if it is the one waited for."""
        waiting = self._break
        if waiting is None or waiting.call is not None or not call.mutating:
            return None
        waiting.index -= 1
        if waiting.index >= 0:
            return None
        waiting.call = call
        return waiting

    async def stopped(self, met: Break | None, phase: Phase) -> None:
        """Stops a call that has met its break until the break is released or the caller is gone."""
        if met is not None and met.phase == phase and self._break is met:
            self._broken.set()
            await self._released.wait()

    async def wait_broken(self, seconds: float) -> Call | None:
        try:
            await asyncio.wait_for(self._broken.wait(), seconds)
        except TimeoutError:
            return None
        return self._break.call if self._break is not None else None

    def release_break(self) -> None:
        self._released.set()
        self._break = None

    def clear(self) -> None:
        self.rules.clear()
        for kind in list(self._held):
            self.release(kind)
        self.release_break()


def checked_kind(kind: str) -> str:
    """The kind itself; ValueError lists the kinds there are."""
    kinds = (*KINDS, *HIDDEN_KINDS)
    if kind not in kinds:
        raise ValueError(f"{kind!r} is not a kind of operation; kinds are {', '.join(kinds)}")
    return kind


def matches(pattern: Any, found: Any) -> bool:
    """Whether `found` holds all of `pattern`: objects key by key, strings as shell patterns, else by equality."""
    if isinstance(pattern, Mapping):
        return isinstance(found, Mapping) and all(
            key in found and matches(wanted, found[key]) for key, wanted in pattern.items()
        )
    if isinstance(pattern, str) and isinstance(found, str):
        return pattern == found or fnmatchcase(found, pattern)
    return bool(pattern == found)


def _same_method(name: str, call: Call) -> bool:
    return name in {call.method, f"{call.service}/{call.method}", f"{call.service.rpartition('.')[2]}.{call.method}"}
