"""The program: the stack's configuration in, components and outputs out. What a stack may say is in docs/stacks.md."""

from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG
from tpuserve.components import ServingEndpoint, ServingModel, TpuCollection  # pyright: ignore[reportMissingImports]

from tpuserve.stack.arguments import collection_arguments, endpoint_arguments, model_arguments
from tpuserve.stack.config import StackConfig, StackConfigError, read_stack
from tpuserve.stack.references import surroundings_of

NAME = "inference"
"""What the names of all resources begin with; a change of it would replace everything."""


def main() -> None:
    """Build what the stack asks for, or nothing if its configuration has a fault."""
    stack = read()
    around = surroundings_of(stack)
    opts = pulumi.ResourceOptions(protect=stack.settings.protect)
    version = None
    if settings := stack.settings.collection:
        export_collection(TpuCollection(NAME, collection_arguments(stack, settings, around), opts))
    if settings := stack.settings.model:
        model = ServingModel(NAME, model_arguments(stack, settings, pulumi.Output.secret, around), opts)
        version = model.version_name
        names = {"name": model.name, "versionId": model.version_id, "versionName": version}
        pulumi.export("model", names)
    if settings := stack.settings.endpoint:
        export_endpoint(ServingEndpoint(NAME, endpoint_arguments(stack, settings, version, around), opts))


def read() -> StackConfig:
    """The stack's configuration; each of its faults is one line of the error."""
    config: dict[str, Any] = CONFIG.get()
    secret_keys = [key for key in config if pulumi.runtime.is_config_secret(key)]
    try:
        return read_stack(config, pulumi.get_project(), Path(__file__).parent, secret_keys)
    except StackConfigError as error:
        raise pulumi.RunError(str(error)) from None


def export_collection(collection: TpuCollection) -> None:
    """Where the slices are and how they do."""
    pulumi.export("collection", {"name": collection.name, "state": collection.state, "nodes": collection.nodes})


def export_endpoint(serving: ServingEndpoint) -> None:
    """Where to send requests, and what answers them."""
    location = serving.endpoint_name.apply(lambda name: name.split("/")[3])
    pulumi.export("endpoint", {"name": serving.endpoint_name, "location": location})
    pulumi.export("deployment", {"variants": serving.deployed_model_status, "trafficSplit": serving.traffic_split})


main()
