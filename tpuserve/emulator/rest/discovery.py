"""A discovery document read into routes and schemas. Pure: the document comes as it was parsed.

The format: developers.google.com/discovery/v1/reference/apis.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_VARIABLE = re.compile(r"\{(\+?)(\w+)\}")


class Route(NamedTuple):
    """One method of a document."""

    id: str  # such as aiplatform.projects.locations.endpoints.deployModel
    http_method: str
    path: str  # v1/{+endpoint}:deployModel
    flat_path: str  # v1/projects/{projectsId}/locations/{locationsId}/endpoints/{endpointsId}:deployModel
    parameters: Mapping[str, Mapping[str, Any]]
    request: str  # a schema's name, empty where there is no body
    response: str
    description: str

    def query(self) -> dict[str, Mapping[str, Any]]:
        return {name: row for name, row in self.parameters.items() if row["location"] == "query"}

    def in_path(self, path: str) -> dict[str, str] | None:
        """The values of the path's parameters; None where a value does not have the form that is asked for."""
        found = self._pattern().fullmatch(path)
        return None if found is None else found.groupdict()

    def _pattern(self) -> "re.Pattern[str]":
        parts = _VARIABLE.split(self.path)
        texts = [re.escape(part) for part in parts[::3]]
        groups = [self._group(plus, name) for plus, name in zip(parts[1::3], parts[2::3], strict=True)]
        return re.compile("".join(text + group for text, group in zip(texts, [*groups, ""], strict=True)))

    def _group(self, plus: str, name: str) -> str:
        shape = self.parameters[name].get("pattern", ".+" if plus else "[^/]+")
        return f"(?P<{name}>{shape.removeprefix('^').removesuffix('$')})"


class Document(NamedTuple):
    """One version of one API."""

    name: str  # aiplatform
    version: str  # v1
    revision: str
    routes: tuple[Route, ...]
    schemas: Mapping[str, Mapping[str, Any]]
    parameters: Mapping[str, Mapping[str, Any]]  # those that every method takes: alt, key, prettyPrint, ...


def read(document: Mapping[str, Any]) -> Document:
    """The document's methods, in its own order, and its schemas as they are."""
    return Document(
        document["name"],
        document["version"],
        document["revision"],
        tuple(_routes(document)),
        document["schemas"],
        document["parameters"],
    )


def _routes(resource: Mapping[str, Any]) -> Iterator[Route]:
    for method in resource.get("methods", {}).values():
        yield _route(method)
    for below in resource.get("resources", {}).values():
        yield from _routes(below)


def _route(method: Mapping[str, Any]) -> Route:
    return Route(
        method["id"],
        method["httpMethod"],
        method["path"],
        method.get("flatPath", method["path"]),
        method.get("parameters", {}),
        method.get("request", {}).get("$ref", ""),
        method.get("response", {}).get("$ref", ""),
        method.get("description", ""),
    )
