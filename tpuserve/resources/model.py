"""`tpuserve:vertex:Model`: a model of the Vertex AI Model Registry and the version that this program serves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog.faults import Fault, known
from tpuserve.resources.base import TpuserveResource
from tpuserve.resources.container import ContainerSpecArgs, container_faults
from tpuserve.resources.definition import Definition
from tpuserve.resources.encryption import EncryptionSpecArgs, key_location_faults
from tpuserve.resources.fields import IN_PLACE, NEW_VERSION, PLACE, REPLACE, Effect, Field, Input
from tpuserve.resources.names import PROJECT, check_own_labels
from tpuserve.resources.same import same_set

RETAINED_VERSIONS = 3


class ModelArgs(TypedDict, total=False):
    """Arguments of a model."""

    project: Annotated[Input[str], PROJECT]
    """Project id; the provider's where left out."""
    location: Annotated[
        Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "region"))
    ]
    """Region, such as `us-east5`; the provider's where left out."""
    model_id: Annotated[
        Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "modelId"))
    ]
    """Id in the registry; made from the resource's name where left out."""
    display_name: Annotated[
        Required[Input[str]], Field(Effect.IN_PLACE, check=partial(catalog.check_resource_id, "displayName"))
    ]
    """Name for people, at most 128 characters."""
    description: Annotated[Input[str], IN_PLACE]
    """Text for people, on the model."""
    version_description: Annotated[Input[str], IN_PLACE]
    """Text for people, on the version that the arguments describe."""
    labels: Annotated[Input[Mapping[str, Input[str]]], Field(Effect.IN_PLACE, check=check_own_labels)]
    """Labels. `tpuserve-owner` and `tpuserve-origin` are added."""
    version_aliases: Annotated[Input[Sequence[Input[str]]], Field(Effect.IN_PLACE, ours=True, same=same_set)]
    """Further aliases of the version that the arguments describe, in any order; each moves to a new version when that
    is there. `default` among them moves Google's default version along; without it that stays where it is."""
    container_spec: Annotated[Required[Input[ContainerSpecArgs]], NEW_VERSION]
    """The container that serves the model."""
    artifact_uri: Annotated[
        Input[str], Field(Effect.NEW_VERSION, check=partial(catalog.check_resource_id, "artifactUri"))
    ]
    """Folder with the weights, `gs://...`; the container finds it as AIP_STORAGE_URI."""
    encryption_spec: Annotated[Input[EncryptionSpecArgs], REPLACE]
    """Key that encrypts the model."""
    content_version: Annotated[Input[str], Field(Effect.NEW_VERSION, ours=True)]
    """Any change uploads a new version: for weights that changed under the same path."""
    retain_versions: Annotated[
        Input[int],
        Field(Effect.IN_PLACE, ours=True, check=partial(catalog.check_at_least, 0), otherwise=RETAINED_VERSIONS),
    ]
    """How many earlier versions uploaded by tpuserve are kept for a way back; 3 where left out. Older ones are deleted
    at the start of the next update; never one that is deployed, the default, or has an alias of somebody else's."""
    recreate: Annotated[Input[str], PLACE]
    """Any change of this text makes a new model, under another id."""


class DeployedModelRefOutput(TypedDict, total=False):
    """One place where a version is deployed."""

    endpoint: str
    """Full name of the endpoint."""
    deployed_model_id: str
    """Google's id of the deployed model on it."""


class ModelOutputs(TypedDict, total=False):
    """Outputs of a model."""

    name: str
    """Full resource name, with Google's project number."""
    version_id: str
    """The version that the arguments describe."""
    version_name: str
    """`.../models/M@3`: what a Deployment takes."""
    version_aliases: Sequence[str]
    """Every alias of that version, those that others gave it too, by name."""
    create_time: str
    """When the model was first uploaded, RFC 3339."""
    update_time: str
    """When the model was last changed, RFC 3339."""
    deployed_models: Sequence[DeployedModelRefOutput]
    """Where that version is deployed, when it was last looked at."""
    given_aliases: Mapping[str, str]
    """Alias -> version that this resource gave it to: what is taken away again when it leaves `version_aliases`."""
    origin: str
    """URN for which the object was first created."""


def _alias_faults(inputs: Mapping[str, Any]) -> Iterator[Fault]:
    aliases = inputs.get("versionAliases")
    listed = aliases if isinstance(aliases, list) else []
    for index, alias in enumerate(listed):
        if known(alias) and (message := _alias_fault(alias, listed[:index])):
            yield Fault(f"versionAliases[{index}]", message)


def _alias_fault(alias: str, before: Sequence[Any]) -> str | None:
    if message := catalog.check_resource_id("versionAlias", alias):
        return message
    if alias.startswith("c-"):
        return f"{alias!r} begins with c-, which marks the versions that tpuserve uploads; use another"
    return f"{alias!r} is given twice; remove one" if alias in before else None


DEFINITION = Definition(
    token="tpuserve:vertex:Model",
    args=ModelArgs,
    outputs=ModelOutputs,
    doc="A model of the Vertex AI Model Registry. A change of what is served uploads a new version of the same model.",
    place="location",
    id_argument="modelId",
    rules=(_alias_faults, container_faults, key_location_faults),
)


class Model(TpuserveResource):
    """A model of the Vertex AI Model Registry and the version that this program serves."""

    definition = DEFINITION

    def __init__(self, resource_name: str, args: ModelArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(resource_name, args, opts)

    @property
    def name(self) -> pulumi.Output[str]:
        """Full resource name, with Google's project number."""
        return self._output("name")

    @property
    def version_id(self) -> pulumi.Output[str]:
        """The version that the arguments describe."""
        return self._output("version_id")

    @property
    def version_name(self) -> pulumi.Output[str]:
        """`.../models/M@3`: what a Deployment takes."""
        return self._output("version_name")

    @property
    def version_aliases(self) -> pulumi.Output[Sequence[str]]:
        """Every alias of that version, those that others gave it too, by name."""
        return self._output("version_aliases")

    @property
    def create_time(self) -> pulumi.Output[str]:
        """When the model was first uploaded, RFC 3339."""
        return self._output("create_time")

    @property
    def update_time(self) -> pulumi.Output[str]:
        """When the model was last changed, RFC 3339."""
        return self._output("update_time")

    @property
    def deployed_models(self) -> pulumi.Output[Sequence[DeployedModelRefOutput]]:
        """Where that version is deployed, when it was last looked at."""
        return self._output("deployed_models")
