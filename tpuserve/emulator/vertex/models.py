"""Models: uploads, versions, aliases, updates, deletions."""

from typing import Any

from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict, ParseDict

from tpuserve.emulator import labels
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import already_exists, invalid, not_found, precondition
from tpuserve.emulator.messages import replace_field, vertex
from tpuserve.emulator.names import Name, region
from tpuserve.emulator.operation import Operation, wire
from tpuserve.emulator.paging import page
from tpuserve.emulator.vertex import rules
from tpuserve.emulator.vertex.containers import container_spec
from tpuserve.emulator.vertex.listing import listed
from tpuserve.emulator.vertex.tables import MODEL_FIELDS, VERSION_FIELDS
from tpuserve.emulator.vertex.versions import Versions, split_version


class Models:
    """The methods of ModelService about models as a whole; `versions` holds what is about one version."""

    def __init__(self, core: Core, versions: Versions) -> None:
        self._core, self._versions = core, versions
        core.operations.register("upload_model", self._upload)
        core.operations.register("delete_model", self._delete)
        core.operations.register("delete_model_version", self._delete_version)

    def upload_model(self, request: Any) -> Any:
        parent = region(self._core.name(request.parent, field="parent"), "parent")
        name = self._target(request, parent)
        self._check_upload(request.model)
        rules.key(request.model, parent.location, "model")
        operation = self._core.operations.start("upload_model", name, {"request": MessageToDict(request)})
        self._core.store.save()
        return wire(operation)

    def get_model(self, request: Any) -> Any:
        name, wanted = self._named(request.name)
        return self._versions.shown(name, wanted)

    def list_models(self, request: Any) -> Any:
        parent = region(self._core.name(request.parent, field="parent"), "parent")
        names = [self._core.any_name(name) for name, _ in self._core.store.items("models", f"{parent}/models/")]
        models = listed([self._versions.shown(name, "") for name in names], request, "model")
        found, token = page(models, request.page_size, request.page_token)
        return vertex("ListModelsResponse")(models=found, next_page_token=token)

    def list_model_versions(self, request: Any) -> Any:
        name, _ = self._named(request.name)
        self._core.found("models", name)
        shown = [self._versions.shown(name, version, versioned=True) for version in self._versions.ids(name)]
        found, token = page(listed(shown, request, "model"), request.page_size, request.page_token)
        return vertex("ListModelVersionsResponse")(models=found, next_page_token=token)

    def update_model(self, request: Any) -> Any:
        """One request changes fields of the model or of one version, never both. Source: UpdateModelRequest.model."""
        name, wanted = self._named(request.model.name)
        versioned = wanted not in {"", "-"}
        allowed = VERSION_FIELDS if versioned else MODEL_FIELDS
        paths = rules.masked(request.update_mask.paths, (*MODEL_FIELDS, *VERSION_FIELDS))
        for path in paths:
            if path not in allowed:
                meant = "models/M" if versioned else "models/M@V"
                raise precondition(f"update_mask: {path} is changed through {meant}, not {request.model.name!r}.")
        shared = self._core.found("models", name)
        rules.etag(request.model.etag, shared.etag)
        self._check_update(request.model, paths)
        version = self._versions.resolve(name, wanted if versioned else "")
        changed = self._core.store.get("versions", f"{name}@{version}") if versioned else shared
        for path in paths:
            replace_field(request.model, changed, path)
        self._versions.touched(name, version if versioned else "")
        self._core.store.save()
        return self._versions.shown(name, wanted if versioned else "")

    def merge_version_aliases(self, request: Any) -> Any:
        name, wanted = self._named(request.name)
        version = self._versions.exactly(name, wanted)
        self._versions.merge(name, version, list(request.version_aliases))
        self._core.store.save()
        return self._versions.shown(name, version)

    def delete_model(self, request: Any) -> Any:
        """Source: DeleteModel, `A model cannot be deleted if any Endpoint has a DeployedModel based on it`."""
        name, wanted = self._named(request.name)
        if wanted:
            raise invalid("name", request.name, "a model without a version")
        self._core.found("models", name)
        self._versions.refuse_deployed(name)
        operation = self._core.operations.start("delete_model", name, {"request": MessageToDict(request)})
        self._core.store.save()
        return wire(operation)

    def delete_model_version(self, request: Any) -> Any:
        """Source: DeleteModelVersion, `if there is a DeployedModel created from it` and `only if not the only one`."""
        name, wanted = self._named(request.name)
        version = self._versions.exactly(name, wanted)
        self._versions.refuse_deployed(name, version)
        if len(self._versions.ids(name)) == 1:
            raise precondition(f"{request.name} is the only version of its model. Delete the model.")
        if self._versions.resolve(name, "default") == version:  # assumed: there must be exactly one default version
            raise precondition(f"{request.name} is the default version. Give the alias default to another one first.")
        data = {"request": MessageToDict(request), "version": version}
        operation = self._core.operations.start("delete_model_version", name, data)
        self._core.store.save()
        return wire(operation)

    def _target(self, request: Any, parent: Name) -> Name:
        if request.parent_model:
            name, _ = self._named(request.parent_model, "parent_model")
            if request.model_id not in {"", name.id}:  # assumed: two ids for one model are a mistake
                raise invalid("model_id", request.model_id, "left out beside parent_model")
            self._core.found("models", name)
            return name
        identifier = request.model_id or self._core.new_id("models")
        if request.model_id:
            rules.matching("model_id", identifier, rules.MODEL_ID)
        name = parent.child("models", identifier)
        # assumed: an id is taken from the moment its upload has begun, and the answer is at once
        if self._core.store.get("models", str(name)) is not None or self._core.operations.running(str(name)):
            raise already_exists(str(name))
        return name

    def _check_upload(self, model: Any) -> None:
        rules.display_name(model.display_name, "model.display_name")
        labels.checked(model.labels, "model.labels")
        rules.aliases(model.version_aliases, "model.version_aliases")
        # Model.container_spec: not required for AutoML models; assumed: every model here is a custom one
        container_spec(model.container_spec)

    def _check_update(self, model: Any, paths: list[str]) -> None:
        if "display_name" in paths:
            rules.display_name(model.display_name, "model.display_name")
        if "labels" in paths:
            labels.checked(model.labels, "model.labels")

    def _named(self, text: str, field: str = "name") -> tuple[Name, str]:
        name, wanted = split_version(self._core.name(text, "models", field=field))
        return region(name, field), wanted

    async def _upload(self, operation: Operation) -> Any:
        """The version appears when the operation ends, and gets its number then (assumed: no source says when)."""
        await self._core.operations.step(operation, "upload", self._core.settings.durations.upload_model, last=True)
        request = ParseDict(operation.data["request"], vertex("UploadModelRequest")())
        name = self._core.any_name(operation.target)
        if request.parent_model and self._core.store.get("models", str(name)) is None:
            raise not_found(str(name))
        version = self._versions.add(name, request.model)
        return vertex("UploadModelResponse")(model=str(name), model_version_id=version)

    async def _delete(self, operation: Operation) -> Any:
        await self._core.operations.step(operation, "delete", self._core.settings.durations.delete_model, last=True)
        name = self._core.any_name(operation.target)
        self._versions.refuse_deployed(name)
        for version in self._versions.ids(name):
            self._core.store.drop("versions", f"{name}@{version}")
        self._core.store.drop("models", str(name))
        self._core.store.drop("counters", f"versions {name}")  # assumed: another model of that id begins at 1
        return Empty()

    async def _delete_version(self, operation: Operation) -> Any:
        seconds = self._core.settings.durations.delete_model_version
        await self._core.operations.step(operation, "delete", seconds, last=True)
        name, version = self._core.any_name(operation.target), operation.data["version"]
        self._versions.refuse_deployed(name, version)
        self._core.store.drop("versions", f"{name}@{version}")
        self._versions.touched(name, "")
        return Empty()
