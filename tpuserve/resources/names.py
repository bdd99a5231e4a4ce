"""Google's full resource names, as an argument gives one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tpuserve.catalog.identifiers import check_resource_id
from tpuserve.catalog.labels import check_labels
from tpuserve.resources.fields import Effect, Field
from tpuserve.resources.same import path_of

PROJECT = Field(Effect.REPLACE, ours=True, check=partial(check_resource_id, "project"))

# Ids that Google makes are longer than those it lets a user choose, and of digits alone.
_ID = re.compile(r"[A-Za-z0-9_-]{1,63}")
_ACCOUNT = re.compile(r"[^@\s/]+@[^@\s/]+\.[^@\s/]+|[0-9]+")


def check_own_labels(labels: Mapping[str, Any]) -> str | None:
    """What is wrong with labels that a user gives, the keys that are tpuserve's own among it."""
    found = check_labels(labels)
    return "; ".join(f"{key!r}: {message}" for key, message in found) or None


def check_name(collection: str, value: str) -> str | None:
    """Why `value` is no full name of an object of that collection (`endpoints`, `models`); a URL is one too."""
    parts = path_of(value).split("/")
    whole = len(parts) == 6 and all(parts)
    if whole and (parts[0], parts[2], parts[4]) == ("projects", "locations", collection):
        return check_resource_id("region", parts[3])
    return f"{value!r} is not a full name; give projects/PROJECT/locations/LOCATION/{collection}/ID"


def check_name_or_id(collection: str, value: str) -> str | None:
    """Why `value` is neither a full name of an object of that collection nor an id of one."""
    if "/" in value:
        return check_name(collection, value)
    shape = f"projects/PROJECT/locations/LOCATION/{collection}/ID"
    return None if _ID.fullmatch(value) else f"{value!r} is neither an id nor a full name; give ID or {shape}"


def check_model(value: str) -> str | None:
    """Why `value` names no model as a whole: a version has an argument of its own."""
    name, marked, version = value.partition("@")
    if marked:
        return f"{value!r} names a version: give {name!r} here, and {version!r} as the version or the alias"
    return check_name_or_id("models", value)


def check_account(value: str) -> str | None:
    """Why `value` names no service account; its unique number is a name too."""
    if _ACCOUNT.fullmatch(value):
        return None
    return f"{value!r} is not a service account; give its email address, NAME@PROJECT.iam.gserviceaccount.com"


def check_each(check: Callable[[str], str | None], values: Sequence[Any]) -> str | None:
    """What is wrong with the first of the texts that has a fault."""
    return next(filter(None, (check(value) for value in values if isinstance(value, str))), None)
