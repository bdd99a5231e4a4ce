"""`tpuserve:vertex:Model`: a model of the Vertex AI Model Registry and the version that this program serves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog.faults import Fault, known
from tpuserve.resources.base import TpuserveResource
from tpuserve.resources.definition import Definition
from tpuserve.resources.fields import IN_PLACE, NEW_VERSION, Effect, Field, Input
from tpuserve.resources.names import check_own_labels
from tpuserve.resources.same import same_duration

PLACE = Field(Effect.REPLACE, ours=True)
DEPLOYMENT_TIMEOUT_LIMIT = 7200.0  # ModelContainerSpec.deployment_timeout: "Limit: 2 hours"


class EnvVarArgs(TypedDict, total=False):
    """One environment variable of the container."""

    name: Required[Input[str]]
    """Name; a C identifier."""
    value: Required[Input[str]]
    """Value; `$(NAME)` stands for a variable given earlier."""


class PortArgs(TypedDict, total=False):
    """One port of the container."""

    container_port: Annotated[Required[Input[int]], Field(check=catalog.check_port)]
    """1 to 65535."""


class ContainerSpecArgs(TypedDict, total=False):
    """The container that serves the model. Google calls the whole of it immutable: a change is a new version."""

    image_uri: Required[Input[str]]
    """Image in Artifact Registry; ingested at upload, so a moved tag changes nothing."""
    command: Input[Sequence[Input[str]]]
    """Entry point in place of the image's."""
    args: Input[Sequence[Input[str]]]
    """Arguments of the command."""
    env: Input[Sequence[Input[EnvVarArgs]]]
    """Environment variables, beside those that Vertex AI sets (`AIP_*`)."""
    ports: Input[Sequence[Input[PortArgs]]]
    """Only the first is used; 8080 where left out."""
    predict_route: Input[str]
    """Path to which requests for predictions are sent."""
    health_route: Input[str]
    """Path that answers 200 when the server is ready."""
    deployment_timeout: Annotated[
        Input[str], Field(check=partial(catalog.check_duration, at_most=DEPLOYMENT_TIMEOUT_LIMIT), same=same_duration)
    ]
    """How long a deployment may take, at most `7200s`."""
    shared_memory_size_mb: Input[int]
    """Shared memory of the container in MB."""


class ModelArgs(TypedDict, total=False):
    """Arguments of a model."""

    project: Annotated[Input[str], PLACE]
    """Project id; the provider's where left out."""
    location: Annotated[
        Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "region"))
    ]
    """Region, such as `us-east5`; the provider's where left out."""
    model_id: Annotated[
        Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "modelId"))
    ]
    """Id in the registry; made from the resource's name where left out."""
    display_name: Annotated[Required[Input[str]], IN_PLACE]
    """Name for people, at most 128 characters."""
    description: Annotated[Input[str], IN_PLACE]
    """Text for people."""
    labels: Annotated[Input[Mapping[str, Input[str]]], Field(Effect.IN_PLACE, check=check_own_labels)]
    """Labels. `tpuserve-owner` and `tpuserve-origin` are added."""
    version_aliases: Annotated[Input[Sequence[Input[str]]], Field(Effect.IN_PLACE, ours=True)]
    """Further aliases of the version served; `c-<hash>` is added."""
    container_spec: Annotated[Required[Input[ContainerSpecArgs]], NEW_VERSION]
    """The container that serves the model."""
    artifact_uri: Annotated[Input[str], NEW_VERSION]
    """Folder with the weights, `gs://...`; the container finds it as AIP_STORAGE_URI."""
    content_version: Annotated[Input[str], Field(Effect.NEW_VERSION, ours=True)]
    """Any change uploads a new version: for weights that changed under the same path."""
    recreate: Annotated[Input[str], PLACE]
    """Any change of this text makes a new model, under another id."""


class ModelOutputs(TypedDict, total=False):
    """Outputs of a model."""

    name: str
    """Full resource name, with Google's project number."""
    version_id: str
    """The version that the arguments describe."""
    version_name: str
    """`.../models/M@3`: what a Deployment takes."""
    create_time: str
    """When the model was first uploaded, RFC 3339."""
    origin: str
    """URN for which the object was first created."""


def _rules(inputs: Mapping[str, Any]) -> Iterator[Fault]:
    aliases = inputs.get("versionAliases")
    for index, alias in enumerate(aliases if isinstance(aliases, list) else ()):
        if not known(alias):
            continue
        path = f"versionAliases[{index}]"
        if message := catalog.check_resource_id("versionAlias", alias):
            yield Fault(path, message)
        elif alias.startswith("c-"):
            yield Fault(path, f"{alias!r} begins with c-, which marks the versions that tpuserve uploads; use another")


DEFINITION = Definition(
    token="tpuserve:vertex:Model",
    args=ModelArgs,
    outputs=ModelOutputs,
    doc="A model of the Vertex AI Model Registry. A change of what is served uploads a new version of the same model.",
    place="location",
    id_argument="modelId",
    rules=(_rules,),
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
