"""Family `containers-any-path`: a container that takes any path is served by a dedicated endpoint alone."""

from collections.abc import Iterator, Sequence

from tpuserve import catalog
from tpuserve.catalog import Unknown
from tpuserve.declared.endpoints import IDS, Served
from tpuserve.declared.tokens import DEPLOYMENT, MODEL

from .declared import served, unchecked
from .family import Answer, Config, Passed, Resource, StackFamily, Unchecked, Violated
from .values import find

PREFIX = "containerSpec.invokeRoutePrefix"


def any_path(resources: Sequence[Resource], config: Config) -> Iterator[Answer]:
    """Whether each model of the stack with `invokeRoutePrefix` is deployed to dedicated endpoints."""
    found = {each.urn: path for each in resources if each.token == MODEL and (path := _path(each))}
    for each in served(resources):
        sources = each.deployment.dependencies.get("deployedModels", ())
        yield from (_answer(each, urn, found[urn]) for urn in sorted(found.keys() & set(sources)))


def _path(model: Resource) -> str:
    """Where the prefix is, or the part of the model that is not known yet; "" for a model without one."""
    return next((found.path for found in find(model.properties, PREFIX)), "")


def _answer(each: Served, model: str, path: str) -> Answer:
    if path != PREFIX:
        return Unchecked(path, model)
    dedicated = each.endpoint.given.get("dedicatedEndpointEnabled") if each.endpoint else None
    if each.endpoint is None or isinstance(dedicated, Unknown):
        return unchecked(each, "of which it is not known yet whether it is dedicated")
    message = catalog.check_any_path(dedicated, f"{each.endpoint.name}.dedicatedEndpointEnabled")
    return Violated(path, message, model) if message else Passed(path, model)


FAMILY = StackFamily(
    name="containers-any-path",
    description="A model whose container takes any path (`invokeRoutePrefix`) is deployed to dedicated endpoints.",
    rule=any_path,
    tokens=(MODEL, DEPLOYMENT, *IDS),
    remediation="Set `dedicatedEndpointEnabled` of the endpoint to true, or give `predictRoute` instead.",
)
