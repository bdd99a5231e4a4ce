"""Google's full resource names, as an argument gives one."""

from __future__ import annotations

from tpuserve.resources.same import path_of


def check_name(collection: str, value: str) -> str | None:
    """Why `value` is no full name of an object of that collection (`endpoints`, `models`); a URL is one too."""
    parts = path_of(value).split("/")
    whole = len(parts) == 6 and all(parts)
    if whole and (parts[0], parts[2], parts[4]) == ("projects", "locations", collection):
        return None
    return f"{value!r} is not a full name; give projects/PROJECT/locations/LOCATION/{collection}/ID"
