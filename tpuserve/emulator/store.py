"""Everything the emulator knows, written through to one JSON file before an answer leaves."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message

from tpuserve.emulator import messages
from tpuserve.emulator.operation import Operation


class Codec(NamedTuple):
    """How one section's values travel to the file and back."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def _message(kind: Any) -> Codec:
    return Codec(_to_dict, lambda value: ParseDict(value, kind()))


def _to_dict(message: Message) -> dict[str, Any]:
    return MessageToDict(message, preserving_proto_field_name=True)


def _as_is(value: Any) -> Any:
    return value


PLAIN = Codec(_as_is, _as_is)
SECTIONS: dict[str, Codec] = {
    "queued_resources": _message(messages.QueuedResource),
    "nodes": _message(messages.Node),
    "models": _message(messages.Model),  # what all versions of a model share
    "versions": _message(messages.Model),  # what is a version's own, by models/M@V
    "endpoints": _message(messages.Endpoint),
    "pools": _message(messages.DeploymentResourcePool),
    "operations": Codec(msgspec.to_builtins, lambda value: msgspec.convert(value, Operation)),
    "beside": PLAIN,  # an object's fields that no message has, as JSON
    "requests": PLAIN,  # request id -> operation
    "processes": PLAIN,  # name -> {pid, started, port}
    "counters": PLAIN,
}
BESIDE = "beside"  # by the names of objects; goes with its object
KEPT_OPERATIONS = 1000  # finished ones; the oldest beyond are forgotten


class StateError(Exception):
    """A state file that cannot be read, and then nothing is written over it, or that cannot be written."""


class Store:
    """Named values in sections. `put` and `drop` change them in memory, `save` commits all changes in one rename."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._values: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
        self._texts: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
        self._dirty: set[tuple[str, str]] = set()
        if path is not None:
            _check_writable(path)
        if path is not None and path.exists():
            try:
                self._load(json.loads(path.read_text()))
            except (ValueError, KeyError, AttributeError, ParseError) as error:
                raise StateError(
                    f"{path} is no state of this emulator ({error!r}); move it away to begin anew"
                ) from error

    def get(self, section: str, name: str) -> Any:
        """The value, or None. What is changed in place must be put again."""
        return self._values[section].get(name)

    def items(self, section: str, prefix: str = "") -> Iterator[tuple[str, Any]]:
        """The values whose names begin so, in the order they were made."""
        yield from [(name, value) for name, value in self._values[section].items() if name.startswith(prefix)]

    def put(self, section: str, name: str, value: Any) -> None:
        self._values[section][name] = value
        self._dirty.add((section, name))

    def drop(self, section: str, name: str) -> None:
        self._values[section].pop(name, None)
        self._dirty.add((section, name))
        if name in self._values[BESIDE] and section != BESIDE:
            self.drop(BESIDE, name)

    def next(self, counter: str) -> int:
        """1, 2, 3, ... for each counter; a number is never given twice, restarts included."""
        value = self._values["counters"].get(counter, 0) + 1
        self.put("counters", counter, value)
        return value

    def new_id(self, kind: str, seed: int, digits: int) -> str:
        """An id of that many digits: the same for the same seed and order of calls, so a failing test repeats."""
        source = f"{seed}/{kind}/{self.next('ids')}".encode()
        value = int.from_bytes(hashlib.sha256(source).digest(), "big")
        return str(10 ** (digits - 1) + value % (9 * 10 ** (digits - 1)))

    def clear(self) -> None:
        for section, values in self._values.items():
            self._dirty.update((section, name) for name in values)
            values.clear()

    def save(self) -> None:
        """Commits: after this returns a restart finds every change, before it none of them."""
        self._forget_old_operations()
        if self.path is not None and self._dirty:
            self._encode_dirty()
            self._write()
        self._dirty.clear()

    def _forget_old_operations(self) -> None:
        operations = self._values["operations"]
        if len(operations) <= 2 * KEPT_OPERATIONS:
            return
        done = [name for name, operation in operations.items() if operation.done]
        for name in done[:-KEPT_OPERATIONS]:
            self.drop("operations", name)

    def _encode_dirty(self) -> None:
        for section, name in self._dirty:
            if name in self._values[section]:
                value = SECTIONS[section].encode(self._values[section][name])
                self._texts[section][name] = f"{json.dumps(name)}: {json.dumps(value)}"
            else:
                self._texts[section].pop(name, None)

    def _write(self) -> None:
        assert self.path is not None
        sections = (f"{json.dumps(section)}: {{\n{self._lines(section)}}}" for section in SECTIONS)
        write_whole(self.path, "{" + ",\n".join(sections) + "}\n")

    def _lines(self, section: str) -> str:
        """In the order the values were made, which lists keep over a restart."""
        texts = self._texts[section]
        return ",\n".join(texts[name] for name in self._values[section])

    def _load(self, data: dict[str, dict[str, Any]]) -> None:
        for section, values in data.items():
            for name, value in values.items():
                self.put(section, name, SECTIONS[section].decode(value))


def _check_writable(path: Path) -> None:
    """StateError where the first change could not be written: not after a caller has made it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StateError(f"the state {path} cannot be written: {error}") from error
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise StateError(f"the state {path} cannot be written: name a file in a folder that you can write to")


def write_whole(path: Path, text: str) -> None:
    """Replaces a file in one step: a reader, or a kill, finds the old text or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text)
    beside.replace(path)
