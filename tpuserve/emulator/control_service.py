"""The control API's other side: one method, `tpuserve.emulator.Control/Call`, a Struct for a Struct."""

from collections.abc import Callable
from typing import Any

import grpc
import grpc.aio
import msgspec
from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct

from tpuserve.emulator.api import Api
from tpuserve.emulator.clock import VirtualClock
from tpuserve.emulator.control import METHOD, plain
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError
from tpuserve.emulator.fault_rules import Fault
from tpuserve.emulator.inventory import inventory
from tpuserve.emulator.quota.quotas import Quotas
from tpuserve.emulator.serving.process import tail
from tpuserve.emulator.settings import changed, delayed
from tpuserve.emulator.status import status

__all__ = ["METHOD", "ControlService"]


class ControlService:
    """What `Control` asks for. A fault of the caller is answered as {"error": ...}, never as a status."""

    def __init__(self, core: Core, api: Api, shut_down: Callable[[], None]) -> None:
        self._core, self._api, self._shut_down = core, api, shut_down
        self._commands: dict[str, Callable[..., Any]] = {
            "calls": lambda mutating_only: core.record.described(mutating_only=mutating_only),
            "clear_calls": core.record.clear,
            "clear_faults": core.faults.clear,
            "plan": lambda faults: core.faults.add(*msgspec.convert(faults, list[Fault])),
            "delay": lambda duration, seconds: delayed(core.settings, duration, seconds),
            "hold": core.faults.hold,
            "release": core.faults.release,
            "kill": self._kill,
            "logs": self._logs,
            "preempt": lambda name: api.suspension.preempt(self._full(name, "queued_resources")),
            "maintain": lambda name, portion=1.0: api.maintenance.begin(self._full(name, "queued_resources"), portion),
            "objects": lambda: inventory(core),
            "break_at": core.faults.break_at,
            "wait_broken": self._wait_broken,
            "release_break": core.faults.release_break,
            "set": self._set,
            "quotas": Quotas(core).described,
            "reset": self._reset,
            "status": lambda: status(core),
            "rules": lambda: msgspec.to_builtins(core.faults.rules),
            "halts": lambda: msgspec.to_builtins(core.faults.halts),
            "advance": self._advance,
            "shutdown": shut_down,
        }

    def handler(self) -> "grpc.RpcMethodHandler[Any, Any]":
        return grpc.unary_unary_rpc_method_handler(
            self._call, request_deserializer=Struct.FromString, response_serializer=Struct.SerializeToString
        )

    async def _call(self, request: Struct, context: "grpc.aio.ServicerContext[Any, Any]") -> Struct:
        try:
            asked = plain(MessageToDict(request))
        except ValueError as error:  # a number that JSON does not have
            answer: dict[str, Any] = {"error": str(error)}
        else:
            answer = await self.answered(asked.get("command", ""), asked.get("arguments", {}))
        response = Struct()
        response.update(answer)
        return response

    async def answered(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """`result`, or `error` in words, of one command."""
        try:
            result = self._commands[command](**arguments)
            return {"result": await result if hasattr(result, "__await__") else result}
        except (ApiError, KeyError, TypeError, ValueError) as error:
            return {"error": f"{command}: {error}"}

    def _set(self, switch: str, value: Any = None) -> None:
        changed(self._core.settings, switch, value)
        self._core.changes.tell_all()

    def _kill(self, name: str) -> None:
        served = [found for found in self._core.processes.all() if _serves(found.name, name)]
        named = {_served_name(found.name) for found in served}
        if len(named) != 1:
            known = ", ".join(found.name for found in self._core.processes.all()) or "nothing"
            raise ValueError(f"{name!r} names {len(named)} of what is served; served is {known}")
        for found in served:
            found.kill()

    def _logs(self, name: str = "", lines: int = 200) -> list[dict[str, Any]]:
        found = {key: path for key, path in self._core.processes.logs().items() if not name or _serves(key, name)}
        if name and not found:
            known = ", ".join(self._core.processes.logs()) or "none"
            raise ValueError(f"{name!r} has no log; there is {known}")
        return [{"name": key, "path": str(path), "lines": tail(path, lines)} for key, path in found.items()]

    def _full(self, name: str, section: str) -> str:
        """A name in full: it may be given by its end, as long as that is of one object."""
        found = [key for key, _ in self._core.store.items(section) if _ends(key, name)]
        return found[0] if len(found) == 1 else name

    async def _wait_broken(self, seconds: float) -> dict[str, Any] | None:
        call = await self._core.faults.wait_broken(seconds)
        return call.described() if call is not None else None

    async def _advance(self, seconds: float) -> None:
        if not isinstance(self._core.clock, VirtualClock):
            raise ValueError('time moves by itself; settings with "clock": "virtual" stop it')
        await self._core.clock.advance(seconds)

    async def _reset(self) -> None:
        await self._core.operations.stop()
        self._core.faults.clear()
        self._core.lag.clear()
        self._core.servers.abandon()
        self._core.processes.clear()
        self._core.store.clear()
        self._core.store.save()
        self._core.record.clear()
        self._core.restore_settings()
        self._core.faults.add(*self._core.settings.faults)


def _served_name(name: str) -> str:
    """What a process serves: a node, or a deployed model, of which it is one replica."""
    return name.rpartition("/replicas/")[0] or name


def _serves(name: str, asked: str) -> bool:
    return _ends(name, asked) or _ends(_served_name(name), asked)


def _ends(name: str, end: str) -> bool:
    return name == end or name.endswith(f"/{end}")
