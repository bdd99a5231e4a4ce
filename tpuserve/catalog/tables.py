"""The data files of the catalog, parsed at the first look-up and never at import: a plugin's start must stay short."""

from collections.abc import Mapping
from functools import cache
from typing import Any


@cache
def table(name: str) -> Mapping[str, Any]:
    """The rows of `data/<name>.toml`, in the order of the file."""
    import tomllib  # noqa: PLC0415
    from importlib.resources import files  # noqa: PLC0415

    return tomllib.loads(files("tpuserve.catalog").joinpath("data", f"{name}.toml").read_text("utf-8"))
