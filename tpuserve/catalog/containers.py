"""Containers that serve models on TPUs: Google's own, each by the name of a preset, or one of the user's.

Source: Vertex AI, "Deploy a model to Cloud TPU VMs".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from tpuserve.catalog.converter import check_tpu_functions, functions_argument
from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.images import is_of_family
from tpuserve.catalog.tables import table
from tpuserve.catalog.words import did_you_mean, listed

Preset = Literal["custom", "tensorflow_manual", "tensorflow_automatic", "tensorflow_partitioned", "pytorch"]
PRESETS: tuple[Preset, ...] = get_args(Preset)
CUSTOM: Preset = "custom"

FIXED = ("command", "args", "predict_route", "health_route", "invoke_route_prefix", "port")
"""Arguments that a preset decides; only `custom` takes them."""
CONTAINER_ARGUMENTS = ("image_uri", "artifact_uri", "tpu_functions", *FIXED)
"""Arguments that `check_container` looks at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerPreset:
    """One of Google's containers and how it is started."""

    name: str
    artifact: str
    """What has to be in the folder that it serves."""
    image_uri: str
    image_family: str
    """What the image's name begins with, in every region and version."""
    args: tuple[str, ...] = ()
    functions_flag: str = ""
    """Flag that takes the functions to run on the TPU; empty where there is none."""
    predict_route: str | None = None
    health_route: str | None = None
    port: int | None = None
    source: str
    date: str


@cache
def container_presets() -> dict[str, ContainerPreset]:
    """Every container of Google's, by the name of its preset; `custom` is not one."""
    rows = {name: row | {"args": tuple(row.get("args", ()))} for name, row in table("containers").items()}
    return {name: ContainerPreset(name=name, **row) for name, row in rows.items()}


def preset_arguments(name: str, tpu_functions: Sequence[str] = ()) -> dict[str, Any]:
    """What a preset decides: those of `image_uri`, `args`, `predict_route`, `health_route` and `port` that it has.

    Nothing for `custom`. KeyError for a name that is no preset, ValueError for functions that the rules refuse.
    """
    if name == CUSTOM:
        return {}
    preset = container_presets()[name]
    functions = [functions_argument(preset.functions_flag, tpu_functions)] if preset.functions_flag else []
    decided = {"image_uri": preset.image_uri, "args": [*preset.args, *functions]}
    decided |= {key: getattr(preset, key) for key in ("predict_route", "health_route", "port")}
    return {key: value for key, value in decided.items() if value not in (None, [])}


def check_container(name: str | Unknown | None, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What keeps these arguments from being a container; each fault with the argument it is about.

    `name` is a preset's, None stands for `custom`. `given` holds the `CONTAINER_ARGUMENTS` that are given; one that
    is None or empty is left out, one that is `UNKNOWN` is given.
    """
    if isinstance(name, Unknown):
        return []
    held = {key: value for key, value in given.items() if value is not None and value not in ([], ())}
    if name is None or name == CUSTOM:
        return list(_custom_faults(held))
    preset = container_presets().get(name) if isinstance(name, str) else None
    return [("preset", _not_a_preset(name))] if preset is None else list(_preset_faults(preset, held))


def _custom_faults(held: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "image_uri" not in held:
        yield "image_uri", f"missing; give your container image, or use preset {listed(container_presets(), 'or')}"
    if "tpu_functions" in held:
        yield "tpu_functions", _without_functions(CUSTOM)


def _preset_faults(preset: ContainerPreset, held: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if message := _check_image(preset, held.get("image_uri")):
        yield "image_uri", message
    if "artifact_uri" not in held:
        yield "artifact_uri", f"missing; give the gs:// folder that preset {preset.name} serves: {preset.artifact}"
    for key in FIXED:
        if key in held:
            yield key, f"cannot be given with preset {preset.name}, which decides it; remove it, or use preset custom"
    if preset.functions_flag:
        yield from check_tpu_functions(held.get("tpu_functions", ()))
    elif "tpu_functions" in held:
        yield "tpu_functions", _without_functions(preset.name)


def _check_image(preset: ContainerPreset, image: str | Unknown | None) -> str | None:
    if image is None or isinstance(image, Unknown) or is_of_family(image, preset.image_family):
        return None
    return (
        f"{image!r} is not an image of preset {preset.name}; give one in Artifact Registry whose name begins with "
        f"{preset.image_family}., such as {preset.image_uri}, or use preset custom"
    )


def _not_a_preset(name: object) -> str:
    shown, near = (repr(name), did_you_mean(name, PRESETS)) if isinstance(name, str) else (type(name).__name__, "")
    return f"{shown} is not a container preset{near}; use {listed(PRESETS, 'or')}"


def _without_functions(name: str) -> str:
    takes = listed((each.name for each in container_presets().values() if each.functions_flag), "or")
    return f"cannot be given with preset {name}, which takes no functions; remove it, or use preset {takes}"
