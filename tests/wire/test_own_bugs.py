"""A bug of the plugin's own: one sentence for the user, a traceback on stderr, and no secret in either."""

from __future__ import annotations

from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2

from tests.wire.programs import MODEL, model
from tests.wire.stack import Stack, served
from tpuserve.testing import InitFailedError, Secret, Wire, WireError, urn_of
from tpuserve.testing.properties import to_wire

CANARY = "c4n4ry-0123456789"
URN = urn_of(MODEL, "m")
ARGS = to_wire(model(**{"containerSpec.env": [{"name": "TOKEN", "value": Secret(CANARY)}]}))
STATE: dict[str, Any] = {"id": "projects/tpuserve-local/locations/us-east5/models/m", "urn": URN}
REQUESTS = {
    "CheckConfig": provider_pb2.CheckRequest(news=to_wire({"credentials": Secret(CANARY)})),
    "Configure": provider_pb2.ConfigureRequest(args=to_wire({"credentials": Secret(CANARY)})),
    "Check": provider_pb2.CheckRequest(urn=URN, news=ARGS),
    "Diff": provider_pb2.DiffRequest(**STATE, olds=ARGS, news=ARGS, old_inputs=ARGS),
    "Create": provider_pb2.CreateRequest(urn=URN, properties=ARGS),
    "Update": provider_pb2.UpdateRequest(**STATE, olds=ARGS, news=ARGS, old_inputs=ARGS),
    "Read": provider_pb2.ReadRequest(**STATE, properties=ARGS, inputs=ARGS),
    "Delete": provider_pb2.DeleteRequest(**STATE, properties=ARGS, old_inputs=ARGS),
}


class Broken:
    """Whatever is asked of it fails, with a secret in its words."""

    def __getattr__(self, name: str) -> Any:
        raise ZeroDivisionError(f"no {name} for {CANARY}")


def broken(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin of which every part fails."""
    assert wire.provider is not None
    monkeypatch.setattr("tpuserve.provider.server.config", Broken())
    monkeypatch.setattr("tpuserve.provider.server.encode", Broken().__getattr__)
    for part in ("checker", "memory", "google"):
        monkeypatch.setattr(wire.provider, part, Broken())


@pytest.mark.parametrize("method", list(REQUESTS))
async def test_bug_is_one_sentence_and_a_traceback_on_stderr(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    assert wire.provider is not None
    wire.provider.reporter.learn([CANARY])
    broken(wire, monkeypatch)

    with pytest.raises(WireError, match=r"^a bug in tpuserve, please report it with the lines above: Zero") as error:
        await wire.call(method, REQUESTS[method])

    monkeypatch.undo()
    trace = capsys.readouterr().err
    assert "Traceback" in trace
    assert CANARY not in f"{error.value}{trace}"


async def test_bug_ends_one_request_and_not_the_plugin(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(wire, monkeypatch)
    with pytest.raises(WireError):
        await wire.call("Check", REQUESTS["Check"])
    monkeypatch.undo()

    assert (await wire.call("Check", REQUESTS["Check"])).failures == []


async def test_bug_in_one_of_several_deployments_is_no_failure_of_that_variant(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tpuserve.provider.deployment.rollout.Stages", Broken().__getattr__)

    with pytest.raises(InitFailedError, match=r"^a bug in tpuserve, please report it with the lines above: Zero"):
        await served(stack)

    assert "Traceback" in capsys.readouterr().err
