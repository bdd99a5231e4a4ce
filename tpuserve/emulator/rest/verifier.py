"""What goes over gRPC held against the discovery documents: requests of clients, and what they are answered."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict

from tpuserve.emulator.api import OPERATIONS, Method
from tpuserve.emulator.rest.bindings import PACKAGES, bound
from tpuserve.emulator.rest.discovery import Route
from tpuserve.emulator.rest.documents import document
from tpuserve.emulator.rest.schemas import Schemas

_OF_OPERATIONS = "aiplatform.v1"
"""The document whose operations stand for all: google.longrunning has one schema, under three names."""


class Told(NamedTuple):
    """What a document says of a method."""

    route: Route
    schemas: Schemas


class Verifier:
    """Adds to `misfits` what fits no schema, by the method's id; a method that no document has is not looked at."""

    def __init__(self, methods: Mapping[str, Method], misfits: list[str]) -> None:
        self._methods, self._misfits = methods, misfits

    def __call__(self, method: Method, request: Any, response: Any) -> None:
        told = self._told.get((method.service, method.name))
        if told is None:
            return
        if (body := _body(told.route.request, request)) is not None:
            self._hold(told, told.route.request, body)
        if told.route.response and type(response).DESCRIPTOR.full_name != "google.api.HttpBody":
            self._hold(told, told.route.response, response)

    def known(self) -> set[tuple[str, str]]:
        """Service and name of each method that a document has."""
        return set(self._told)

    @cached_property
    def _told(self) -> dict[tuple[str, str], Told]:
        return {key: told for name in PACKAGES for key, told in self._of(name).items()}

    def _of(self, name: str) -> dict[tuple[str, str], Told]:
        read = document(name)
        schemas, routes = Schemas(read.schemas), {route.id: route for route in read.routes}
        found = {
            (method.service, method.name): Told(routes[identifier], schemas)
            for identifier, method in bound(name, read.routes, self._methods).items()
        }
        return {key: told for key, told in found.items() if key[0] != OPERATIONS or name == _OF_OPERATIONS}

    def _hold(self, told: Told, schema: str, message: Any) -> None:
        faults = told.schemas.violations(schema, MessageToDict(message), message.DESCRIPTOR)
        self._misfits += [f"{told.route.id}: {fault.description}" for fault in faults]


def _body(schema: str, request: Any) -> Any:
    """What of a request REST sends as its body: the message of that schema, or the request where it has its name."""
    if not schema:
        return None
    if schema.endswith(request.DESCRIPTOR.name):
        return request
    fields = (field for field in request.DESCRIPTOR.fields if field.message_type is not None)
    return next((getattr(request, field.name) for field in fields if schema.endswith(field.message_type.name)), None)
