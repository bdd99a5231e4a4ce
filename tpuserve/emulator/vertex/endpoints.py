"""Endpoints: made, read, updated under an etag, deleted when nothing is deployed any more."""

from typing import Any

from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict, ParseDict

from tpuserve.emulator import labels
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import already_exists, precondition
from tpuserve.emulator.messages import Endpoint, replace_field, vertex
from tpuserve.emulator.names import Name, region
from tpuserve.emulator.operation import Operation, wire
from tpuserve.emulator.operations import refuse_running
from tpuserve.emulator.paging import page
from tpuserve.emulator.vertex import endpoint_rules, rules
from tpuserve.emulator.vertex.listing import listed
from tpuserve.emulator.vertex.tables import ENDPOINT_FIELDS, ENDPOINT_OUTPUT


class Endpoints:
    """The methods of EndpointService about endpoints themselves."""

    def __init__(self, core: Core) -> None:
        self._core = core
        core.operations.register("create_endpoint", self._create)
        core.operations.register("update_endpoint", self._update)
        core.operations.register("delete_endpoint", self._delete)

    def create_endpoint(self, request: Any) -> Any:
        parent = region(self._core.name(request.parent, field="parent"), "parent")
        identifier = request.endpoint_id or self._core.new_id("endpoints")
        if request.endpoint_id:
            rules.matching("endpoint_id", identifier, rules.ENDPOINT_ID)
        endpoint_rules.created(request.endpoint, parent.location)
        name = parent.child("endpoints", identifier)
        if self._core.store.get("endpoints", str(name)) is not None or self._core.operations.running(str(name)):
            raise already_exists(str(name))
        operation = self._core.operations.start("create_endpoint", name, {"request": MessageToDict(request)})
        self._core.store.save()
        return wire(operation)

    def get_endpoint(self, request: Any) -> Any:
        return self.found(request.name, "name")[1]

    def list_endpoints(self, request: Any) -> Any:
        parent = region(self._core.name(request.parent, field="parent"), "parent")
        values = [value for _, value in self._core.store.items("endpoints", f"{parent}/endpoints/")]
        found, token = page(listed(values, request, "endpoint"), request.page_size, request.page_token)
        return vertex("ListEndpointsResponse")(endpoints=found, next_page_token=token)

    def update_endpoint(self, request: Any) -> Any:
        """Source: UpdateEndpointRequest, update_mask is required; Endpoint.etag."""
        name, stored = self.found(request.endpoint.name, "endpoint.name")
        paths = rules.masked(_roots(request.update_mask.paths), ENDPOINT_FIELDS)
        rules.etag(request.endpoint.etag, stored.etag)
        refuse_running(self._updates(name))
        given = request.endpoint
        if "display_name" in paths:
            rules.display_name(given.display_name, "endpoint.display_name")
        if "labels" in paths:
            labels.checked(given.labels, "endpoint.labels")
        if "traffic_split" in paths:
            rules.traffic(given.traffic_split, (model.id for model in stored.deployed_models), "endpoint.traffic_split")
            endpoint_rules.splittable(given.traffic_split, stored)
        if "predict_request_response_logging_config" in paths:
            endpoint_rules.logging(given, network=stored.network)
        for path in paths:
            replace_field(given, stored, path)
        self.touched(stored)
        self._core.store.save()
        return stored

    def update_endpoint_long_running(self, request: Any) -> Any:
        """Source: UpdateEndpointLongRunningRequest, only client_connection_config is taken."""
        name, stored = self.found(request.endpoint.name, "endpoint.name")
        endpoint_rules.only_connection(request.endpoint, stored)
        endpoint_rules.connection(request.endpoint, stored)
        refuse_running(self._core.operations.running(str(name)))
        operation = self._core.operations.start("update_endpoint", name, {"request": MessageToDict(request)})
        self._core.store.save()
        return wire(operation)

    def delete_endpoint(self, request: Any) -> Any:
        """assumed: refused while an operation runs on the endpoint, for a deployment could end in nothing."""
        name, stored = self.found(request.name, "name")
        if stored.deployed_models:
            ids = ", ".join(model.id for model in stored.deployed_models)
            raise precondition(f"{name} has deployed models ({ids}). Undeploy them first.")
        refuse_running(self._core.operations.running(str(name)))
        operation = self._core.operations.start("delete_endpoint", name, {"request": MessageToDict(request)})
        self._core.store.save()
        return wire(operation)

    def found(self, text: str, field: str) -> tuple[Name, Any]:
        name = region(self._core.name(text, "endpoints", field=field), field)
        return name, self._core.found("endpoints", name)

    def touched(self, stored: Any) -> None:
        """Puts a changed endpoint: another etag, another update time."""
        stored.etag = f"e{self._core.store.next('etags')}"
        stored.update_time.CopyFrom(self._core.now())
        self._core.store.put("endpoints", stored.name, stored)

    def _updates(self, name: Name) -> list[Operation]:
        """assumed: while the inference timeout changes, no other field of the endpoint does."""
        return [found for found in self._core.operations.running(str(name)) if found.kind == "update_endpoint"]

    async def _create(self, operation: Operation) -> Any:
        """assumed: the endpoint is found when the operation has ended, as a model is."""
        await self._core.operations.step(operation, "create", self._core.settings.durations.create_endpoint, last=True)
        request = ParseDict(operation.data["request"], vertex("CreateEndpointRequest")())
        name = self._core.any_name(operation.target)
        stored = Endpoint()
        stored.CopyFrom(request.endpoint)
        for field in ENDPOINT_OUTPUT:
            stored.ClearField(field)
        stored.name = str(name)
        stored.create_time.CopyFrom(self._core.now())
        if stored.dedicated_endpoint_enabled:
            # the form is Endpoint.dedicated_endpoint_dns'; assumed: the project number stands for the uid
            host = f"{name.id}.{name.location}-{name.project}.prediction.vertexai.goog"
            stored.dedicated_endpoint_dns = f"https://{host}"
        self.touched(stored)
        return stored

    async def _update(self, operation: Operation) -> Any:
        await self._core.operations.step(operation, "update", self._core.settings.durations.update_endpoint, last=True)
        request = ParseDict(operation.data["request"], vertex("UpdateEndpointLongRunningRequest")())
        stored = self._core.found("endpoints", self._core.any_name(operation.target))
        replace_field(request.endpoint, stored, "client_connection_config")
        self.touched(stored)
        return stored

    async def _delete(self, operation: Operation) -> Any:
        await self._core.operations.step(operation, "delete", self._core.settings.durations.delete_endpoint, last=True)
        self._core.store.drop("endpoints", operation.target)
        return Empty()


def _roots(paths: Any) -> list[str]:
    """The fields of a mask; a path into a map or a message (labels.team) is taken for it (assumed). A path into a
    field that has no fields stays, and is no field."""
    fields = vertex("Endpoint").DESCRIPTOR.fields_by_name
    holding = {name for name, field in fields.items() if field.message_type is not None}
    roots = ((path, path.partition(".")[0]) for path in paths)
    return list(dict.fromkeys(root if root in holding else path for path, root in roots))
