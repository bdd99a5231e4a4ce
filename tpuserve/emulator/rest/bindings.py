"""Which method of the gRPC services a discovery method is, by Google's rules for names of methods (AIP-131 to 136)."""

import re
from collections.abc import Iterable, Iterator, Mapping

from tpuserve.emulator.api import OPERATIONS, Method
from tpuserve.emulator.rest.discovery import Route

# What the rules do not give. Source: the annotations in model_service.proto and endpoint_service.proto, as
# google.cloud.aiplatform_v1 has them in its REST transports.
_OTHERS = {
    "models.listVersions": "ListModelVersions",
    "models.deleteVersion": "DeleteModelVersion",
    "endpoints.update": "UpdateEndpointLongRunning",
}
_STANDARD = {"get": "Get", "create": "Create", "delete": "Delete", "patch": "Update"}
# Where the methods of a document live; v1beta1 is here for its operations alone.
PACKAGES = {
    "tpu.v2alpha1": "google.cloud.tpu.v2alpha1.",
    "tpu.v2": "google.cloud.tpu.v2.",
    "aiplatform.v1": "google.cloud.aiplatform.v1.",
}


def bound(document: str, routes: Iterable[Route], methods: Mapping[str, Method]) -> dict[str, Method]:
    """The served methods by the ids of their routes."""
    package = PACKAGES.get(document, OPERATIONS)
    served = {m.name: m for m in methods.values() if m.service.startswith(package) or m.service == OPERATIONS}
    routes = list(routes)
    found = ((route.id, next((served[name] for name in names(route.id) if name in served), None)) for route in routes)
    chosen = {identifier: method for identifier, method in found if method is not None}
    every = {method.name for method in methods.values()}
    own = [route.id for route in routes if ".operations." not in route.id and every.intersection(names(route.id))]
    known = {identifier.rpartition(".")[0] for identifier in own}
    return {identifier: method for identifier, method in chosen.items() if _has_operations(identifier, known)}


def names(identifier: str) -> Iterator[str]:
    """The names that a method with this id can have, the likeliest first."""
    if not _of_a_location(identifier):
        return
    *_, collection, verb = identifier.split(".")
    if (given := _OTHERS.get(f"{collection}.{verb}")) is not None:
        yield given
        return
    plural = _capital(collection)
    singular = plural.removesuffix("s")
    if verb == "list":
        yield f"List{plural}"
    elif verb in _STANDARD:
        yield _STANDARD[verb] + singular
    else:
        yield from (_capital(verb), _capital(verb) + singular)


def _of_a_location(identifier: str) -> bool:
    """Collections straight below a location, and their operations."""
    return re.fullmatch(r"\w+\.projects\.locations\.\w+(\.operations)?\.\w+", identifier) is not None


def _has_operations(identifier: str, known: set[str]) -> bool:
    """Whether these are operations of something that is served, or no operations."""
    of, operations, _ = identifier.partition(".operations.")
    return not operations or of in known or of.endswith(".locations")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
