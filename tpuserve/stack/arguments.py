"""A checked configuration as the arguments of the components; nothing here knows Pulumi."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from tpuserve.stack.config import StackConfig
from tpuserve.stack.settings import CollectionSettings, EndpointSettings, ModelSettings

REFUSED = ("accelerator_type", "accelerator_count")
"""Keys of a variant that exist only to be refused with a sentence."""


def collection_arguments(stack: StackConfig, collection: CollectionSettings) -> dict[str, Any]:
    """Arguments of a `TpuCollection`."""
    script = {"startup_script": stack.startup_script}
    return _given(_fields(collection) | script | _labels(stack, collection.labels))


def model_arguments(stack: StackConfig, model: ModelSettings, conceal: Callable[[str], Any]) -> dict[str, Any]:
    """Arguments of a `ServingModel`; `conceal` makes a secret of a value of the environment."""
    env = {"env": {key: conceal(value) for key, value in model.env.items()}} if "model" in stack.secret_sections else {}
    return _given(_fields(model) | env | {"location": stack.location} | _labels(stack, model.labels))


def endpoint_arguments(stack: StackConfig, endpoint: EndpointSettings, model_version: Any) -> dict[str, Any]:
    """Arguments of a `ServingEndpoint`; a variant without a model of its own takes `model_version`."""
    variants = {
        name: _given({"model": model_version} | _given(_fields(variant, *REFUSED)))
        for name, variant in endpoint.variants.items()
    }
    own = _fields(endpoint) | {"variants": variants, "location": stack.location}
    return _given(own | _labels(stack, endpoint.labels))


def _fields(settings: Any, *without: str) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(settings) if field.name not in without]
    return {name: getattr(settings, name) for name in names}


def _labels(stack: StackConfig, labels: Mapping[str, str]) -> dict[str, Any]:
    return {"labels": {**stack.settings.labels, **labels}}


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value not in ([], {})}
