"""What Vertex AI refuses of an endpoint. Pure: messages in, an error or nothing out.

"Kinds" is the page "Choose an endpoint type" (docs.cloud.google.com/vertex-ai/docs/predictions/choose-endpoint-type):
shared, dedicated, Private Service Connect and private services access; its table says what each can do. That what a
kind cannot do is refused, and with INVALID_ARGUMENT, is assumed.
"""

import re
from collections.abc import Mapping
from typing import Any

from tpuserve.emulator import labels
from tpuserve.emulator.errors import invalid
from tpuserve.emulator.vertex import rules

NETWORK = re.compile(r"projects/\d+/global/networks/[a-z][a-z0-9-]*")  # Endpoint.network: "a project number"
BIGQUERY = re.compile(r"bq://[^/.\s]+(?:\.[^/.\s]+){0,2}")  # BigQueryDestination.output_uri, "Accepted forms"
_LONGEST_URI = 2000  # BigQueryDestination.output_uri
_LONGEST_TIMEOUT = 3600  # Kinds: "up to 1 hour"


def created(endpoint: Any, location: str) -> None:
    """The rules of Endpoint in CreateEndpointRequest."""
    rules.display_name(endpoint.display_name, "endpoint.display_name")
    labels.checked(endpoint.labels, "endpoint.labels")
    rules.traffic(endpoint.traffic_split, (), "endpoint.traffic_split")
    _kind(endpoint)
    if endpoint.network:
        rules.matching("endpoint.network", endpoint.network, NETWORK)
    rules.key(endpoint, location, "endpoint")
    logging(endpoint, network=endpoint.network)
    connection(endpoint, endpoint)


def _kind(endpoint: Any) -> None:
    private = endpoint.HasField("private_service_connect_config") or endpoint.enable_private_service_connect
    if endpoint.network and private:  # Endpoint.network: mutually exclusive
        raise invalid("endpoint.network and private_service_connect_config", "both", "one of the two")
    if endpoint.dedicated_endpoint_enabled and private:  # conflicts in magic-modules' vertexai/Endpoint.yaml
        raise invalid(
            "endpoint.dedicated_endpoint_enabled and private_service_connect_config", "both", "one of the two"
        )
    if endpoint.dedicated_endpoint_enabled and endpoint.network:  # magic-modules PR 19103
        raise invalid("endpoint.dedicated_endpoint_enabled and network", "both", "one of the two")


def logging(endpoint: Any, *, network: str) -> None:
    """The rules of PredictRequestResponseLoggingConfig; an endpoint with a network has no such log (Kinds)."""
    field, config = "endpoint.predict_request_response_logging_config", endpoint.predict_request_response_logging_config
    if config.enabled and network:
        raise invalid(f"{field}.enabled", True, "left out where the endpoint has a network")
    # "a fraction in range(0,1]"; 0 cannot be told from one that was left out, which Google's own SDK sends
    if not 0 <= config.sampling_rate <= 1:
        raise invalid(f"{field}.sampling_rate", config.sampling_rate, "in range(0,1]")
    if config.HasField("bigquery_destination"):
        uri = config.bigquery_destination.output_uri
        rules.matching(f"{field}.bigquery_destination.output_uri", uri, BIGQUERY)
        if len(uri) > _LONGEST_URI:
            raise invalid(f"{field}.bigquery_destination.output_uri", f"{len(uri)} characters", "at most 2000")


def connection(given: Any, endpoint: Any) -> None:
    """The rules of ClientConnectionConfig: a timeout for dedicated endpoints and Private Service Connect (Kinds)."""
    config = given.client_connection_config
    if not config.HasField("inference_timeout"):
        return
    field, seconds = (
        "endpoint.client_connection_config.inference_timeout",
        config.inference_timeout.ToNanoseconds() / 1e9,
    )
    if not (endpoint.dedicated_endpoint_enabled or endpoint.HasField("private_service_connect_config")):
        raise invalid(field, f"{seconds:g}s", "left out: only dedicated endpoints and Private Service Connect have it")
    if not 0 < seconds <= _LONGEST_TIMEOUT:
        raise invalid(field, f"{seconds:g}s", "more than 0s and at most 3600s")


def only_connection(given: Any, stored: Any) -> None:
    """UpdateEndpointLongRunningRequest.endpoint: "all the other fields' update will be blocked"; assumed: an error."""
    for field, value in given.ListFields():
        if field.name not in {"name", "etag", "client_connection_config"} and value != getattr(stored, field.name):
            raise invalid("endpoint", field.name, "client_connection_config alone, the other fields as they are")


def splittable(split: Mapping[str, int], endpoint: Any) -> None:
    """An endpoint with a network has no split (Kinds; google.cloud.aiplatform models.py)."""
    if split and endpoint.network:
        raise invalid("endpoint.traffic_split", dict(split), "left out where the endpoint has a network")
