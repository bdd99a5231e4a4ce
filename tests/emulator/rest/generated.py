"""Requests drawn from the schemas of the discovery documents: `Drawn(seed).request()`.

Most begin with a body that the method takes and are changed in up to two places; the others are made of the schema
alone. Values are mostly of their type, sometimes of another; names are mostly of objects that may exist.
"""

from __future__ import annotations

import copy
import random
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from tests.emulator.google import LOCATION, ZONE
from tests.emulator.rest.http_client import NODE, UPLOAD, collection
from tpuserve.emulator import Settings
from tpuserve.emulator.api import Api
from tpuserve.emulator.core import Core
from tpuserve.emulator.rest.bindings import bound
from tpuserve.emulator.rest.discovery import Document, Route
from tpuserve.emulator.rest.documents import document

DOCUMENTS = ("tpu.v2alpha1", "tpu.v2", "aiplatform.v1")
MACHINE = {"machineSpec": {"machineType": "ct6e-standard-1t"}, "minReplicaCount": 1}
MODEL = f"{LOCATION}/models/a"
# A body that the method takes, by the id without its API; a create's own id is among the query's parameters below.
BODIES: dict[str, list[dict[str, Any]]] = {
    "models.upload": [UPLOAD, {"model": UPLOAD["model"]}, {"parentModel": MODEL, "model": UPLOAD["model"]}],
    "models.patch": [{"labels": {"a": "b"}}, {"displayName": "other"}],
    "models.mergeVersionAliases": [{"versionAliases": ["golden"]}, {"versionAliases": ["-golden"]}],
    "endpoints.create": [{"displayName": "serving"}, {"displayName": "own", "dedicatedEndpointEnabled": True}],
    "endpoints.patch": [{"displayName": "other"}, {"trafficSplit": {}}, {"labels": {}}],
    "endpoints.update": [{"endpoint": {"clientConnectionConfig": {"inferenceTimeout": "60s"}}}],
    "endpoints.deployModel": [{"deployedModel": {"id": "7", "model": MODEL, "dedicatedResources": MACHINE}}],
    "endpoints.mutateDeployedModel": [
        {
            "deployedModel": {"id": "7", "dedicatedResources": {"maxReplicaCount": 2}},
            "updateMask": "dedicatedResources.maxReplicaCount",
        }
    ],
    "endpoints.undeployModel": [{"deployedModelId": "7"}],
    "endpoints.predict": [{"instances": [1]}, {"instances": [{"a": [None, "b"]}], "parameters": {"c": True}}],
    "endpoints.rawPredict": [{"instances": [1]}],
    "endpoints.streamRawPredict": [{"instances": [1]}],
    "deploymentResourcePools.create": [
        {"deploymentResourcePoolId": "a", "deploymentResourcePool": {"dedicatedResources": MACHINE}},
        {"deploymentResourcePoolId": "b", "deploymentResourcePool": {"dedicatedResources": MACHINE}},
    ],
    "queuedResources.create": [
        collection(),
        {"tpu": {"nodeSpec": [{"parent": ZONE, "nodeId": "a", "node": NODE}]}},
    ],
}
QUERIES: dict[str, list[str]] = {
    "updateMask": ["displayName", "labels", "display_name,description", "*", "trafficSplit", "displayName"],
    "readMask": ["name", "displayName,labels", "*", "nothing"],
    "filter": ["displayName=a", "labels.a=b", "done=true", "x ~ y"],
    "orderBy": ["displayName", "create_time desc", "?"],
    "pageSize": ["1", "2", "0", "-1", "1000000", "x"],
    "pageToken": ["", "1", "x"],
    "endpointId": ["a", "b", "serving", "7", "NO", ""],
    "queuedResourceId": ["a", "b", "pool", "??", ""],
    "requestId": ["", "11111111-1111-1111-1111-111111111111"],
    "timeout": ["0s", "0.01s", "x"],
    "force": ["true", "false", "True", "maybe"],
}
# Ids in a path: mostly of what `arranged` has made.
NAMES = {
    "modelsId": ("a", "a", "a", "a@1", "a@2", "a@golden", "a@9"),
    "modelsId:deleteVersion": ("a@1", "a@2", "a@9", "a"),
    "modelsId:mergeVersionAliases": ("a@1", "a@2", "a@golden", "a@9", "a"),
    "nodesId": ("a-0", "a-1", "none"),
    "acceleratorTypesId": ("v6e-8", "v6e-9"),
    "runtimeVersionsId": ("v2-alpha-tpuv6e", "none"),
}
IDS = ("a", "a", "a", "b", "7", "NO.", "none")
WRONG: tuple[Any, ...] = (None, True, -1, 2**70, 1.5, "", "x", [], [None], {}, {"@type": "x"}, [[1]], "\0", "🙂" * 50)
_LETTERS = string.ascii_letters + string.digits + "-_./ é"


class Sent(NamedTuple):
    """One request, and the method that it is for."""

    of: str  # the document's name and the method's id
    http_method: str
    target: str
    body: Any


