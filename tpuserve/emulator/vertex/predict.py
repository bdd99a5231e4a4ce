"""Predict: one deployed model chosen by the traffic split, its process asked, its answer passed on."""

import http.client
import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.struct_pb2 import Value

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError, Code, precondition
from tpuserve.emulator.messages import PredictResponse
from tpuserve.emulator.processes import Served
from tpuserve.emulator.vertex.endpoints import Endpoints
from tpuserve.emulator.vertex.servers import process_name
from tpuserve.emulator.vertex.values import fill, python_of

_EXCERPT = 500
# Page "Use dedicated public endpoints for online inference": gRPC requests to an endpoint's own host name carry it.
HEADER = "x-vertex-ai-endpoint-id"


class Predictions:
    """PredictionService.Predict. Nothing here waits for an operation."""

    def __init__(self, core: Core, endpoints: Endpoints) -> None:
        self._core, self._endpoints = core, endpoints

    async def predict(self, request: Any, metadata: Mapping[str, str]) -> Any:
        _, endpoint = self._endpoints.found(request.endpoint, "endpoint")
        _reached(endpoint, metadata.get(HEADER, ""))
        deployed = self._choose(endpoint)
        response = PredictResponse(
            deployed_model_id=deployed.id,
            model=deployed.model,
            model_version_id=deployed.model_version_id,
            model_display_name=deployed.display_name,
        )
        response.predictions.extend(await self._answer(endpoint.name, deployed, request))
        return response

    def _choose(self, endpoint: Any) -> Any:
        """Chosen by weight from seeded chance. An empty split is FAILED_PRECONDITION (explainable_ai_sdk#3).

        An endpoint with a network has no split: its one model answers (page "Use private services access endpoints").
        """
        if endpoint.network and endpoint.deployed_models:
            return endpoint.deployed_models[0]
        shares = {key: share for key, share in endpoint.traffic_split.items() if share}
        if not shares:
            raise precondition(f"Endpoint {endpoint.name} doesn't have traffic_split.")
        key = self._core.chance.choices(list(shares), list(shares.values()))[0]
        return next(model for model in endpoint.deployed_models if model.id == key)

    async def _answer(self, endpoint: str, deployed: Any, request: Any) -> list[Value]:
        served = self._core.processes.get(process_name(endpoint, deployed.id))
        if served is None or not served.alive:
            raise ApiError(Code.UNAVAILABLE, f"The server of deployed model {deployed.id} does not run.")
        if served.launch.builtin:
            return [_echo(instance, deployed) for instance in request.instances]
        await served.ready.wait()
        return await self._asked(served, deployed, request)

    async def _asked(self, served: Served, deployed: Any, request: Any) -> list[Value]:
        body: dict[str, Any] = {"instances": [python_of(instance) for instance in request.instances]}
        if request.HasField("parameters"):
            body["parameters"] = python_of(request.parameters)
        try:
            status, answer = await self._core.processes.post(
                served, json.dumps(body).encode(), self._core.settings.predict_timeout
            )
        except TimeoutError as error:
            raise ApiError(Code.DEADLINE_EXCEEDED, f"Deployed model {deployed.id} did not answer in time.") from error
        except (OSError, http.client.HTTPException) as error:
            raise ApiError(Code.UNAVAILABLE, f"Deployed model {deployed.id} does not answer: {error!r}.") from error
        return _predictions(deployed.id, status, answer)


def _reached(endpoint: Any, header: str) -> None:
    """An endpoint with a host name of its own is not served by the shared one (langchain-google#1119).

    assumed: the header stands for the host name, for there is one address here; the code; the same for Private Service
    Connect, whose pages ask for the header too.
    """
    own = endpoint.dedicated_endpoint_enabled or endpoint.HasField("private_service_connect_config")
    if own and header != endpoint.name.rpartition("/")[2]:
        where = endpoint.dedicated_endpoint_dns or "Private Service Connect"
        raise precondition(
            f"{endpoint.name} is not served by the shared host name. Use {where}, with the endpoint's id in {HEADER}."
        )


def _predictions(identifier: str, status: int, answer: bytes) -> list[Value]:
    """What a server answered, or the error it amounts to. assumed: 4xx is the caller's fault, all else the server's."""
    text = answer[:_EXCERPT].decode(errors="replace")
    if status != http.client.OK:
        code = Code.INVALID_ARGUMENT if 400 <= status < 500 else Code.INTERNAL
        raise ApiError(code, f"Deployed model {identifier} answered {status}: {text}")
    try:
        return [fill(Value(), found) for found in _listed(json.loads(answer)["predictions"])]
    except (ValueError, KeyError, TypeError) as error:
        wanted = 'a JSON object with "predictions", a list'
        raise ApiError(Code.INTERNAL, f"Deployed model {identifier} must answer {wanted}; got: {text}") from error


def _listed(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise TypeError("predictions must be a list")
    return found


def _echo(instance: Value, deployed: Any) -> Value:
    result = Value()
    result.struct_value.fields["instance"].CopyFrom(instance)
    result.struct_value.fields["version"].string_value = deployed.model_version_id
    result.struct_value.fields["deployedModelId"].string_value = deployed.id
    return result
