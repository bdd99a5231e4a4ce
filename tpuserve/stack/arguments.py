"""A checked configuration as the arguments of the components; nothing here knows Pulumi."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from tpuserve.stack.config import StackConfig
from tpuserve.stack.contracts import EnvironmentContract
from tpuserve.stack.settings import CollectionSettings, EndpointSettings, ModelSettings

REFUSED = ("accelerator_type", "accelerator_count")
"""Keys of a variant that exist only to be refused with a sentence."""


def collection_arguments(
    stack: StackConfig, collection: CollectionSettings, around: EnvironmentContract | None = None
) -> dict[str, Any]:
    """Arguments of a `TpuCollection`."""
    script = {"startup_script": stack.startup_script}
    return _given(_fields(collection) | script | _slices_in(around) | _labels(stack, collection.labels, around))


def model_arguments(
    stack: StackConfig, model: ModelSettings, conceal: Callable[[str], Any], around: EnvironmentContract | None = None
) -> dict[str, Any]:
    """Arguments of a `ServingModel`; `conceal` makes a secret of a value of the environment."""
    env = {"env": {key: conceal(value) for key, value in model.env.items()}} if "model" in stack.secret_sections else {}
    own = _fields(model) | env | {"location": stack.location}
    return _given(own | _encrypted_in(around) | _labels(stack, model.labels, around))


def endpoint_arguments(
    stack: StackConfig, endpoint: EndpointSettings, model_version: Any, around: EnvironmentContract | None = None
) -> dict[str, Any]:
    """Arguments of a `ServingEndpoint`; a variant without a model of its own takes `model_version`."""
    shared = {"model": model_version, "service_account": around and around.service_account}
    variants = {
        name: _given(shared | _given(_fields(variant, *REFUSED))) for name, variant in endpoint.variants.items()
    }
    own = _fields(endpoint) | {"variants": variants, "location": stack.location}
    return _given(own | _encrypted_in(around) | _logged_in(around) | _labels(stack, endpoint.labels, around))


def _slices_in(around: EnvironmentContract | None) -> dict[str, Any]:
    """What an environment gives to slices: an account, a network without external addresses, a key of boot disks."""
    if around is None:
        return {}
    network = {"network": around.network, "subnetwork": around.subnetwork}
    key = around.kms_key_name and {"customer_encryption_key": {"kms_key_name": around.kms_key_name}}
    return {
        "service_account": {"email": around.service_account},
        "network_config": _given(network) | {"enable_external_ips": False} if _given(network) else None,
        "boot_disk_config": key,
    }


def _encrypted_in(around: EnvironmentContract | None) -> dict[str, Any]:
    key = around and around.kms_key_name
    return {"encryption_spec": {"kms_key_name": key}} if key else {}


def _logged_in(around: EnvironmentContract | None) -> dict[str, Any]:
    if around is None or not around.request_log:
        return {}
    destination = {"output_uri": around.request_log}
    rate = around.request_log_percent / 100
    log = {"enabled": True, "sampling_rate": rate, "bigquery_destination": destination}
    return {"predict_request_response_logging_config": log}


def _fields(settings: Any, *without: str) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(settings) if field.name not in without]
    return {name: getattr(settings, name) for name in names}


def _labels(stack: StackConfig, labels: Mapping[str, str], around: EnvironmentContract | None) -> dict[str, Any]:
    return {"labels": {**(around.labels if around else {}), **stack.settings.labels, **labels}}


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value not in ([], {})}
