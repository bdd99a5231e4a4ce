"""Families `containers` and `containers-routes`: how the container that serves a model is started and asked."""

from pulumi_policy import EnforcementLevel, Severity

from tpuserve import catalog

from .container import SUBJECTS, Container, answers_on
from .family import Answer, Config, Family, Resource, Violated


def containers(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether Google's own containers are started as its page says, and any container's routes and port can be."""
    return answers_on(resource, _start)


def _start(container: Container) -> list[Answer]:
    found = container.answers(catalog.check_container_spec(container.spec))
    message = catalog.check_prebuilt_artifact(container.spec.get("imageUri"), container.artifact)
    return [*found, Violated(container.subject.artifact, message)] if message else found


def routes(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether a container of one's own says where it answers."""
    return answers_on(resource, lambda container: container.answers(catalog.advise_routes(container.spec)))


FAMILY = Family(
    name="containers",
    description="Google's containers for TPUs are started in one of the ways that Google documents.",
    rule=containers,
    tokens=tuple(SUBJECTS),
    remediation="Give the arguments, routes and port of a container preset, or use a `ServingModel` with `preset`.",
)
ROUTES = Family(
    name="containers-routes",
    description="A container of your own says at which paths it answers, and gives the one port that is used.",
    rule=routes,
    tokens=tuple(SUBJECTS),
    remediation="Give `predictRoute` and `healthRoute`, and one port.",
    severity=Severity.LOW,
    level=EnforcementLevel.ADVISORY,
)
