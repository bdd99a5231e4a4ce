"""The one module that builds Google's clients: JSON in, JSON out, with retries and one kind of error.

Over gRPC, and over REST for what no gRPC client is for or has a field for. `google.cloud` is imported at the first
call, in a thread, since its import takes about a second.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from importlib import import_module
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import grpc.aio

from tpuserve.access import Access, AccessError, Caller, requests
from tpuserve.catalog.google_errors import sent_again
from tpuserve.catalog.numbers import seconds
from tpuserve.deferred import defer
from tpuserve.threads import in_a_thread
from tpuserve.together import Together

JSON = {"content-type": "application/json"}
LOCATION = re.compile(r"[a-z0-9-]+")
TIMEOUT = 60.0  # seconds for one request; the wait for an operation is many requests
ATTEMPTS = 6
LONGEST_WAIT = 120.0  # seconds; where Google wants to be left alone for longer, that is the user's to know


class CloudError(Exception):
    """Google refused or did not answer; `code` is the name of a gRPC status.

    `reason` is ErrorInfo's, such as SERVICE_DISABLED; `retry_after` the seconds after which Google wants to be asked
    again, where it says so.
    """

    def __init__(self, method: str, code: str, message: str, reason: str = "", retry_after: float = 0) -> None:
        super().__init__(message)
        self.method = method
        self.code = code
        self.message = message
        self.reason = reason
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Rest:
    """How a method is asked for over REST, as Google's discovery documents have it."""

    verb: str
    path: str
    """Below the host; in braces what the request names."""
    body: str = ""
    """The field of the request that is the body; whatever is in neither is the query."""


@dataclass(frozen=True, slots=True)
class Method:
    """One RPC: its client, its request type and whether sending it twice does what sending it once does."""

    service: str
    request: str
    repeatable: bool = True
    rest: Rest | None = None
    """For what has no gRPC client, or fields that no gRPC client has."""


