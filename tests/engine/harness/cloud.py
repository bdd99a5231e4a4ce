"""Google Cloud as a test sees it: the emulator in this process, what it was asked and what it holds."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.least import least
from tpuserve.emulator import Control, Emulator, Settings

PROJECT, LOCATION, ZONE = "tpuserve-local", "us-east5", "us-east5-b"


@dataclass(slots=True)
class Calls:
    """The calls of one block; filled when the block ends."""

    all: list[dict[str, Any]] = field(default_factory=list)

    @property
    def changing(self) -> list[str]:
        """Methods that change something, in order; an update with its mask."""
        return [_told(call) for call in self.all if call["mutating"]]

    @property
    def succeeded(self) -> list[str]:
        """Of these the ones that were answered with OK."""
        return [_told(call) for call in self.all if call["mutating"] and call["code"] == "OK"]

    def of(self, method: str) -> list[dict[str, Any]]:
        """The requests of one method."""
        return [call["request"] for call in self.all if call["method"] == method]


def _told(call: dict[str, Any]) -> str:
    mask = call["request"].get("updateMask")
    return f"{call['method']} {mask}" if mask else call["method"]


@dataclass(slots=True)
class Cloud:
    """One emulator. `control` fails, holds and breaks what is asked of it."""

    address: str
    control: Control
    rest: str = ""
    """Address of REST; without it a stack asks over gRPC alone."""

    @contextlib.contextmanager
    def recorded(self) -> Iterator[Calls]:
        """The calls made while the block runs, predictions left out."""
        calls, before = Calls(), len(self.control.calls())
        try:
            yield calls
        finally:
            calls.all = [call for call in self.control.calls()[before:] if call["method"] != "Predict"]

    def endpoint(self, name: str = "") -> dict[str, Any]:
        """The only endpoint, or the one whose display name is given."""
        found = [item for item in self.objects("endpoints") if name in ("", item["displayName"])]
        assert len(found) == 1, f"{len(found)} endpoints {name!r}, not one: {found}"
        return found[0]

    def traffic(self, name: str = "") -> dict[str, int]:
        """Model version -> share of the requests, for every deployed model, those without a share too."""
        endpoint = self.endpoint(name)
        shares = endpoint["trafficSplit"]
        return {item["modelVersionId"]: shares.get(item["id"], 0) for item in endpoint["deployedModels"]}

    def objects(self, kind: str) -> list[dict[str, Any]]:
        """Everything there is of one kind, by name."""
        return sorted(self.control.objects()[kind], key=lambda item: item["name"])

    def is_empty(self) -> bool:
        """Whether nothing is left, and nothing runs."""
        return not any(self.control.objects().values())


@contextlib.contextmanager
def running(settings: Settings | None = None) -> Iterator[Cloud]:
    """A cloud in which every step ends at once and every image is an echo that tells its model version."""
    with Emulator(settings or least()).running() as emulator:
        yield Cloud(emulator.address, emulator.control, emulator.addresses.rest)
