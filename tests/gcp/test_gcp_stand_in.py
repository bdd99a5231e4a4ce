"""The stand-in for the bridged provider: it refuses what the installed pulumi-gcp does not know, and keeps the rest."""

from pathlib import Path
from typing import Any

import pytest
from google.protobuf import struct_pb2
from pulumi.runtime.proto import provider_pb2

from tests.gcp import known
from tests.gcp.installed import install
from tests.gcp.provider import Objects, StandIn
from tests.wire.processes import started
from tpuserve.catalog import UNKNOWN
from tpuserve.provider.values import decode, encode

POOL = "gcp:container/nodePool:NodePool"
VM = "gcp:tpu/v2Vm:V2Vm"
REQUEST = "gcp:tpu/v2QueuedResource:V2QueuedResource"
TOKENS = (
    POOL,
    VM,
    REQUEST,
    "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool",
    "gcp:vertex/aiEndpoint:AiEndpoint",
    "gcp:vertex/aiEndpointWithModelGardenDeployment:AiEndpointWithModelGardenDeployment",
)
SLICE = {"runtimeVersion": "v2-alpha-tpuv6e", "acceleratorType": "v6e-8", "zone": "us-east5-b"}


def urn(token: str) -> str:
    return f"urn:pulumi:s::p::{token}::it"


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    return StandIn(Objects(tmp_path))


async def checked(stand_in: StandIn, token: str, values: dict[str, Any]) -> list[tuple[str, str]]:
    request = provider_pb2.CheckRequest(urn=urn(token), news=encode(values))
    return [(each.property, each.reason) for each in (await stand_in.Check(request, None)).failures]


async def created(stand_in: StandIn, values: dict[str, Any], *, preview: bool = False) -> Any:
    request = provider_pb2.CreateRequest(urn=urn(VM), properties=encode(values), preview=preview)
    return await stand_in.Create(request, None)


async def read(stand_in: StandIn, id_: str) -> Any:
    return await stand_in.Read(provider_pb2.ReadRequest(id=id_, urn=urn(VM)), None)


async def test_arguments_of_that_type_are_taken(stand_in: StandIn) -> None:
    assert await checked(stand_in, VM, SLICE) == []


async def test_an_argument_that_pulumi_gcp_does_not_have_is_refused(stand_in: StandIn) -> None:
    assert await checked(stand_in, VM, {**SLICE, "zonne": "a"}) == [
        ("zonne", f"not a property of {VM}; did you mean zone?")
    ]


async def test_a_required_argument_that_is_missing_is_refused(stand_in: StandIn) -> None:
    assert await checked(stand_in, VM, {"zone": "us-east5-b"}) == [
        ("runtimeVersion", f"missing; {VM} requires it"),
    ]


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("location", 3, "3 is not a string"),
        ("nodeCount", "3", "'3' is not a whole number"),
        ("nodeCount", 1.5, "1.5 is not a whole number"),
        ("nodeCount", True, "True is not a whole number"),
        ("ignoreNodeCountChanges", "true", "'true' is not true or false"),
        ("nodeLocations", "us-east5-b", "'us-east5-b' is not a list"),
        ("placementPolicy", "COMPACT", "'COMPACT' is not an object"),
    ],
)
async def test_a_wrong_type_is_refused(stand_in: StandIn, path: str, value: Any, reason: str) -> None:
    assert await checked(stand_in, POOL, {"cluster": "c", path: value}) == [(path, reason)]


async def test_what_is_nested_is_checked_too(stand_in: StandIn) -> None:
    tpu = {"nodeSpecs": [{"parent": "projects/p/locations/z", "node": {"multiNodeParams": {}}}]}

    found = await checked(stand_in, REQUEST, {"tpu": tpu})

    assert [path for path, _ in found] == [
        "tpu.nodeSpecs[0].node.runtimeVersion",
        "tpu.nodeSpecs[0].node.multiNodeParams",
    ]


async def test_a_map_of_texts_holds_texts(stand_in: StandIn) -> None:
    found = await checked(stand_in, POOL, {"cluster": "c", "nodeConfig": {"labels": {"a": 1}}})

    assert found == [("nodeConfig.labels.a", "1 is not a string")]


async def test_an_unknown_value_has_every_type(stand_in: StandIn) -> None:
    assert await checked(stand_in, POOL, {"cluster": UNKNOWN, "nodeConfig": UNKNOWN, "nodeCount": UNKNOWN}) == []


@pytest.mark.parametrize("token", ["gcp:tpu/v3Vm:V3Vm", "gcp:tpu/v2Vm:V3Vm", "tpuserve:vertex:Model"])
async def test_a_token_that_pulumi_gcp_does_not_have_is_refused(stand_in: StandIn, token: str) -> None:
    assert await checked(stand_in, token, {}) == [("", f"{token} is no resource of the installed pulumi-gcp")]


@pytest.mark.parametrize("token", TOKENS)
def test_the_type_of_every_argument_is_understood(token: str) -> None:
    assert [path for path, type_ in known.leaves(token) if type_ not in known.SCALARS] == []


async def test_what_is_created_is_read_back(stand_in: StandIn) -> None:
    made = await created(stand_in, SLICE)

    found = await read(stand_in, made.id)

    assert (found.id, found.properties, decode(found.inputs).values) == (made.id, made.properties, SLICE)


async def test_what_google_would_answer_is_unknown_in_a_preview(stand_in: StandIn) -> None:
    made = await created(stand_in, SLICE, preview=True)

    assert decode(made.properties).values["state"] is UNKNOWN


async def test_a_preview_creates_nothing(stand_in: StandIn) -> None:
    made = await created(stand_in, SLICE, preview=True)

    assert (made.id, (await read(stand_in, "V2Vm/it")).id) == ("", "")


async def test_an_update_is_read_back(stand_in: StandIn) -> None:
    made = await created(stand_in, SLICE)
    changed = encode({**SLICE, "description": "b"})

    await stand_in.Update(provider_pb2.UpdateRequest(id=made.id, urn=urn(VM), news=changed), None)

    assert decode((await read(stand_in, made.id)).inputs).values["description"] == "b"


async def test_what_is_deleted_is_gone(stand_in: StandIn) -> None:
    made = await created(stand_in, SLICE)

    await stand_in.Delete(provider_pb2.DeleteRequest(id=made.id), None)

    assert (await read(stand_in, made.id)).id == ""


async def test_secrets_stay_secret(stand_in: StandIn) -> None:
    values = encode({**SLICE, "description": "b"}, {("description",)})

    made = await stand_in.Create(provider_pb2.CreateRequest(urn=urn(VM), properties=values), None)

    assert decode(made.properties).secrets == {("description",)}


async def test_a_child_has_its_own_type(stand_in: StandIn) -> None:
    request = provider_pb2.CheckRequest(urn=urn(f"my:index:Parent${VM}"), news=struct_pb2.Struct())

    assert [each.property for each in (await stand_in.Check(request, None)).failures] == ["runtimeVersion"]


def test_its_executable_serves(tmp_path: Path) -> None:
    executable = install(tmp_path / "gcp") / "pulumi-resource-gcp"

    with started(command=[str(executable)]) as plugin:
        assert plugin.port > 0