TPU, MODELS, ENDPOINTS = "Tpu", "ModelService", "EndpointService"
POOLS = "DeploymentResourcePoolService"
PREDICTION, OPERATIONS = "PredictionService", "Operations"
QUOTAS = "CloudQuotas"
HOSTS = {TPU: "tpu", QUOTAS: "cloudquotas"}
"""Services with one host for all regions, each with its name there and in `endpoints`."""
OPERATED = (MODELS, ENDPOINTS)
"""Services of Vertex AI whose types are in operations."""
VERTEX = "google.cloud.aiplatform_v1"
METHODS = {
    # Repeating a create with an id ends in ALREADY_EXISTS, which the lifecycles resolve by owner and origin.
    "CreateQueuedResource": Method(
        TPU,
        "CreateQueuedResourceRequest",
        rest=Rest("POST", "v2alpha1/{parent}/queuedResources", body="queuedResource"),
    ),
    "GetQueuedResource": Method(TPU, "GetQueuedResourceRequest", rest=Rest("GET", "v2alpha1/{name}")),
    "ListQueuedResources": Method(TPU, "ListQueuedResourcesRequest"),
    "DeleteQueuedResource": Method(TPU, "DeleteQueuedResourceRequest"),
    "GetNode": Method(TPU, "GetNodeRequest"),
    "ListNodes": Method(TPU, "ListNodesRequest"),
    "ListAcceleratorTypes": Method(TPU, "ListAcceleratorTypesRequest"),
    "ListRuntimeVersions": Method(TPU, "ListRuntimeVersionsRequest"),
    # An upload or a deployment sent twice makes two: an upload is looked for first, a deployment by the next run.
    "UploadModel": Method(MODELS, "UploadModelRequest", repeatable=False),
    "GetModel": Method(MODELS, "GetModelRequest"),
    "ListModels": Method(MODELS, "ListModelsRequest"),
    "UpdateModel": Method(MODELS, "UpdateModelRequest"),
    "DeleteModel": Method(MODELS, "DeleteModelRequest"),
    "ListModelVersions": Method(MODELS, "ListModelVersionsRequest"),
    "MergeVersionAliases": Method(MODELS, "MergeVersionAliasesRequest"),
    "DeleteModelVersion": Method(MODELS, "DeleteModelVersionRequest"),
    "CreateEndpoint": Method(ENDPOINTS, "CreateEndpointRequest"),
    "GetEndpoint": Method(ENDPOINTS, "GetEndpointRequest"),
    "ListEndpoints": Method(ENDPOINTS, "ListEndpointsRequest"),
    "UpdateEndpoint": Method(ENDPOINTS, "UpdateEndpointRequest"),
    "UpdateEndpointLongRunning": Method(ENDPOINTS, "UpdateEndpointLongRunningRequest"),
    "DeleteEndpoint": Method(ENDPOINTS, "DeleteEndpointRequest"),
    "DeployModel": Method(ENDPOINTS, "DeployModelRequest", repeatable=False),
    "MutateDeployedModel": Method(ENDPOINTS, "MutateDeployedModelRequest"),
    "UndeployModel": Method(ENDPOINTS, "UndeployModelRequest"),
    "GetDeploymentResourcePool": Method(POOLS, "GetDeploymentResourcePoolRequest"),
    "Predict": Method(PREDICTION, "PredictRequest"),
    "GetOperation": Method(OPERATIONS, "GetOperationRequest"),
    "ListOperations": Method(OPERATIONS, "ListOperationsRequest"),
    "WaitOperation": Method(OPERATIONS, "WaitOperationRequest"),
    # Over REST alone: google-cloud-quotas needs protobuf 6 since its release 0.6, which pulumi-policy excludes.
    "GetQuotaInfo": Method(QUOTAS, "GetQuotaInfoRequest", rest=Rest("GET", "v1/{name}")),
}
NO_REST = (
    "is asked for over REST, and endpoints.{0} is {1}, where plain http is taken for gRPC alone: give the emulator's "
    "address of REST as endpoints.{0}Rest (tpuserve:endpoints in the stack's configuration)"
)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one request is worth sending again."""

    tries: int = ATTEMPTS
    """At most, where there was no answer or too many requests."""
    grants: float = 0.0
    """Seconds for which a missing permission may be one that was granted just now."""
    seconds: float = TIMEOUT
    """Within which one of them must be answered."""


@dataclass(slots=True)
class Attempts:
    """The attempts at one request so far."""

    repeatable: bool
    patience: Patience
    clock: Callable[[], float] = time.monotonic
    made: int = 0
    since: float = 0.0

    def __post_init__(self) -> None:
        self.since = self.clock()

    def again(self, error: Exception) -> bool | float:
        """Whether there is another one, or the seconds until it; what Google refused was not done, so it may be sent
        again even where it is not repeatable."""
        self.made += 1
        if not isinstance(error, CloudError):
            return False
        left = self.made < self.patience.tries
        match sent_again(error.code, error.message, error.reason):
            case "grant":
                return self.clock() - self.since < self.patience.grants
            case "rate" if error.retry_after:
                return error.retry_after if left and error.retry_after <= LONGEST_WAIT else False
            case "rate":
                return left
            case "answer":
                return left and self.repeatable
            case _:
                return False


@dataclass(frozen=True, slots=True)
class Client:
    """One of Google's clients, and whose token its calls carry: none where plain http leads to this machine."""

    gapic: Any
    caller: Caller | None


