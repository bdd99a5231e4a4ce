"""What a container of one's own had better say, though nothing refuses one that does not.

Containers are `google.cloud.aiplatform.v1.ModelContainerSpec` with its names on the wire, camelCase.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tpuserve.catalog.container_specs import ROUTES, listed_in, presets_of
from tpuserve.catalog.faults import Fault, Unclear, Unknown

SHELL_RAISES_MEMLOCK = "ulimit -l"
MEMLOCK = (
    "drives TPU chips by direct memory access, which needs a higher limit of locked memory than a container has: let "
    "its entry point raise it (`ulimit -l 68719476736`, or resource.setrlimit of RLIMIT_MEMLOCK to 68_719_476_736_000)"
)
"""Source: Vertex AI, "Deploy a model to Cloud TPU VMs", custom container; its two numbers are of two units."""


def advise_routes(spec: Mapping[str, Any]) -> list[Fault | Unclear]:
    """What a container of one's own leaves to Google's defaults, or gives in vain."""
    image, ports = spec.get("imageUri"), listed_in(spec, "ports")
    if isinstance(image, Unknown):
        return [Unclear("imageUri")]
    if presets_of(image):
        return []
    prefixed = spec.get("invokeRoutePrefix") is not None
    left_out = [key for key in ROUTES.values() if spec.get(key) is None and not (key == "predictRoute" and prefixed)]
    found: list[Fault | Unclear] = [Fault(key, _left_out(key)) for key in left_out]
    if len(ports) > 1:
        found.append(Fault("ports", f"{len(ports)} ports are given, and Vertex AI uses the first alone; leave one"))
    return found


def advise_memlock(spec: Mapping[str, Any], raised_by: Sequence[str] = ()) -> list[Fault | Unclear]:
    """Whether anything says that a container of one's own raises the limit of locked memory.

    `raised_by` holds what the names of images begin with that are known to do so.
    """
    image = spec.get("imageUri")
    if isinstance(image, Unknown):
        return [Unclear("imageUri")]
    if image is None or presets_of(image) or str(image).startswith(tuple(raised_by)):
        return []
    unknown: list[Fault | Unclear] = []
    for key in ("command", "args"):
        words = listed_in(spec, key)
        if any(SHELL_RAISES_MEMLOCK in str(word) for word in words):
            return []
        unknown += [Unclear(f"{key}[{index}]") for index, word in enumerate(words) if isinstance(word, Unknown)]
        unknown += [Unclear(key)] if isinstance(spec.get(key), Unknown) else []
    return unknown or [Fault("imageUri", f"{image!r} {MEMLOCK}")]


def _left_out(route: str) -> str:
    variable = f"AIP_{route.removesuffix('Route').upper()}_ROUTE"
    return (
        "left out: Google then uses a long path of its own, which names endpoint and deployed model and is in "
        f"{variable}; give the path at which the server answers, unless it reads {variable}"
    )
