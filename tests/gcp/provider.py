"""A stand-in for the bridged Google provider: it proves types, never that something works on Google Cloud.

`python -m tests.gcp.provider FOLDER`: a plugin that refuses arguments that the installed pulumi-gcp does not have for
that token, misses those that it requires, and knows their types. What is created is kept in FOLDER, a file an object,
so that Read answers from there: another hand may change or delete the file. A function answers with texts alone, made
from its token, in place of what Google would answer.
"""

import asyncio
import json
import sys
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2

from tests.gcp import known
from tools.bench.noop import Noop, serve
from tpuserve.catalog import UNKNOWN
from tpuserve.provider.values import decode, encode


@dataclass(frozen=True, slots=True)
class Objects:
    """What there is, a file an object: its inputs and its properties."""

    folder: Path

    def put(self, id_: str, inputs: struct_pb2.Struct, properties: struct_pb2.Struct) -> None:
        kept = {"inputs": json_format.MessageToDict(inputs), "properties": json_format.MessageToDict(properties)}
        self.file(id_).write_text(json.dumps(kept), encoding="utf-8")

    def get(self, id_: str) -> dict[str, struct_pb2.Struct] | None:
        if not self.file(id_).exists():
            return None
        kept = json.loads(self.file(id_).read_text(encoding="utf-8"))
        return {key: json_format.ParseDict(value, struct_pb2.Struct()) for key, value in kept.items()}

    def file(self, id_: str) -> Path:
        """Where the object of that id is."""
        return self.folder / f"{sha256(id_.encode()).hexdigest()[:16]}.json"


class StandIn(Noop):
    """Check by pulumi-gcp's own types; the rest keeps what it is given."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    async def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version=version("pulumi-gcp"))

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        found = known.faults(_token(request.urn), decode(request.news).values)
        failures = [provider_pb2.CheckFailure(property=path, reason=reason) for path, reason in found]
        return provider_pb2.CheckResponse(inputs=request.news, failures=failures)

    async def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        id_ = _id(request.urn)
        properties = _outputs(request.urn, request.properties, UNKNOWN if request.preview else id_)
        if not request.preview:
            self._objects.put(id_, request.properties, properties)
        return provider_pb2.CreateResponse(id="" if request.preview else id_, properties=properties)

    async def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        properties = _outputs(request.urn, request.news, request.id)
        if not request.preview:
            self._objects.put(request.id, request.news, properties)
        return provider_pb2.UpdateResponse(properties=properties)

    async def Read(self, request: Any, context: Any) -> Any:  # noqa: N802
        found = self._objects.get(request.id)
        if not found:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(id=request.id, inputs=found["inputs"], properties=found["properties"])

    async def Invoke(self, request: Any, context: Any) -> Any:  # noqa: N802
        found = known.function_faults(request.tok, decode(request.args).values)
        failures = [provider_pb2.CheckFailure(property=path, reason=reason) for path, reason in found]
        if failures:
            return provider_pb2.InvokeResponse(failures=failures)
        answers = dict.fromkeys(known.results(request.tok), f"{request.tok.rpartition(':')[2]}@stand-in")
        answer = provider_pb2.InvokeResponse()
        getattr(answer, "return").CopyFrom(encode(answers))
        return answer

    async def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        self._objects.file(request.id).unlink(missing_ok=True)
        return await super().Delete(request, context)


def _token(urn: str) -> str:
    """The type of a resource, without those of its parents."""
    return urn.split("::")[2].rpartition("$")[2]


def _id(urn: str) -> str:
    return f"{_token(urn).rpartition(':')[2]}/{urn.rpartition('::')[2]}"


def _outputs(urn: str, given: struct_pb2.Struct, computed: Any) -> struct_pb2.Struct:
    """The arguments, and beside them a name where none is given and `computed` in place of what Google would answer."""
    token = _token(urn)
    named = {"name": urn.rpartition("::")[2]} if "name" in known.arguments(token) else {}
    made = encode(named | dict.fromkeys(known.computed(token), computed))
    for key, value in given.fields.items():
        made.fields[key].CopyFrom(value)
    return made


if __name__ == "__main__":
    asyncio.run(serve(StandIn(Objects(Path(sys.argv[1])))))
