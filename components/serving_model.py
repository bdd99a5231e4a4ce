"""A model in the Vertex AI Model Registry, with one of Google's containers for TPUs or one of the user's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog import Fault, Preset
from tpuserve.resources import EncryptionSpecArgs, Model, ProbeArgs

from .inputs import check_arguments, given, picked, settled

TYPE = "tpuserve:components:ServingModel"
CONTAINER = (
    "image_uri", "command", "args", "predict_route", "health_route", "invoke_route_prefix", "deployment_timeout",
    "shared_memory_size_mb", "startup_probe", "health_probe", "liveness_probe",
)  # fmt: skip
"""Arguments that are the container's, under their own names."""
OWN = (
    "display_name", "description", "version_description", "labels", "version_aliases", "artifact_uri",
    "encryption_spec", "content_version", "retain_versions", "project", "location", "model_id", "recreate",
)  # fmt: skip
"""Arguments that are the model's, under their own names."""


class ServingModelArgs(TypedDict, total=False):
    """Arguments of a model.

    With a `preset` other than `custom`, the preset decides `predict_route`, `health_route`, `invoke_route_prefix`,
    `port`, `command` and `args`, and none of them can be given. Source of the presets: Vertex AI, "Deploy a model to
    Cloud TPU VMs".
    """

    display_name: Required[pulumi.Input[str]]
    """Name for people."""
    preset: Preset
    """Container: `custom` (one of your own) where left out, or one of Google's: `tensorflow_manual` (a SavedModel
    that the inference converter has optimized), `tensorflow_automatic` (Vertex AI partitions it),
    `tensorflow_partitioned` (`tpu_functions` run on the TPU), `pytorch` (TorchServe)."""
    tpu_functions: Sequence[str]
    """Aliases of the functions that run on the TPU, at least one: for `tensorflow_partitioned`, and only for it."""
    image_uri: pulumi.Input[str]
    """Image in Artifact Registry; ingested at upload, so a moved tag changes nothing. Needed for `custom`; else the
    preset's, and one that is given is the same image in another region, repository or version."""
    artifact_uri: pulumi.Input[str]
    """Folder with the model, `gs://...`, needed for every preset but `custom`; the container finds it as
    AIP_STORAGE_URI."""
    predict_route: pulumi.Input[str]
    """HTTP path for predictions, such as `/predict`; Google's long default path where left out."""
    health_route: pulumi.Input[str]
    """HTTP path that answers 200 when the container is ready; Google's long default path where left out."""
    invoke_route_prefix: pulumi.Input[str]
    """`/*` passes any path on, in place of `predict_route`; needs a dedicated endpoint."""
    port: pulumi.Input[int]
    """HTTP port of the container, 1 to 65535; 8080 where left out."""
    grpc_port: pulumi.Input[int]
    """Port of the container for predictions over gRPC, 1 to 65535; none where left out."""
    command: pulumi.Input[Sequence[pulumi.Input[str]]]
    """Entrypoint, in place of the image's."""
    args: pulumi.Input[Sequence[pulumi.Input[str]]]
    """Arguments of the entrypoint, in place of the image's."""
    env: Mapping[str, pulumi.Input[str]]
    """Environment variables of the container by name; `$(NAME)` stands for a variable given earlier."""
    deployment_timeout: pulumi.Input[str]
    """How long a deployment may take, at most `7200s`."""
    shared_memory_size_mb: pulumi.Input[int]
    """Shared memory of the container in MB."""
    startup_probe: pulumi.Input[ProbeArgs]
    """Whether the server has started; until then no other probe counts."""
    health_probe: pulumi.Input[ProbeArgs]
    """Whether the server is ready for requests (Kubernetes' readiness probe)."""
    liveness_probe: pulumi.Input[ProbeArgs]
    """Whether the server still lives."""
    project: pulumi.Input[str]
    """Project id; the provider's where left out."""
    location: pulumi.Input[str]
    """Region, such as `us-east5`; the provider's where left out."""
    model_id: pulumi.Input[str]
    """Id in the registry; made from the component's name where left out."""
    description: pulumi.Input[str]
    """Text for people, on the model."""
    version_description: pulumi.Input[str]
    """Text for people, on the version."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of the model."""
    version_aliases: pulumi.Input[Sequence[pulumi.Input[str]]]
    """Aliases of the version served, such as `stable`."""
    encryption_spec: pulumi.Input[EncryptionSpecArgs]
    """Key that encrypts the model. A change makes another model."""
    content_version: pulumi.Input[str]
    """Any change uploads a new version: for weights that changed under the same path."""
    retain_versions: pulumi.Input[int]
    """How many earlier versions are kept for a way back; 3 where left out."""
    recreate: pulumi.Input[str]
    """Any change of this text makes a new model, under another id."""


class ServingModel(pulumi.ComponentResource):
    """A model ready to be deployed on TPUs. Child: `<name>-model`."""

    model: Model
    """The model itself."""
    name: pulumi.Output[str]
    """Full resource name of the model."""
    version_id: pulumi.Output[str]
    """The version that the arguments describe."""
    version_name: pulumi.Output[str]
    """`.../models/M@3`: what a variant of a `ServingEndpoint` takes."""

    def __init__(self, name: str, args: ServingModelArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("ServingModel", name, ServingModelArgs, args, container_faults(args))
        self.model = Model(
            f"{name}-model",
            model_args(args),  # pyright: ignore[reportArgumentType]
            pulumi.ResourceOptions(parent=self),
        )
        self.name = self.model.name
        self.version_id = self.model.version_id
        self.version_name = self.model.version_name
        self.register_outputs({"name": self.name, "versionId": self.version_id, "versionName": self.version_name})


def model_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the one child."""
    decided = catalog.preset_arguments(args.get("preset") or catalog.CUSTOM, args.get("tpu_functions") or ())
    args = {**args, **decided, **picked(args, "image_uri")}
    container = picked(args, *CONTAINER) | given({"env": args.get("env") and env_list(args["env"])})
    container |= given({f"{name}s": ports(args.get(name)) for name in ("port", "grpc_port")})
    own = picked(args, *OWN)
    return own | {"container_spec": container}


def container_faults(args: Mapping[str, Any]) -> Iterator[Fault]:
    """What keeps the arguments from being a container."""
    values = {name: settled(value) for name, value in picked(args, *catalog.CONTAINER_ARGUMENTS).items()}
    values |= picked(args, "tpu_functions")  # plain even in a preview: the argument is built from them
    for argument, message in catalog.check_container(args.get("preset"), values):
        yield Fault(argument, message)


def env_list(env: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Environment variables as Vertex AI takes them, in the order in which they were given."""
    return [{"name": name, "value": value} for name, value in env.items()]


def ports(number: Any) -> list[dict[str, Any]] | None:
    """One port as Vertex AI takes it, of which it uses the first alone."""
    return None if number is None else [{"container_port": number}]
