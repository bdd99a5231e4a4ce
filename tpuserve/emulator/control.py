"""The client of the control API: what tests and `make` do to an emulator, from any process."""

import contextlib
from typing import Any, ClassVar, Literal

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct

METHOD = "/tpuserve.emulator.Control/Call"
Phase = Literal["before", "after"]


class ControlError(Exception):
    """The emulator does not know what was asked for; the message says what there is."""


class Control:
    """One emulator's control API; every method is one call. To be closed, or used as a context manager."""

    watched: "ClassVar[dict[Control, list[dict[str, Any]]] | None]" = None
    """Where somebody wants to know what of faults, holds and breaks is met: who asked for some, with those taken back
    unmet."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._closed = False
        self._channel = grpc.insecure_channel(address, [("grpc.max_receive_message_length", -1)])
        self._call = self._channel.unary_unary(
            METHOD, request_serializer=Struct.SerializeToString, response_deserializer=Struct.FromString
        )

    def __enter__(self) -> "Control":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._miss()
        self._closed = True
        self._channel.close()

    def calls(self, mutating_only: bool = False) -> list[dict[str, Any]]:
        """Every call since the start or the last clear, in order: index, service, method, mutating, request (JSON
        names as on the wire; a prediction's endpoint alone, a container's environment without its values), metadata
        (without tokens), code (empty while there is no answer) and time."""
        return self._ask("calls", mutating_only=mutating_only)

    def clear_calls(self) -> None:
        self._ask("clear_calls")

    def fail(  # noqa: PLR0917 - the arguments of one sentence
        self,
        method: str,
        code: str,
        message: str = "",
        times: int = 1,
        skip: int = 0,
        phase: Phase = "before",
        match: dict[str, Any] | None = None,
        reason: str = "",
        retry_after: float = 0,
    ) -> None:
        """Answers a method with an error, `times` times (-1: always) after `skip` calls have passed.

        `phase="after"`: the effect is committed, the answer alone is lost. `match`: only requests that hold these JSON
        fields; strings are shell patterns. In the error's details: `reason` of google.rpc.ErrorInfo, `retry_after`
        (seconds) of google.rpc.RetryInfo.
        """
        self._fault(
            "call",
            method,
            code=code,
            message=message,
            times=times,
            skip=skip,
            phase=phase,
            match=match,
            reason=reason,
            retry_after=retry_after,
        )

    def fail_operation(  # noqa: PLR0917 - the arguments of one sentence
        self,
        kind: str,
        code: str,
        message: str = "",
        times: int = 1,
        skip: int = 0,
        match: dict[str, Any] | None = None,
        stage: str = "",
        appears: bool = False,
    ) -> None:
        """Ends operations of a kind (deploy_model, upload_model, qr_waiting, ...) in an error.

        `match` looks at the request that began it. For deploy_model: at a stage, the last by default, and with
        `appears` the deployed model is left in its endpoint all the same.
        """
        self._fault(
            "operation",
            kind,
            code=code,
            message=message,
            times=times,
            skip=skip,
            match=match,
            stage=stage,
            appears=appears,
        )

    def disturb(  # noqa: PLR0917 - the arguments of one sentence
        self,
        method: str,
        effect: Literal["delay", "stall", "reset", "truncate"],
        seconds: float = 0,
        times: int = 1,
        skip: int = 0,
        phase: Phase = "before",
        match: dict[str, Any] | None = None,
    ) -> None:
        """Answers a method late, never, by a cut line or with half an answer.

        `delay`: after so many seconds of the emulator's clock. `stall`: not before the caller goes away or the faults
        are cleared. `reset`: the connection breaks, with `phase="after"` after the effect. `truncate`: after it.
        """
        self._fault("call", method, effect=effect, seconds=seconds, times=times, skip=skip, phase=phase, match=match)

    def vanish(
        self,
        kind: str,
        times: int = 1,
        skip: int = 0,
        phase: Phase = "before",
        match: dict[str, Any] | None = None,
    ) -> None:
        """Makes operations of a kind NOT_FOUND, from their beginning on or from their end; their work is done."""
        self._fault("operation", kind, effect="vanish", times=times, skip=skip, phase=phase, match=match)

    def befall(
        self,
        queued_resource: str,
        effect: Literal["preempt", "maintain"],
        seconds: float = 0,
        times: int = 1,
        portion: float = 1,
    ) -> None:
        """Preempts queued resources so many seconds after they are ACTIVE, or begins maintenance on them; a shell
        pattern of their ids."""
        self._fault("queued_resource", queued_resource, effect=effect, seconds=seconds, times=times, portion=portion)

    def plan(self, faults: list[dict[str, Any]]) -> None:
        """Adds faults as the setting `faults` holds them."""
        self._watch()
        self._ask("plan", faults=faults)

    def _watch(self) -> None:
        if Control.watched is not None:
            Control.watched.setdefault(self, [])

    def _fault(self, what: str, name: str, **rest: Any) -> None:
        self.plan([{"what": what, "name": name} | {key: value for key, value in rest.items() if value is not None}])

    def clear_faults(self) -> None:
        """Takes back every fault, hold and break, met or not; what was told to fail before has failed."""
        self._miss()
        self._ask("clear_faults")

    def delay(self, duration_name: str, seconds: float) -> None:
        """Sets one of the durations of the settings, for steps that begin from now on."""
        self._ask("delay", duration=duration_name, seconds=seconds)

    def hold(self, kind: str) -> None:
        """Keeps operations of a kind running until `release`."""
        self._watch()
        self._ask("hold", kind=kind)

    def release(self, kind: str) -> None:
        self._ask("release", kind=kind)

    def kill(self, name: str) -> None:
        """Ends the processes behind a deployed model (endpoints/E/deployedModels/ID), one of them (.../replicas/0) or a
        node's, as a crash would. A model server starts again after its back-off, a node's process does not."""
        self._ask("kill", name=name)

    def logs(self, name: str = "", lines: int = 200) -> list[dict[str, Any]]:
        """What the processes behind a deployed model or a node wrote last, or without a name all of them, those that
        ended included: name, path and lines of each."""
        return self._ask("logs", name=name, lines=lines)

    def preempt(self, queued_resource: str) -> None:
        """Takes an ACTIVE queued resource's nodes away: SUSPENDING, then SUSPENDED."""
        self._ask("preempt", name=queued_resource)

    def maintain(self, queued_resource: str, portion: float = 1.0) -> list[str]:
        """Begins a maintenance event on that portion of the nodes; returns the names of the nodes it will go over."""
        return self._ask("maintain", name=queued_resource, portion=portion)

    def objects(self) -> dict[str, list[dict[str, Any]]]:
        """Every live object by kind (queuedResources, nodes, models, endpoints) and the running operations."""
        return self._ask("objects")

    def break_at(self, index: int, phase: Phase = "before") -> None:
        """Stops a mutating call: 0 is the next one from now. `before`: nothing is committed yet and, if its caller goes
        away, never will be. `after`: it is committed, and not yet answered."""
        self._watch()
        self._ask("break_at", index=index, phase=phase)

    def wait_broken(self, timeout: float = 10.0) -> dict[str, Any] | None:
        """The call that was stopped, as in `calls`; None if none was in that many seconds."""
        return self._ask("wait_broken", seconds=timeout)

    def release_break(self) -> None:
        """Lets the stopped call go on, or takes a break back that was not met."""
        self._ask("release_break")

    def set(self, switch: str, value: Any) -> None:
        """Sets one of the switches of the settings."""
        self._ask("set", switch=switch, value=value)

    def quotas(self) -> list[dict[str, Any]]:
        """Every quota and place that has a limit or is used: project, quota, metric, location, limit (absent: none)
        and used, in chips."""
        return self._ask("quotas")

    def reset(self) -> None:
        """Back to an empty emulator with the settings it was started with: no objects, rules, calls or processes."""
        self._ask("reset")

    def status(self) -> dict[str, Any]:
        """The whole at one moment: `objects`, the newest `operations` and `calls`, `faults`, `held` kinds, `quotas`,
        `time` and `clock`."""
        return self._ask("status")

    def rules(self) -> list[dict[str, Any]]:
        """The faults that were asked for, each with the number of its hits."""
        return self._ask("rules")

    def halts(self) -> list[dict[str, Any]]:
        """The holds and breaks that were asked for, released or not, each with the number of its hits."""
        return self._ask("halts")

    def unmet(self) -> list[dict[str, Any]]:
        """Of the faults, holds and breaks that were asked for and not forgotten by a reset, those that were never met,
        taken back or not. Known while this object is in `watched`."""
        self._miss()
        return (Control.watched or {}).get(self, [])

    def _miss(self) -> None:
        missed = (Control.watched or {}).get(self)
        if self._closed or missed is None:
            return
        with contextlib.suppress(grpc.RpcError):  # an emulator that has ended has forgotten them
            asked = [*self.rules(), *self.halts()]
            missed += [rule for rule in asked if not rule["hits"] and rule not in missed]

    def advance(self, seconds: float) -> None:
        """Moves the virtual clock on; an error with the real one."""
        self._ask("advance", seconds=seconds)

    def shutdown(self) -> None:
        """Ends the emulator after it has answered."""
        self._ask("shutdown")

    def _ask(self, command: str, /, **arguments: Any) -> Any:
        request = Struct()
        given = {key: value for key, value in arguments.items() if value is not None}
        request.update({"command": command, "arguments": given})
        answer = plain(MessageToDict(self._call(request)))
        if "error" in answer:
            raise ControlError(answer["error"])
        return answer.get("result")


def plain(value: Any) -> Any:
    """Whole numbers as int: Struct knows doubles alone."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
