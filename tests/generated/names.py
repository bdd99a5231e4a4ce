"""The names behind the placeholders of a case, `$<spelling>/<letter>`: models `a` and `b`, endpoints `e` and `f`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.wire.programs import LOCATION, NUMBER, PROJECT

IDS = {
    "a": ("models", "model-a"),
    "b": ("models", "model-b"),
    "e": ("endpoints", "place-e"),
    "f": ("endpoints", "place-f"),
}
HOST = f"https://{LOCATION}-aiplatform.googleapis.com/v1/"
SPELLINGS = {
    "id": f"projects/{PROJECT}/locations/{LOCATION}",
    "number": f"projects/{NUMBER}/locations/{LOCATION}",
    "url": f"{HOST}projects/{PROJECT}/locations/{LOCATION}",
}


def name_of(placeholder: str, suffix: str = "") -> str:
    """`$id/a@2` -> projects/tpuserve-local/locations/us-east5/models/model-a@2; a suffix is for endpoints alone."""
    spelling, _, rest = placeholder.removeprefix("$").partition("/")
    collection, identifier = IDS[rest[0]]
    own = suffix if collection == "endpoints" else ""
    return f"{SPELLINGS[spelling]}/{collection}/{identifier}{own}{rest[1:]}"


def spelled(value: Any, suffix: str = "") -> Any:
    """A copy with names in the place of placeholders."""
    if isinstance(value, str) and value.startswith("$") and value[1:].partition("/")[0] in SPELLINGS:
        return name_of(value, suffix)
    if isinstance(value, Mapping):
        return {key: spelled(item, suffix) for key, item in value.items()}
    return [spelled(item, suffix) for item in value] if isinstance(value, list) else value