@dataclass(slots=True)
class Google:
    """Clients of both APIs for one provider configuration; every call is a coroutine."""

    endpoints: Mapping[str, str] = field(default_factory=dict)
    """Service (`tpu`, `tpuRest`, `aiplatform`, `iamcredentials`, `cloudquotas`) -> URL, in place of Google's own."""
    access: Access = field(default_factory=Access)
    """Who asks."""
    retry_wait: tuple[float, float] = (0.1, 10.0)
    """First and longest wait in seconds between two tries."""
    _clients: dict[tuple[str, str], Client] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _listings: Together = field(default_factory=Together)
    _caller: Caller | None = None
    _http: Callable[..., Any] | None = None

    async def call(
        self,
        name: str,
        request: Mapping[str, Any],
        location: str = "",
        patience: Patience | None = None,
        *,
        rest: bool = False,
    ) -> dict[str, Any]:
        """Send one request; `location` picks Vertex AI's regional host. Raises CloudError.

        `rest`: over REST, for the fields that no gRPC client has; of a method that METHODS has a way for.
        """
        method, patience = METHODS[name], patience or Patience()
        headers = self.access.quota(request)
        if rest:
            send = self._rest_sender(name, request, headers, patience.seconds)
        else:
            client = await self._client(name, method.service, location)
            send = _sender(client, name, request, headers, patience.seconds)
        return await self._with_retries(send, Attempts(method.repeatable, patience))

    async def pages(self, name: str, request: Mapping[str, Any], location: str = "", key: str = "") -> list[dict]:
        """Every item of a listing, over all its pages; who asks for the same at once gets the same list."""
        key_of_all = (name, json.dumps(request, sort_keys=True), location)
        return await self._listings.read(key_of_all, lambda: self._pages(name, request, location, key))

    async def _pages(self, name: str, request: Mapping[str, Any], location: str, key: str) -> list[dict]:
        items: list[dict] = []
        token = ""
        while True:
            answer = await self.call(name, {**request, "pageToken": token} if token else request, location)
            items += answer.get(key, [])
            token = answer.get("nextPageToken", "")
            if not token:
                return items

    async def quota_info(self, project: str, service: str, quota: str) -> dict[str, Any]:
        """What Cloud Quotas says of one quota of a project. Raises CloudError."""
        name = f"projects/{project}/locations/global/services/{service}/quotaInfos/{quota}"
        return await self.call("GetQuotaInfo", {"name": name}, rest=True)

    def rest_url(self, service: str) -> str:
        """Where a service of HOSTS is asked over REST; empty where nobody said.

        Google's hosts take gRPC and REST alike, and so does whatever takes their place with https; an emulator at plain
        http has a port for each.
        """
        kind = HOSTS[service]
        own, shared = self.endpoints.get(f"{kind}Rest", ""), self.endpoints.get(kind, "")
        if own or service == QUOTAS:
            return own or shared or _host(kind, "", self.access.universe_domain)
        return "" if _is_plain(shared) else shared or _host(kind, "", self.access.universe_domain)

    def no_rest(self, service: str) -> str:
        """Why a service cannot be asked over REST; empty where it can."""
        kind = HOSTS[service]
        return "" if self.rest_url(service) else NO_REST.format(kind, self.endpoints[kind])

    def _rest_sender(
        self, name: str, request: Mapping[str, Any], headers: Mapping[str, str], timeout: float
    ) -> Callable[[], Any]:
        method = METHODS[name]
        assert method.rest
        if missing := self.no_rest(method.service):
            raise CloudError(name, "INVALID_ARGUMENT", f"{name} {missing}")
        url = self.rest_url(method.service)
        caller = None if _is_plain(url) else self._who()
        asked = _rest_request(method.rest, url, request) | {"timeout": timeout}

        async def send() -> dict[str, Any]:
            who = await _proof(name, caller)
            return await in_a_thread(lambda: self._over_rest(name, asked | {"headers": {**JSON, **who, **headers}}))

        return send

    def _over_rest(self, name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        http = self._http = self._http or requests(self.access.ca_bundle)
        return _answered(name, http, asked)

    async def _with_retries(self, send: Callable[[], Any], attempts: Attempts) -> dict[str, Any]:
        import stamina  # noqa: PLC0415 - first use only: it is not needed to start

        # Its default hook writes a line without content to the user's screen.
        stamina.instrumentation.set_on_retry_hooks(())
        first, longest = self.retry_wait
        tries = stamina.retry_context(
            on=attempts.again, attempts=None, timeout=None, wait_initial=first, wait_max=longest, wait_jitter=first
        )
        async for attempt in tries:
            with attempt:
                return await send()
        raise AssertionError("stamina ends with a result or an error")

    async def _client(self, name: str, service: str, location: str) -> Client:
        kind = "tpu" if service == TPU else "aiplatform"
        key = (service if service != OPERATIONS else ENDPOINTS, "" if kind == "tpu" else location)
        async with self._lock:
            if key not in self._clients:
                url = self.endpoints.get(kind) or _host(kind, location, self.access.universe_domain)
                await asyncio.to_thread(_services, key[0])
                self._clients[key] = self._build(name, key[0], url)
            return self._clients[key]

    def _build(self, name: str, service: str, url: str) -> Client:
        kind = getattr(_services(service)[0], f"{service}AsyncClient")
        transport = kind.get_transport_class("grpc_asyncio")
        address = address_of(url)
        if _is_plain(url):
            return Client(kind(transport=transport(channel=grpc.aio.insecure_channel(address))), None)
        caller = self._who()
        try:
            trusted = grpc.ssl_channel_credentials(self.access.roots())
        except OSError as error:
            raise CloudError(name, "UNAUTHENTICATED", f"caBundle: {error}") from None
        return Client(kind(transport=transport(channel=grpc.aio.secure_channel(address, trusted))), caller)

    def _who(self) -> Caller:
        if self._caller is None:
            self._caller = Caller(self.access, self.endpoints.get("iamcredentials", ""))
        return self._caller

    async def close(self) -> None:
        """Close every connection."""
        await self._listings.close()
        for client in self._clients.values():
            await client.gapic.transport.close()
        self._clients.clear()
        if self._http is not None:
            request: Any = getattr(self._http, "func", self._http)
            request.session.close()
            self._http = None


def _host(kind: str, location: str, domain: str) -> str:
    """Google's own host; a location that is no name of one must never make it another's."""
    if location and not LOCATION.fullmatch(location):
        raise CloudError("connect", "INVALID_ARGUMENT", f"{location!r} is not a location")
    return f"https://{location}-{kind}.{domain}" if kind == "aiplatform" else f"https://{kind}.{domain}"


def _is_plain(url: str) -> bool:
    """Plain http, which leads to this machine alone: no token is sent."""
    return urlsplit(url).scheme == "http"


@cache
def _services(service: str) -> tuple[Any, Any]:
    """The modules with the client and with the request types of a service."""
    import warnings  # noqa: PLC0415

    with warnings.catch_warnings():
        # google-api-core announces the end of support of old Pythons at each import.
        warnings.simplefilter("ignore", FutureWarning)
        if service == TPU:
            from google.cloud import tpu_v2alpha1  # noqa: PLC0415

            return tpu_v2alpha1, tpu_v2alpha1
        # The package imports all of its services, which takes three times as long as those that are called.
        for package in (VERTEX, f"{VERTEX}.types"):
            defer(package)
        for other in OPERATED:
            import_module(f"{VERTEX}.types.{_snake(other)}")
        short = _snake(service)
        return import_module(f"{VERTEX}.services.{short}"), import_module(f"{VERTEX}.types.{short}")


def address_of(url: str) -> str:
    """Host and port, as gRPC takes them."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _sender(
    client: Client, name: str, request: Mapping[str, Any], headers: Mapping[str, str], timeout: float
) -> Callable[[], Any]:
    from google.api_core.exceptions import GoogleAPICallError, RetryError  # noqa: PLC0415
    from google.protobuf.message import DecodeError  # noqa: PLC0415

    rpc = getattr(client.gapic, _snake(name))
    message = _request(METHODS[name], request)
    # Google's page on dedicated endpoints wants it beside a gRPC request.
    own = {"x-vertex-ai-endpoint-id": request["endpoint"].rsplit("/", 1)[-1]} if name == "Predict" else {}

    async def send() -> dict[str, Any]:
        who = await _proof(name, client.caller)
        metadata = tuple({**who, **headers, **own}.items())
        try:
            return _as_dict(await rpc(request=message, retry=None, timeout=timeout, metadata=metadata))
        except GoogleAPICallError as error:
            status = getattr(error, "grpc_status_code", None)
            code = status.name if status else "UNKNOWN"
            raise CloudError(name, code, error.message, error.reason or "", _retry_after(error)) from None
        except RetryError as error:
            raise CloudError(name, "UNAVAILABLE", str(error)) from None
        except (DecodeError, AttributeError) as error:
            # gapic takes the nothing that grpc.aio makes of a broken answer for an operation.
            if isinstance(error, AttributeError) and error.obj is not None:
                raise
            raise CloudError(name, "INTERNAL", "the answer did not come whole") from None

    return send


async def _proof(name: str, caller: Caller | None) -> dict[str, str]:
    """The headers that prove who asks."""
    try:
        return await caller.headers() if caller else {}
    except AccessError as error:
        raise CloudError(name, error.code, str(error)) from None


def _rest_request(rest: Rest, url: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """The URL, the method and the body of a request; what the path names and the body are no part of the query."""
    named = set(re.findall(r"{(\w+)}", rest.path))
    path = rest.path.format_map({name: quote(request[name]) for name in named})
    query = urlencode({key: value for key, value in request.items() if key not in {*named, rest.body}})
    body = json.dumps(request[rest.body]).encode() if rest.body else None
    # A proxy of the environment is not asked for what is on this machine.
    more = {"proxies": {"http": ""}} if _is_plain(url) else {}
    return {"url": f"{url.rstrip('/')}/{path}{query and '?'}{query}", "method": rest.verb, "body": body, **more}


def _answered(name: str, http: Callable[..., Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a request over REST is answered, as JSON."""
    from google.auth.exceptions import TransportError  # noqa: PLC0415

    try:
        answer = http(**asked)
    except TransportError as error:
        raise CloudError(name, "UNAVAILABLE", " ".join(str(error).split())) from None
    except OSError as error:
        raise CloudError(name, "UNAUTHENTICATED", f"caBundle: {error}") from None
    return _understood(name, answer.status, answer.data, answer.headers)


def _understood(name: str, status: int, data: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
    body = _object(data)
    if status != HTTPStatus.OK or body is None:
        raise _refused(name, status, (body or {}).get("error"), headers)
    return body


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(data)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _refused(name: str, status: int, told: Any, headers: Mapping[str, str]) -> CloudError:
    """The error of an answer over REST: google.rpc.Status as JSON, or what the HTTP status alone says."""
    from google.api_core.exceptions import from_http_status  # noqa: PLC0415

    told = told if isinstance(told, dict) else {}
    by_number = from_http_status(status, "").grpc_status_code
    code = told.get("status") or (by_number.name if by_number else "UNKNOWN")
    details = [detail for detail in told.get("details", ()) if isinstance(detail, dict)]
    reason = next((detail["reason"] for detail in details if "reason" in detail), "")
    waits = [detail["retryDelay"] for detail in details if "retryDelay" in detail]
    wait = seconds(waits[0]) if waits else seconds(f"{headers.get('retry-after', '')}s")
    return CloudError(name, code, told.get("message") or f"HTTP {status}, without a reason", reason, wait or 0)


def _retry_after(error: Any) -> float:
    """RetryInfo of the details, in seconds; 0 where there is none."""
    delays = (getattr(detail, "retry_delay", None) for detail in error.details)
    return next((delay.ToTimedelta().total_seconds() for delay in delays if delay is not None), 0.0)


def _request(method: Method, request: Mapping[str, Any]) -> Any:
    from google.protobuf import json_format  # noqa: PLC0415

    if method.service == OPERATIONS:
        from google.longrunning import operations_pb2  # noqa: PLC0415

        return json_format.ParseDict(dict(request), getattr(operations_pb2, method.request)())
    kind = getattr(_services(method.service)[1], method.request)
    return kind.wrap(json_format.ParseDict(dict(request), kind.pb()()))


def _as_dict(answer: Any) -> dict[str, Any]:
    from google.longrunning import operations_pb2  # noqa: PLC0415
    from google.protobuf import json_format, message  # noqa: PLC0415

    if answer is None:  # grpc.aio's word for an answer that it could not decode
        raise message.DecodeError
    if isinstance(answer, bytes):  # gapic's async wait_operation leaves the answer as it came
        answer = operations_pb2.Operation.FromString(answer)
    plain = getattr(answer, "_response", answer)  # of a pager: `pages` follows the token itself
    plain = plain if isinstance(plain, message.Message) else getattr(plain, "operation", plain)
    if not isinstance(plain, message.Message):
        plain = type(plain).pb(plain)
    try:
        return json_format.MessageToDict(plain)
    except TypeError:  # an operation speaks of a type that none of the services imported so far has
        _ = import_module(VERTEX).__all__
        return json_format.MessageToDict(plain)


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
