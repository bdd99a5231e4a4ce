"""Work that outlasts its call: begun by a commit, taken step by step, ended by a commit, resumed at a restart."""

import asyncio
import contextlib
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from google.longrunning import operations_pb2
from google.protobuf.json_format import MessageToDict

from tpuserve.emulator.clock import Clock
from tpuserve.emulator.errors import ApiError, Code, not_found, number, precondition
from tpuserve.emulator.faults import Faults
from tpuserve.emulator.names import Name
from tpuserve.emulator.operation import CANCELLABLE, Operation, packed, wire
from tpuserve.emulator.settings import Settings
from tpuserve.emulator.store import Store

# Takes the work to its end and returns the response. What it puts last is committed with the end itself.
Run = Callable[[Operation], Awaitable[Any]]


class Operations:
    """All running work. A handler starts it, then saves: the operation is in the file before its name is answered."""

    def __init__(self, settings: Settings, store: Store, clock: Clock, faults: Faults) -> None:
        self._settings, self._store, self._clock, self._faults = settings, store, clock, faults
        self._runs: dict[str, Run] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ended: dict[str, asyncio.Event] = {}
        self._passing: set[str] = set()

    def register(self, kind: str, run: Run) -> None:
        self._runs[kind] = run

    def start(
        self,
        kind: str,
        target: Name,
        data: dict[str, Any],
        *,
        stage: str = "",
        nested: bool = True,
        hidden: bool = False,
    ) -> Operation:
        """Puts a new operation. `nested`: its name lies under its target, as Vertex names operations."""
        now = self._clock.now()
        above = target if nested else target.parent
        identifier = self._store.new_id("operations", self._settings.seed, 19)
        operation = Operation(
            name=str(above.child("operations", identifier)),
            kind=kind,
            target=str(target),
            created=now,
            updated=now,
            data=data,
            stage=stage,
            hidden=hidden,
        )
        operation.vanished = self._faults.vanishes(kind, data.get("request", {}), "before")
        self._store.put("operations", operation.name, operation)
        self._spawn(operation)
        return operation

    def resume(self) -> None:
        """Goes on with all that was running when the state was last written."""
        for _, operation in self._store.items("operations"):
            if not operation.done:
                self._spawn(operation)

    async def stop(self) -> None:
        """Ends all tasks; what they were doing stays as it was last committed."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks.clear()
        for event in self._ended.values():
            event.set()
        self._ended.clear()

    def running(self, prefix: str = "", *, hidden: bool = False) -> list[Operation]:
        """What runs on a target and on all below it."""
        return [
            operation
            for _, operation in self._store.items("operations")
            if not operation.done and operation.hidden == hidden and _under(operation.target, prefix)
        ]

    def abandon(self, target: str, beside: Operation | None = None) -> None:
        """Drops the service's own work on a target that is about to go, beside the one that says so."""
        for operation in self.running(target, hidden=True):
            if operation is beside:
                continue
            if (task := self._tasks.pop(operation.name, None)) is not None:
                task.cancel()
            self._store.drop("operations", operation.name)

    async def step(
        self, operation: Operation, stage: str, seconds: float, *, kind: str = "", last: bool = False
    ) -> None:
        """One step of the work: its time, then a hold, then a fault that strikes here.

        A step that is over when a restart comes is not taken again, and a running one ends when it would have.
        """
        if stage in operation.passed:
            return
        self._entered(operation, stage, seconds)
        kind = kind or operation.kind
        await self._pass(operation, stage, kind)
        request = operation.data.get("request", {})
        if (error := self._faults.operation_error(kind, request, stage, last=last)) is not None:
            raise error
        operation.passed.append(stage)
        operation.updated = self._clock.now()
        self._store.put("operations", operation.name, operation)

    async def _pass(self, operation: Operation, stage: str, kind: str) -> None:
        """The time of a step and its holds; one that is cancelled ends here."""
        self._passing.add(operation.name)
        try:
            if not _ends(operation):
                await self._clock.until(operation.due.get(stage, 0))
                await self._faults.gate(kind)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or not _ends(operation):
                raise
            task.uncancel()
        finally:
            self._passing.discard(operation.name)
        if _ends(operation):
            raise ApiError(Code.CANCELLED, "The operation was cancelled.")

    def cancel(self, operation: Operation) -> None:
        """Source: CancelOperation: best effort; an operation that was cancelled has an error with code CANCELLED."""
        if operation.done:
            return
        operation.cancelled = True
        self._store.put("operations", operation.name, operation)
        self._store.save()
        if _ends(operation) and operation.name in self._passing:
            self._tasks[operation.name].cancel()

    def forget(self, operation: Operation) -> None:
        """Source: DeleteOperation: `the client is no longer interested`; it does not cancel."""
        operation.vanished = True
        self._store.put("operations", operation.name, operation)
        self._store.save()

    def _entered(self, operation: Operation, stage: str, seconds: float) -> None:
        operation.stage = stage
        operation.updated = self._clock.now()
        self._store.put("operations", operation.name, operation)
        if seconds > 0:
            operation.due.setdefault(stage, self._clock.now() + seconds)
            self._store.save()

    def _spawn(self, operation: Operation) -> None:
        self._tasks[operation.name] = asyncio.get_running_loop().create_task(self._run(operation))

    async def _run(self, operation: Operation) -> None:
        try:
            response = await self._runs[operation.kind](operation)
        except ApiError as error:
            operation.code, operation.message = number(error.code), error.message
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            operation.code = number(Code.INTERNAL)
            operation.message = f"The emulator failed: {error!r}. Please report this."
        else:
            operation.response = None if response is None else MessageToDict(packed(response))
        self._end(operation)

    def _end(self, operation: Operation) -> None:
        operation.done, operation.updated = True, self._clock.now()
        operation.vanished |= self._faults.vanishes(operation.kind, operation.data.get("request", {}), "after")
        if operation.hidden:
            self._store.drop("operations", operation.name)
        else:
            self._store.put("operations", operation.name, operation)
        self._store.save()
        self._tasks.pop(operation.name, None)
        if (event := self._ended.pop(operation.name, None)) is not None:
            event.set()

    def found(self, name: str) -> Operation:
        operation = self._store.get("operations", name)
        if operation is None or operation.hidden or operation.vanished:
            raise not_found(name)
        return operation

    def listed(self, prefix: str) -> list[Operation]:
        return [
            operation
            for _, operation in self._store.items("operations", f"{prefix}/")
            if not (operation.hidden or operation.vanished)
        ]

    async def wait(self, operation: Operation, seconds: float) -> operations_pb2.Operation:
        """The operation once it has ended, or as it is when the time is over."""
        if not operation.done:
            event = self._ended.setdefault(operation.name, asyncio.Event())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), seconds)
        if operation.vanished:
            raise not_found(operation.name)
        return wire(operation)


def _ends(operation: Operation) -> bool:
    return operation.cancelled and operation.kind in CANCELLABLE


def refuse_running(operations: list[Operation]) -> None:
    """FAILED_PRECONDITION if anything runs."""
    if operations:
        raise precondition(f"An operation is running: {operations[0].name}. Wait until it has ended.")


def _under(target: str, prefix: str) -> bool:
    return not prefix or target == prefix or target.startswith((f"{prefix}/", f"{prefix}@"))
