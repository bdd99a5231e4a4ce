"""The stack's configuration, read and checked as a whole before the engine is asked for anything."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tpuserve.catalog import UNKNOWN, Fault, Unknown
from tpuserve.catalog.words import did_you_mean
from tpuserve.resources.check import faults as shape_faults
from tpuserve.resources.provider import SHAPE, typed
from tpuserve.stack.autonaming import KEY as AUTONAMING
from tpuserve.stack.autonaming import check_autonaming
from tpuserve.stack.decoding import Decoder
from tpuserve.stack.limits import Asked, Place, limit_faults, limits_of
from tpuserve.stack.rules import stack_faults
from tpuserve.stack.settings import CollectionSettings, StackSettings

PROVIDER = "tpuserve:"
"""What the provider's own settings begin with."""
WITHHELD = "is not valid; value and reason are not shown, since this section holds a secret"

EMPTY = (
    "declares nothing, so an update would delete all that the stack holds; give collection, model or endpoint "
    "(is it the right stack file?), or run pulumi destroy"
)


class StackConfigError(Exception):
    """Every fault of a stack's configuration, one a line."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        lines = (f"  {fault}" for fault in self.faults)
        super().__init__("\n".join([f"{count} in the stack's configuration; nothing was asked for:", *lines]))


@dataclass(frozen=True, slots=True)
class StackConfig:
    """A configuration without a fault."""

    settings: StackSettings
    location: str | None
    """The region of model and endpoint; none if it is left to the provider."""
    zone: str | None
    """The zone of the slices; none if it is left to the provider."""
    startup_script: str | None
    """The text of the startup script."""
    secret_sections: frozenset[str]
    """Sections that hold a secret: what is made of their values is a secret too."""


def read_stack(config: Mapping[str, str], namespace: str, root: Path, secret_keys: Sequence[str] = ()) -> StackConfig:
    """The configuration as the engine hands it over (`<namespace>:<key>` to text; objects as JSON).

    `root` is the project's folder, for files that the configuration names. Raises `StackConfigError`.
    """
    decoder, sections = Decoder(), _sections(config, namespace)
    settings: StackSettings = decoder.decode(StackSettings, sections, namespace)
    faults = [Fault(fault.path.replace(f"{namespace}.", f"{namespace}:", 1), fault.message) for fault in decoder.faults]
    zone = _place(settings.collection, "zone", config, namespace, "collection")
    location = _place(settings.endpoint, "location", config, namespace, "endpoint")
    faults += _provider_faults(config)
    script, script_faults = _startup_script(settings, root, f"{namespace}:collection.startupScript")
    faults += [*stack_faults(settings, zone, location, namespace), *script_faults]
    sound = _sound(settings, faults, {"collection": zone, "endpoint": location}, namespace)
    asked = Asked(sound, zone, location, config.get(f"{PROVIDER}project", ""))
    faults += _limit_faults(asked, root, f"{namespace}:limits")
    if not any(section is not None for section in (settings.collection, settings.model, settings.endpoint)):
        faults.append(Fault(namespace, EMPTY))
    if settings.endpoint is not None:
        faults += check_autonaming(_parsed(config.get(AUTONAMING)))
    if faults:
        raise StackConfigError(_withheld(faults, secret_keys))
    secrets = frozenset(key.removeprefix(f"{namespace}:") for key in secret_keys if key.startswith(f"{namespace}:"))
    return StackConfig(settings, _known(location), _known(zone), script, secrets)


def _known(place: Place) -> str | None:
    return None if isinstance(place.value, Unknown) else place.value


def _sections(config: Mapping[str, str], namespace: str) -> dict[str, Any]:
    prefix = f"{namespace}:"
    return {key.removeprefix(prefix): _parsed(text) for key, text in config.items() if key.startswith(prefix)}


def _provider_faults(config: Mapping[str, str]) -> list[Fault]:
    """What the provider would refuse, told here: through its own refusal the SDK shows the program's traceback."""
    given = {key.removeprefix(PROVIDER): text for key, text in config.items() if key.startswith(PROVIDER)}
    found = shape_faults(SHAPE, {key: typed(key, value) for key, value in given.items()})
    return [Fault(f"{PROVIDER}{fault.path}", fault.message) for fault in found]


def _parsed(text: str | None) -> Any:
    """Objects and lists arrive as JSON; plain text arrives as it is."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def _place(section: Any, key: str, config: Mapping[str, str], namespace: str, name: str) -> Place:
    """The section's own zone or region, else the provider's; unknown if neither is in the configuration."""
    path = f"{namespace}:{name}.{key}"
    own = getattr(section, key, None)
    if own is not None:
        return Place(own, path)
    shared = config.get(f"{PROVIDER}{key}")
    return Place(UNKNOWN, path) if shared is None else Place(shared, f"{PROVIDER}{key}")


def _startup_script(settings: StackSettings, root: Path, path: str) -> tuple[str | None, list[Fault]]:
    collection = settings.collection
    if not isinstance(collection, CollectionSettings) or not isinstance(collection.startup_script, str):
        return None, []
    return _text(root, collection.startup_script, path)


def _sound(
    settings: StackSettings, faults: Sequence[Fault], places: Mapping[str, Place], namespace: str
) -> StackSettings:
    """The settings less sections with a fault, that of their place among them: a shape that cannot be has no totals."""
    paths = {name: (f"{namespace}:{name}", place.path) for name, place in places.items()}
    faulty = [name for name, below in paths.items() if any(fault.path.startswith(below) for fault in faults)]
    return replace(settings, **dict.fromkeys(faulty))


def _limit_faults(asked: Asked, root: Path, path: str) -> list[Fault]:
    if not isinstance(asked.settings.limits, str):
        return []
    text, faults = _text(root, asked.settings.limits, path)
    limits, more = ({}, []) if text is None else limits_of(text, path)
    return [*faults, *more] or list(limit_faults(asked, limits, path))


def _text(root: Path, name: str, path: str) -> tuple[str | None, list[Fault]]:
    """What is in a file of the project."""
    file = root / name
    try:
        return file.read_text("utf-8"), []
    except (OSError, ValueError):
        others = [other.name for other in file.parent.glob("*")] if file.parent.is_dir() else []
        near = did_you_mean(file.name, others)
    return None, [Fault(path, f"{name!r} is not a file of the project{near}")]


def _withheld(faults: list[Fault], secret_paths: Sequence[str]) -> list[Fault]:
    hidden = tuple(f"{path}{mark}" for path in secret_paths for mark in (".", "["))
    return [
        Fault(fault.path, WITHHELD) if fault.path.startswith(hidden) or fault.path in secret_paths else fault
        for fault in faults
    ]
