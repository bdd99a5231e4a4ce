"""What a change of a property does to the object at Google, where the resource is one of ours."""

from functools import cache
from typing import Any

from tpuserve.report.values import steps

PREFIX = "tpuserve:"
ADDED = "a variant comes or goes"
NO_UPDATE = "no update exists"
"""What is said of a property that forces a replacement."""


def is_ours(token: str) -> bool:
    """Whether a resource of that type is one of this provider."""
    return token.startswith(PREFIX)


def effect(token: str, path: str) -> str:
    """Such as `uploads a new version of the model`; "" for a resource of others or a path that is not known."""
    if not is_ours(token):
        return ""
    definition = _definitions().get(token)
    shape, found, way = (definition.shape if definition else None), None, steps(path)
    for step in way:
        if shape is None:
            return ""
        if shape.kind == "object":
            argument = shape.by_wire().get(str(step))
            if argument is None:
                return ""
            shape, found = argument.shape, argument.field.effect or found
        else:
            shape = shape.item
    if found is None:
        return ""
    is_variant = shape is not None and shape.kind == "object" and len(way) == 2
    return ADDED if is_variant and found.name == "REDEPLOY" else found.value


def id_argument(token: str) -> str:
    """The argument with the object's id, which Check makes of what forces a replacement where it is left out."""
    definition = _definitions().get(token) if is_ours(token) else None
    return (definition and definition.id_argument) or ""


def redeployed(old: Any, new: Any) -> bool:
    """Whether one variant of a Deployment, given on both sides, is deployed anew."""
    from tpuserve.resources.deployed_model import DeployedModelArgs  # noqa: PLC0415
    from tpuserve.resources.diff import changes  # noqa: PLC0415
    from tpuserve.resources.fields import REDEPLOY, Effect, shape_of  # noqa: PLC0415

    found = changes(shape_of(DeployedModelArgs), old, new, REDEPLOY)
    return any(each.effect is Effect.REDEPLOY for each in found)


@cache
def _definitions() -> dict[str, Any]:
    # Half a second of Pulumi's SDK, which only a change of a resource of ours needs.
    from tpuserve.resources.schema import DEFINITIONS  # noqa: PLC0415

    return {each.token: each for each in DEFINITIONS}
