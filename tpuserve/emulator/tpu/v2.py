"""google.cloud.tpu.v2 in front of the methods of v2alpha1: the same objects, in the messages of the GA version.

Sources: the two packages of google-cloud-tpu, and the discovery documents of both versions. v2 calls a collection's
parameters `multisliceParams` and has no workload type; each version leaves out what it has no field for.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from google.longrunning import operations_pb2
from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict, ParseDict

from tpuserve.emulator.messages import tpu, tpu_ga

SERVICE = "google.cloud.tpu.v2.Tpu"
VERSION = "v2"
_RENAMED = {"multisliceParams": "multiNodeParams"}
_BACK = {newer: older for older, newer in _RENAMED.items()}
# The responses and metadata of operations, by the message that v2alpha1 has.
_OF_OPERATIONS = ("QueuedResource", "Node", "OperationMetadata")

Answer = Callable[..., Any]


def answers(newer: Iterable[tuple[str, Answer]], kept: Callable[[str], None]) -> dict[str, Answer]:
    """The methods that v2 has too. `kept` is told the name of each operation that is begun through them."""
    return {name: _older(name, answer, kept) for name, answer in newer if tpu_ga(f"{name}Request") is not None}


def operation(found: operations_pb2.Operation) -> operations_pb2.Operation:
    """An operation that was begun through v2, with v2's messages in it."""
    result = operations_pb2.Operation()
    result.CopyFrom(found)
    metadata = _repacked(result.metadata)
    if result.HasField("response"):
        # A deletion ends in nothing here, in the object in v2alpha1: both clients say so of delete_queued_resource.
        gone = metadata is not None and metadata.verb == "delete"
        result.response.Pack(Empty()) if gone else _repacked(result.response)
    return result


def _older(name: str, answer: Answer, kept: Callable[[str], None]) -> Answer:
    request_type = tpu(f"{name}Request")

    async def answered(request: Any) -> Any:
        found = answer(translated(request, request_type, _RENAMED))
        response = await found if inspect.isawaitable(found) else found
        if isinstance(response, operations_pb2.Operation):
            kept(response.name)
            return operation(response)
        return translated(response, tpu_ga(response.DESCRIPTOR.name), _BACK)

    return answered


def translated(source: Any, kind: Any, names: dict[str, str]) -> Any:
    """The same content in another version's message."""
    return ParseDict(_renamed(MessageToDict(source), names), kind(), ignore_unknown_fields=True)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    return value


def _repacked(packed: Any) -> Any:
    """Changes what is packed for v2's own message, and returns that; None for what has no versions."""
    name = packed.TypeName().rpartition(".")[2]
    if name not in _OF_OPERATIONS:
        return None
    inner = tpu(name)()
    packed.Unpack(inner)
    older = translated(inner, tpu_ga(name), _BACK)
    if name == "OperationMetadata":
        older.api_version = VERSION
    packed.Pack(older)
    return older
