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
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError
from tpuserve.google import METHODS, CloudError, Google, Patience

OTHER_TPU = "google.cloud.tpu.v2.Tpu"
"""Methods of the same names that the plugin does not call: v2 has no workload type."""


def methods_of(core: Core) -> dict[str, Method]:
    """The methods that the plugin calls, by their names."""
    found = Api(core).methods().items()
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
        self._methods = methods_of(self.core)

    def forget_operations(self) -> None:
        """Those that have ended, which every listing of an endpoint's would have to go through again."""
        for name, operation in list(self.core.store.items("operations")):
            if operation.done:
                self.core.store.drop("operations", name)

    async def call(
        self, name: str, request: Mapping[str, Any], location: str = "", patience: Patience | None = None
    ) -> dict[str, Any]:
        """What google.py sends and understands, without the client between."""
        self.calls[name] += 1
        sent = google._request(METHODS[name], request)
        plain = sent if isinstance(sent, message.Message) else type(sent).pb(sent)
        try:
            strict.checked(plain)
            answer = self._methods[name].answer(plain)
            return google._as_dict(await answer if inspect.isawaitable(answer) else answer)
        except ApiError as error:
            raise CloudError(name, error.code.name, error.message) from None
