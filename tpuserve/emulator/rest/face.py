"""What is answered to one HTTP request: its route, its message, the method, and the method's answer as JSON."""

import sys
import traceback
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from google.api.httpbody_pb2 import HttpBody

from tpuserve.emulator.api import Method
from tpuserve.emulator.beside import Beside
from tpuserve.emulator.calls import Calls
from tpuserve.emulator.errors import ApiError, Code, SeveredError
from tpuserve.emulator.quota.reads import PATH, QuotaReads
from tpuserve.emulator.rest import answers
from tpuserve.emulator.rest.answers import Answer
from tpuserve.emulator.rest.bindings import bound
from tpuserve.emulator.rest.discovery import Document
from tpuserve.emulator.rest.documents import DOCUMENTS, SAME_AS, document
from tpuserve.emulator.rest.requests import Incoming, request
from tpuserve.emulator.rest.routing import Found, Router
from tpuserve.emulator.rest.schemas import Schemas
from tpuserve.emulator.vertex.predict import HEADER

# Endpoint.dedicated_endpoint_dns: {endpoint id}.{region}-{uid}.prediction.vertexai.goog
_DEDICATED = ".prediction.vertexai.goog"


class Version(NamedTuple):
    """One document in use."""

    name: str
    document: Document
    router: Router
    methods: dict[str, Method]
    schemas: Schemas


class Face:
    """REST for all documents; each is read when its first request comes."""

    def __init__(self, calls: Calls, beside: Beside, misfits: list[str], quotas: QuotaReads) -> None:
        self._calls, self._beside, self._quotas = calls, beside, quotas
        self._versions: dict[str, Version] = {}
        self._misfits = misfits  # answers that do not fit their schema, a fault of the emulator itself

    async def answered(self, http_method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Every failure is an answer; header names in lower case."""
        parts = urlsplit(target)
        query = parse_qsl(parts.query, keep_blank_values=True)
        asked = {name: value for name, value in query if name in {"alt", "$alt", "prettyPrint"}}
        pretty = asked.get("prettyPrint", "true").lower() not in {"false", "0"}
        incoming = Incoming(query, body, headers.get("content-type", ""))
        numbers = "enum-encoding=int" in asked.get("$alt", "")
        try:
            answer = await self._asked(http_method, parts.path.lstrip("/"), headers, incoming, numbers=numbers)
        except SeveredError as error:
            return answers.of_severed(error)
        except ApiError as error:
            return answers.of_error(error, pretty=pretty)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            failed = ApiError(Code.INTERNAL, f"The emulator failed: {error!r}. Please report this.")
            return answers.of_error(failed, pretty=pretty)
        return answer if isinstance(answer, Answer) else answers.of_value(answer, pretty=pretty)

    async def _asked(
        self, http_method: str, path: str, headers: Mapping[str, str], incoming: Incoming, *, numbers: bool
    ) -> Any:
        if http_method == "GET" and path.startswith("v1/") and PATH.fullmatch(path.removeprefix("v1/")):
            sizes = dict(incoming.query)
            return self._quotas.answered(
                path.removeprefix("v1/"), sizes.get("pageSize", "0"), sizes.get("pageToken", "")
            )
        version, found = self._found(http_method, path)
        method = version.methods.get(found.route.id)
        if method is None:
            raise self._calls.unknown(version.name, found.route.id)
        asked = request(version.document, found, method.request, incoming)
        if method.streams:
            stream = self._calls.streamed(method, asked.message, _metadata(headers))
            return answers.raw(await anext(stream, HttpBody()), stream)
        response = await self._calls.answered(method, asked.message, _metadata(headers), asked.beside)
        if response.DESCRIPTOR.full_name == HttpBody.DESCRIPTOR.full_name:
            return answers.raw(response)
        value = self._beside.shown(version.name, answers.value_of(response, numbers=numbers))
        self._verify(version, found, value, response.DESCRIPTOR)
        return value

    def _found(self, http_method: str, path: str) -> tuple[Version, Found]:
        first, _, rest = path.partition("/")
        first = SAME_AS.get(first, first)
        if first in DOCUMENTS:
            version = self._version(DOCUMENTS[first])
            if (found := version.router.found(http_method, f"{first}/{rest}")) is not None:
                return version, found
        # assumed: JSON here, where Google's front end answers some unknown paths with a page
        raise ApiError(Code.NOT_FOUND, f"Method not found: {http_method} /{path}")

    def _version(self, name: str) -> Version:
        if name not in self._versions:
            read = document(name)
            methods = bound(name, read.routes, self._calls.methods)
            self._versions[name] = Version(name, read, Router(read.routes), methods, Schemas(read.schemas))
        return self._versions[name]

    def _verify(self, version: Version, found: Found, value: Any, descriptor: Any) -> None:
        faults = version.schemas.violations(found.route.response, value, descriptor)
        self._misfits += [f"{found.route.id}: {fault.description}" for fault in faults]


def _metadata(headers: Mapping[str, str]) -> Mapping[str, str]:
    """The headers, and for a dedicated endpoint's own host name what gRPC says in their place."""
    host = headers.get("host", "").partition(":")[0]
    return {HEADER: host.partition(".")[0], **headers} if host.endswith(_DEDICATED) else headers