class Drawn:
    """Requests by chance that repeats with its seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        methods = Api(Core(Settings(), None, Path())).methods()
        self.routes = [(read, route) for read in map(document, DOCUMENTS) for route in _served(read, methods)]

    def request(self, number: int) -> Sent:
        """The number-th one: every method comes as often as any other."""
        read, route = self.routes[number % len(self.routes)]
        query = {name: self._parameter(name, row) for name, row in route.query().items() if self._asked(row)}
        if self._chance.random() < 0.03:
            query["nonsense"] = "1"
        target = f"/{self._path(route)}?{urlencode(query)}" if query else f"/{self._path(route)}"
        body = self._body(read, route) if route.request else None
        return Sent(f"{read.name}.{read.version} {route.id}", route.http_method, target, body)

    def _asked(self, row: Mapping[str, Any]) -> bool:
        required = row.get("description", "").startswith("Required.")
        return self._chance.random() < (0.95 if required else 0.25)

    def _path(self, route: Route) -> str:
        place = "us-east5-b" if route.id.startswith("tpu.") else "us-east5"
        names = {"{projectsId}": "tpuserve-local", "{locationsId}": place}
        segments = [names.get(part, part) for part in route.flat_path.split("/")]
        return "/".join(self._segment(part) for part in segments)

    def _segment(self, part: str) -> str:
        before, brace, rest = part.partition("{")
        if not brace:
            return part if self._chance.random() > 0.005 else quote(self._text(), safe="")
        name, _, verb = rest.partition("}")
        known = NAMES.get(name + verb, NAMES.get(name, IDS))
        return f"{before}{quote(self._chance.choice(known), safe='')}{verb}"

    def _parameter(self, name: str, row: Mapping[str, Any]) -> str:
        known = QUERIES.get(name)
        return self._chance.choice(known) if known else str(self._scalar(row))

    def _body(self, read: Document, route: Route) -> Any:
        given = BODIES.get(".".join(route.id.split(".")[-2:]))
        if given is None or self._chance.random() < 0.2:
            return self._message(read, route.request, 3)
        body = _spoken(copy.deepcopy(self._chance.choice(given)), read.version)
        for _ in range(self._chance.choice((0, 0, 0, 1, 2))):
            body = self._changed(read, route.request, body)
        return body

    def _changed(self, read: Document, schema: str, body: Any) -> Any:
        """The same with one field taken away, added, or made wrong, somewhere in it."""
        rows = read.schemas[schema].get("properties", {})
        inner = [key for key, value in body.items() if isinstance(value, dict) and "$ref" in rows.get(key, {})]
        if inner and self._chance.random() < 0.6:
            key = self._chance.choice(inner)
            return {**body, key: self._changed(read, rows[key]["$ref"], body[key])}
        fate = self._chance.random()
        if fate < 0.3 and body:
            return {key: value for key, value in body.items() if key != self._chance.choice(sorted(body))}
        key = self._chance.choice(sorted({*rows, "nonsense"} if fate > 0.95 else rows or {"nonsense"}))
        return {**body, key: self._value(read, rows.get(key, {"type": "any"}), 2)}

    def _message(self, read: Document, schema: str, depth: int) -> dict[str, Any]:
        rows = read.schemas[schema].get("properties", {})
        chosen = [name for name in rows if self._chance.random() < min(0.5, 4 / len(rows))]
        return {name: self._value(read, rows[name], depth - 1) for name in chosen}

    def _value(self, read: Document, row: Mapping[str, Any], depth: int) -> Any:
        if self._chance.random() < 0.03:
            return self._chance.choice(WRONG)
        if row.get("type") == "array":
            return [self._value(read, row["items"], depth) for _ in range(self._chance.randint(0, 2))]
        if "additionalProperties" in row:
            return {self._text(): self._value(read, row["additionalProperties"], depth) for _ in range(2)}
        if "$ref" in row:
            return self._message(read, row["$ref"], depth) if depth > 0 else {}
        return self._scalar(row)

    def _scalar(self, row: Mapping[str, Any]) -> Any:
        if "enum" in row:
            return self._chance.choice(row["enum"])
        formats: dict[str, Any] = {
            "int32": self._chance.choice((0, 1, 2, 100, -1)),
            "int64": str(self._chance.randint(-1, 10**6)),
            "google-duration": f"{self._chance.randint(0, 10**5)}s",
            "google-datetime": f"20{self._chance.randint(10, 99)}-01-01T00:00:00Z",
            "google-fieldmask": "displayName",
            "byte": "AAAA",
        }
        types = {"boolean": self._chance.random() < 0.5, "number": self._chance.random() * 100, "any": [1, {"a": None}]}
        return formats.get(row.get("format", ""), types.get(row.get("type", ""), self._text()))

    def _text(self) -> str:
        if self._chance.random() < 0.5:
            return self._chance.choice((*IDS, MODEL, ZONE, LOCATION))
        return "".join(self._chance.choices(_LETTERS, k=self._chance.randint(0, 12)))


def _spoken(body: dict[str, Any], version: str) -> dict[str, Any]:
    """A body of v2alpha1 in the words of another version."""
    for spec in body.get("tpu", {}).get("nodeSpec", []) if version == "v2" else []:
        if spec.pop("multiNodeParams", None):
            spec["multisliceParams"] = {"nodeCount": 2}
    return body


def _served(read: Document, methods: Mapping[str, Any]) -> list[Route]:
    served = bound(f"{read.name}.{read.version}", read.routes, methods)
    return [route for route in read.routes if route.id in served]
