"""Predictions: one deployed model chosen by the traffic split, one of its replicas asked, its answer passed on."""

import http.client
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from google.api.httpbody_pb2 import HttpBody
from google.protobuf.struct_pb2 import Value

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError, Code, precondition
from tpuserve.emulator.messages import PredictResponse
from tpuserve.emulator.nesting import too_deep
from tpuserve.emulator.serving.loopback import Answer
from tpuserve.emulator.serving.process import Served
from tpuserve.emulator.vertex.endpoints import Endpoints
from tpuserve.emulator.vertex.servers import process_name
from tpuserve.emulator.vertex.values import fill, python_of

_EXCERPT = 500
_JSON = "application/json"
# Page "Use dedicated public endpoints for online inference": gRPC requests to an endpoint's own host name carry it.
HEADER = "x-vertex-ai-endpoint-id"


class Predictions:
    """PredictionService's Predict, RawPredict and StreamRawPredict. Nothing here waits for an operation."""

    def __init__(self, core: Core, endpoints: Endpoints) -> None:
        self._core, self._endpoints = core, endpoints

    async def predict(self, request: Any, metadata: Mapping[str, str]) -> Any:
        endpoint, deployed = self._chosen(request, metadata)
        response = PredictResponse(
            deployed_model_id=deployed.id,
            model=deployed.model,
            model_version_id=deployed.model_version_id,
            model_display_name=deployed.display_name,
        )
        response.predictions.extend(await self._answer(endpoint.name, deployed, request))
        return response

    async def raw_predict(self, request: Any, metadata: Mapping[str, str]) -> Any:
        """The body as it is, to the predict route, and the answer's body as it is (RawPredictRequest.http_body)."""
        endpoint, deployed = self._chosen(request, metadata)
        served = await self._served(endpoint.name, deployed)
        if served.launch.builtin:
            return request.http_body
        body, seconds = request.http_body, self._core.settings.predict_timeout
        with _as_errors(deployed.id):
            answer = await self._core.processes.post(served, body.data, body.content_type or _JSON, seconds)
        _refuse(deployed.id, answer)
        return HttpBody(content_type=answer.kind, data=answer.body)

    async def stream_raw_predict(self, request: Any, metadata: Mapping[str, str]) -> AsyncIterator[Any]:
        """The same, the answer in the pieces in which the server writes it."""
        endpoint, deployed = self._chosen(request, metadata)
        served = await self._served(endpoint.name, deployed)
        if served.launch.builtin:
            yield request.http_body
            return
        body, seconds = request.http_body, self._core.settings.predict_timeout
        with _as_errors(deployed.id):
            pieces = self._core.processes.stream(served, body.data, body.content_type or _JSON, seconds)
            async for piece in pieces:
                _refuse(deployed.id, piece)
                if piece.body:
                    yield HttpBody(content_type=piece.kind, data=piece.body)

    def _chosen(self, request: Any, metadata: Mapping[str, str]) -> tuple[Any, Any]:
        _, endpoint = self._endpoints.found(request.endpoint, "endpoint")
        _reached(endpoint, metadata.get(HEADER, ""))
        return endpoint, self._choose(endpoint)

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

    async def _served(self, endpoint: str, deployed: Any) -> Served:
        """The replica that is asked; its deployed model is one request richer."""
        server = self._core.servers.get(process_name(endpoint, deployed.id))
        if server is not None:
            server.rate.count(self._core.clock.now())
        replica = server.chosen() or await server.reachable() if server is not None else None
        if replica is None:
            raise ApiError(Code.UNAVAILABLE, f"No replica of deployed model {deployed.id} takes requests.")
        return replica.served

    async def _answer(self, endpoint: str, deployed: Any, request: Any) -> list[Value]:
        served = await self._served(endpoint, deployed)
        if served.launch.builtin:
            return [_echo(instance, deployed) for instance in request.instances]
        body: dict[str, Any] = {"instances": [python_of(instance) for instance in request.instances]}
        if request.HasField("parameters"):
            body["parameters"] = python_of(request.parameters)
        seconds = self._core.settings.predict_timeout
        with _as_errors(deployed.id):
            answer = await self._core.processes.post(served, json.dumps(body).encode(), _JSON, seconds)
        return _predictions(deployed.id, answer)


@contextmanager
def _as_errors(identifier: str) -> Iterator[None]:
    """What a server that does not answer amounts to."""
    try:
        yield
    except TimeoutError as error:
        raise ApiError(Code.DEADLINE_EXCEEDED, f"Deployed model {identifier} did not answer in time.") from error
    except (OSError, http.client.HTTPException) as error:
        raise ApiError(Code.UNAVAILABLE, f"Deployed model {identifier} does not answer: {error!r}.") from error


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


def _refuse(identifier: str, answer: Answer) -> None:
    """assumed: 4xx is the caller's fault, all else but 200 the server's."""
    if answer.status != http.client.OK:
        code = Code.INVALID_ARGUMENT if 400 <= answer.status < 500 else Code.INTERNAL
        text = answer.body[:_EXCERPT].decode(errors="replace")
        raise ApiError(code, f"Deployed model {identifier} answered {answer.status}: {text}")


def _predictions(identifier: str, answer: Answer) -> list[Value]:
    """What a server answered, or the error it amounts to."""
    _refuse(identifier, answer)
    try:
        said = json.loads(answer.body, parse_constant=_no_constant)
        return [fill(Value(), found) for found in _listed(said["predictions"])]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        wanted, text = 'a JSON object with "predictions", a list', answer.body[:_EXCERPT].decode(errors="replace")
        raise ApiError(Code.INTERNAL, f"Deployed model {identifier} must answer {wanted}; got: {text}") from error


def _listed(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise TypeError("predictions must be a list")
    if too_deep(found):
        raise ValueError("predictions must not nest deeper than a message can")
    return found


def _no_constant(text: str) -> None:
    """NaN and Infinity: "Note that attempting to serialize NaN or Infinity results in error" (struct.proto)."""
    raise ValueError(f"{text} is no number of JSON")


def _echo(instance: Value, deployed: Any) -> Value:
    result = Value()
    result.struct_value.fields["instance"].CopyFrom(instance)
    result.struct_value.fields["version"].string_value = deployed.model_version_id
    result.struct_value.fields["deployedModelId"].string_value = deployed.id
    return result
