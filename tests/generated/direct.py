"""Google's APIs without a socket: the emulator's core in this event loop, asked with the plugin's own requests."""

from __future__ import annotations

import inspect
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from google.protobuf import message

from tpuserve import google
from tpuserve.emulator import Settings, strict
from tpuserve.emulator.api import Api, Method
from tpuserve.emulator.calls import Calls
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError
from tpuserve.emulator.quota.reads import QuotaReads
from tpuserve.emulator.rest.face import Face
from tpuserve.google import METHODS, CloudError, Google, Patience

OTHER_TPU = "google.cloud.tpu.v2.Tpu"
"""Methods of the same names that the plugin does not call: v2 has no workload type."""


def methods_of(api: Api) -> dict[str, Method]:
    """The methods that the plugin calls, by their names."""
    found = api.methods().items()
    return {path.rpartition("/")[2]: method for path, method in found if OTHER_TPU not in path}


class Direct(Google):
    """The emulator in place of Google, with a count of the calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()
        self.begin_anew()

    def begin_anew(self) -> None:
        """Another emulator, empty."""
        self.core = Core(Settings(), None, Path(tempfile.gettempdir()))
        api = Api(self.core)
        self._methods = methods_of(api)
        self._face = Face(Calls(self.core, api), self.core.beside, [], QuotaReads(self.core))

    def forget_operations(self) -> None:
        """Those that have ended, which every listing of an endpoint's would have to go through again."""
        for name, operation in list(self.core.store.items("operations")):
            if operation.done:
                self.core.store.drop("operations", name)

    async def call(
        self,
        name: str,
        request: Mapping[str, Any],
        location: str = "",
        patience: Patience | None = None,
        *,
        rest: bool = False,
    ) -> dict[str, Any]:
        """What google.py sends and understands, without the client between."""
        self.calls[name] += 1
        if rest:
            return await self._over_rest_as(name, request)
        sent = google._request(METHODS[name], request)
        plain = sent if isinstance(sent, message.Message) else type(sent).pb(sent)
        try:
            strict.checked(plain)
            answer = self._methods[name].answer(plain)
            return google._as_dict(await answer if inspect.isawaitable(answer) else answer)
        except ApiError as error:
            raise CloudError(name, error.code.name, error.message) from None

    async def _over_rest_as(self, name: str, request: Mapping[str, Any]) -> dict[str, Any]:
        way = METHODS[name].rest
        assert way
        asked = google._rest_request(way, "http://emulator", request)
        target = asked["url"].removeprefix("http://emulator")
        answer = await self._face.answered(asked["method"], target, {}, asked["body"] or b"")
        return google._understood(name, answer.status, answer.body, answer.headers)
