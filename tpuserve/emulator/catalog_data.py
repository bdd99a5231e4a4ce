"""The names in the catalog's data files; its rules are not the emulator's."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def names(table: str) -> dict[str, Any]:
    """The rows of `tpuserve/catalog/data/<table>.toml`."""
    path = files("tpuserve") / "catalog" / "data" / f"{table}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
