"""Versions of one model: their numbers, their aliases, and the model as one version shows it."""

from typing import Any

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import invalid, not_found, precondition
from tpuserve.emulator.messages import Model, vertex
from tpuserve.emulator.names import Name
from tpuserve.emulator.vertex import rules
from tpuserve.emulator.vertex.tables import MODEL_OUTPUT

DEFAULT = "default"
_SHARED = ("name", "display_name", "description", "etag", "create_time", "update_time", "encryption_spec")


def split_version(name: Name) -> tuple[Name, str]:
    """`models/M@V` as the model's name and V, which is empty, a number, an alias or `-`."""
    identifier, _, wanted = name.id.partition("@")
    return name.parent.child("models", identifier), wanted


class Versions:
    """What is stored of models: shared fields under `models/M`, each version's own under `models/M@V`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def ids(self, name: Name) -> list[str]:
        """The numbers of all versions, oldest first."""
        found = [key.rpartition("@")[2] for key, _ in self._core.store.items("versions", f"{name}@")]
        return sorted(found, key=int)

    def resolve(self, name: Name, wanted: str) -> str:
        """The number of a version named by number or alias; nothing means the default one. Source: GetModelRequest."""
        self._core.found("models", name)
        for key, version in self._core.store.items("versions", f"{name}@"):
            number = key.rpartition("@")[2]
            if number == wanted or (wanted or DEFAULT) in version.version_aliases:
                return number
        raise not_found(f"{name}@{wanted}" if wanted else str(name))

    def exactly(self, name: Name, wanted: str) -> str:
        """The number itself, where a version id must be `explicitly included`; assumed: an alias is none."""
        if not wanted.isdecimal():
            raise invalid("name", f"{name}@{wanted}" if wanted else str(name), "a model with a version id (models/M@3)")
        return self.resolve(name, wanted)

    def shown(self, name: Name, wanted: str, *, versioned: bool = False) -> Any:
        """A model as one of its versions. `versioned`: with the version in its name, as ListModelVersions gives it."""
        number = self.resolve(name, wanted)
        shared, own = self._core.found("models", name), self._core.store.get("versions", f"{name}@{number}")
        model = Model()
        model.CopyFrom(own)
        for field in _SHARED:
            _take(shared, model, field)
        # UpdateModelRequest.model, 4: labels of the model and of the version are merged; assumed: the version's win
        model.labels.clear()
        model.labels.update(dict(shared.labels) | dict(own.labels))
        model.version_id = number
        model.name = f"{name}@{number}" if versioned else str(name)
        if not self._core.settings.returns_container_spec:  # Model.container_spec: Input only
            model.ClearField("container_spec")
        model.deployed_models.extend(self.deployments(name, number))
        return model

    def add(self, name: Name, uploaded: Any) -> str:
        """Puts a new version and returns its number. A first one is the default. Source: Model.version_aliases."""
        number = str(self._core.store.next(f"versions {name}"))
        first = self._core.store.get("models", str(name)) is None
        own = Model()
        own.CopyFrom(uploaded)
        own.labels.clear()
        if first:
            self._share(name, Model(), uploaded)
        else:
            # assumed: a later upload sets the model's display name and description, its labels are the version's
            self._share(name, self._core.found("models", name), uploaded)
            own.labels.update(uploaded.labels)
        self._put_new(name, number, own, [*uploaded.version_aliases, *([DEFAULT] if first else [])])
        return number

    def _share(self, name: Name, shared: Any, uploaded: Any) -> None:
        if not shared.name:
            shared.name = str(name)
            shared.create_time.CopyFrom(self._core.now())
            shared.labels.update(uploaded.labels)
            _take(uploaded, shared, "encryption_spec")
        shared.display_name = uploaded.display_name
        shared.description = uploaded.description or shared.description
        self._core.store.put("models", str(name), shared)

    def _put_new(self, name: Name, number: str, own: Any, aliases: list[str]) -> None:
        for field in MODEL_OUTPUT:
            own.ClearField(field)
        own.ClearField("version_aliases")
        own.version_create_time.CopyFrom(self._core.now())
        own.supported_deployment_resources_types.append(1)  # DEDICATED_RESOURCES
        self._core.store.put("versions", f"{name}@{number}", own)
        for alias in aliases:
            self._give(name, number, alias)
        self.touched(name, number)

    def merge(self, name: Name, number: str, changes: list[str]) -> None:
        """Adds aliases, removes those with a leading `-`. Source: MergeVersionAliasesRequest.

        assumed: an alias that another version has moves; `default` is moved, never removed.
        """
        removed = {change[1:] for change in changes if change.startswith("-")}
        added = [change for change in changes if not change.startswith("-")]
        rules.aliases((*added, *removed))
        if not changes:
            raise invalid("version_aliases", "nothing", "given")
        cancelled = removed & set(added)  # adding and deleting the same alias cancel each other out
        own = self._core.store.get("versions", f"{name}@{number}")
        if DEFAULT in (removed - cancelled) & set(own.version_aliases):
            raise precondition("There must be exactly one default version. Give the alias default to another one.")
        kept = [alias for alias in own.version_aliases if alias not in removed - cancelled]
        del own.version_aliases[:]
        own.version_aliases.extend(kept)
        for alias in added:
            if alias not in cancelled:
                self._give(name, number, alias)
        self.touched(name, number)

    def _give(self, name: Name, number: str, alias: str) -> None:
        for key, version in self._core.store.items("versions", f"{name}@"):
            if key != f"{name}@{number}" and alias in version.version_aliases:
                version.version_aliases.remove(alias)
                self._core.store.put("versions", key, version)
        own = self._core.store.get("versions", f"{name}@{number}")
        if alias not in own.version_aliases:
            own.version_aliases.append(alias)

    def touched(self, name: Name, number: str) -> None:
        """Puts what was changed: a new etag, and the time of the change."""
        shared = self._core.found("models", name)
        shared.etag = f"m{self._core.store.next('etags')}"
        shared.update_time.CopyFrom(self._core.now())
        self._core.store.put("models", str(name), shared)
        if number:
            own = self._core.store.get("versions", f"{name}@{number}")
            own.version_update_time.CopyFrom(self._core.now())
            self._core.store.put("versions", f"{name}@{number}", own)

    def deployments(self, name: Name, number: str = "") -> list[Any]:
        """Where a model, or one version of it, is deployed: any endpoint in any location."""
        reference = vertex("DeployedModelRef")
        return [
            reference(endpoint=endpoint, deployed_model_id=deployed.id)
            for endpoint, value in self._core.store.items("endpoints")
            for deployed in value.deployed_models
            if deployed.model == str(name) and number in {"", deployed.model_version_id}
        ]

    def refuse_deployed(self, name: Name, number: str = "") -> None:
        """FAILED_PRECONDITION while a model or version is deployed; assumed: or is being deployed."""
        where = [f"{found.endpoint} ({found.deployed_model_id})" for found in self.deployments(name, number)]
        where += [
            operation.target
            for operation in self._core.operations.running()
            if operation.kind == "deploy_model" and _deploys(operation.data, str(name), number)
        ]
        if where:
            what = f"{name}@{number}" if number else str(name)
            raise precondition(f"{what} is deployed to {', '.join(where)}. Undeploy it first.")


def _deploys(data: dict[str, Any], name: str, number: str) -> bool:
    return data["model"] == name and number in {"", data["version"]}


def _take(source: Any, target: Any, field: str) -> None:
    target.ClearField(field)
    if source.DESCRIPTOR.fields_by_name[field].message_type is None:
        setattr(target, field, getattr(source, field))
    elif source.HasField(field):
        getattr(target, field).CopyFrom(getattr(source, field))
