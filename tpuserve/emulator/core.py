"""The parts every service works with, put together once."""

import random
from pathlib import Path
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from tpuserve.emulator.beside import Beside
from tpuserve.emulator.changes import Changes
from tpuserve.emulator.clock import Clock, InstantClock, RealClock, VirtualClock, timestamp
from tpuserve.emulator.errors import not_found
from tpuserve.emulator.faults import Faults
from tpuserve.emulator.lag import Lag
from tpuserve.emulator.names import Name, parsed, resolved
from tpuserve.emulator.operations import Operations
from tpuserve.emulator.record import Record
from tpuserve.emulator.serving.model_servers import ModelServers
from tpuserve.emulator.serving.processes import Processes
from tpuserve.emulator.settings import Settings, copied
from tpuserve.emulator.store import Store


class Core:
    """State, time, chance, faults and processes of one emulator."""

    def __init__(self, settings: Settings, state: Path | None, logs: Path) -> None:
        self.given = settings
        self.settings = copied(settings)
        self.clock = _clock(settings)
        self.chance = random.Random(settings.seed)  # noqa: S311 - chance that repeats is what is wanted
        self.changes = Changes(self.clock)
        self.store = Store(state)
        self.beside = Beside(self.store)
        self.faults = Faults(self.clock, settings.seed)
        self.faults.add(*settings.faults)
        self.lag = Lag(self.settings)
        self.record = Record(settings.record_limit)
        self.operations = Operations(self.settings, self.store, self.clock, self.faults)
        self.processes = Processes(self.store, logs)
        self.servers = ModelServers(self.processes, self.clock, self.settings)

    def now(self) -> Timestamp:
        return timestamp(self.clock.now())

    def name(self, text: str, *collections: str, field: str = "name") -> Name:
        """A resource name of exactly these collections, its project resolved."""
        return resolved(text, self.settings.projects, collections, field=field)

    def any_name(self, text: str, field: str = "name") -> Name:
        return parsed(text, self.settings.projects, field)

    def new_id(self, kind: str, digits: int = 19) -> str:
        return self.store.new_id(kind, self.settings.seed, digits)

    def found(self, section: str, name: Name) -> Any:
        """What is stored under a name; NOT_FOUND else. To be put again when changed."""
        value = self.store.get(section, str(name))
        if value is None:
            raise not_found(str(name))
        return value

    def restore_settings(self) -> None:
        """Puts back what was given at the start, in place: every part holds this object."""
        fresh = copied(self.given)
        for field in Settings.__struct_fields__:
            setattr(self.settings, field, getattr(fresh, field))


def _clock(settings: Settings) -> Clock:
    if settings.clock == "real":
        return RealClock(settings.clock_speed)
    return VirtualClock() if settings.clock == "virtual" else InstantClock()
