"""What tests do to the emulator on purpose: answers that fail, operations that fail or hang, calls that stop midway."""

import asyncio
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from tpuserve.emulator.clock import Clock
from tpuserve.emulator.errors import ApiError, SeveredError
from tpuserve.emulator.fault_rules import Fault, Phase, Rule, checked_kind
from tpuserve.emulator.record import Call


class Halt(msgspec.Struct, kw_only=True):
    """A hold or a break as it was asked for, and how often it stopped something."""

    what: Literal["operation", "call"]
    name: str
    effect: Literal["hold", "break"]
    phase: Phase | None = None
    seen: int = 0  # of a break: the mutating calls that came
    hits: int = 0


class Hold(msgspec.Struct, kw_only=True):
    """Operations of one kind that are kept running."""

    halt: Halt
    released: asyncio.Event


class Break(msgspec.Struct, kw_only=True):
    """A call that is to be stopped: the index-th mutating one from now, before its commit or after it."""

    index: int
    phase: Phase
    halt: Halt
    call: Call | None = None


class Faults:
    """All rules of one run. Rules are not state: a restarted emulator has none."""

    def __init__(self, clock: Clock, seed: int = 0) -> None:
        self.rules: list[Rule] = []
        self.halts: list[Halt] = []  # those released included
        self._clock, self._seed = clock, seed
        self._freed = asyncio.Event()
        self._held: dict[str, Hold] = {}
        self._break: Break | None = None
        self._broken = asyncio.Event()
        self._released = asyncio.Event()

    def add(self, *faults: Fault) -> None:
        for fault in faults:
            drawn = {"drawn": f"{self._seed}/{len(self.rules)}"}
            self.rules.append(msgspec.convert(msgspec.to_builtins(fault) | drawn, Rule))

    async def strike(self, call: Call, phase: Phase) -> None:
        """What befalls a call in this phase: an error raised, a time waited, its line cut."""
        for rule in _of_call(self.rules, call, phase):
            if not rule.strikes(call.request):
                continue
            if rule.effect == "delay":
                await self._clock.until(self._clock.now() + rule.seconds)
            elif rule.effect == "stall":
                await self._freed.wait()
            elif rule.effect == "error":
                raise rule.error()
            else:
                raise SeveredError(midway=rule.effect == "truncate")

    def operation_error(self, kind: str, request: Mapping[str, Any], stage: str, *, last: bool) -> ApiError | None:
        """The error that an operation is to end with at this stage; a rule without one strikes at the last."""
        for rule in self._of_operation("error", kind):
            here = rule.stage == stage or (not rule.stage and last)
            if here and rule.strikes(lambda: request):
                return rule.error()
        return None

    def vanishes(self, kind: str, request: Mapping[str, Any], phase: Phase) -> bool:
        """Whether an operation is to be seen no more, from its beginning or from its end on."""
        rules = [rule for rule in self._of_operation("vanish", kind) if rule.phase == phase]
        return any(rule.strikes(lambda: request) for rule in rules)

    def befalling(self, queued_resource_id: str) -> list[Rule]:
        """What befalls a queued resource that has become ACTIVE."""
        rules = [rule for rule in self.rules if rule.what == "queued_resource"]
        named = [rule for rule in rules if fnmatchcase(queued_resource_id, rule.name)]
        return [rule for rule in named if rule.strikes(dict)]

    def _of_operation(self, effect: str, kind: str) -> list[Rule]:
        return [rule for rule in self.rules if (rule.what, rule.effect, rule.name) == ("operation", effect, kind)]

    def hold(self, kind: str) -> None:
        if checked_kind(kind) not in self._held:
            self._held[kind] = Hold(halt=self._asked("operation", kind, "hold"), released=asyncio.Event())

    def release(self, kind: str) -> None:
        if (hold := self._held.pop(kind, None)) is not None:
            hold.released.set()

    def _asked(
        self, what: Literal["operation", "call"], name: str, effect: Literal["hold", "break"], **rest: Any
    ) -> Halt:
        self.halts.append(Halt(what=what, name=name, effect=effect, **rest))
        return self.halts[-1]

    def held(self) -> list[str]:
        """The kinds that are held."""
        return list(self._held)

    async def gate(self, kind: str) -> None:
        """Waits as long as operations of this kind are held."""
        while (hold := self._held.get(kind)) is not None:
            hold.halt.hits += 1
            await hold.released.wait()

    def break_at(self, index: int, phase: Phase) -> None:
        if index < 0:
            raise ValueError(f"index: got {index}; must be 0, the next mutating call, or more")
        self.release_break()
        self._break = Break(index=index, phase=phase, halt=self._asked("call", str(index), "break", phase=phase))
        self._broken, self._released = asyncio.Event(), asyncio.Event()

    def counted(self, call: Call) -> Break | None:
        """The break this call has run into, if it is the one waited for."""
        waiting = self._break
        if waiting is None or waiting.call is not None or not call.mutating:
            return None
        waiting.halt.seen += 1
        waiting.index -= 1
        if waiting.index >= 0:
            return None
        waiting.call = call
        return waiting

    async def stopped(self, met: Break | None, phase: Phase) -> None:
        """Stops a call that has met its break until the break is released or the caller is gone."""
        if met is not None and met.phase == phase and self._break is met:
            met.halt.hits += 1
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
        self._freed.set()
        self._freed = asyncio.Event()
        for kind in list(self._held):
            self.release(kind)
        self.release_break()
        self.halts.clear()


def _of_call(rules: Iterable[Rule], call: Call, phase: Phase) -> list[Rule]:
    return [rule for rule in rules if rule.what == "call" and rule.phase == phase and _same_method(rule.name, call)]


def _same_method(name: str, call: Call) -> bool:
    return name in {call.method, f"{call.service}/{call.method}", f"{call.service.rpartition('.')[2]}.{call.method}"}
