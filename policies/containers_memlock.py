"""Family `containers-memlock`: a reminder that a container of one's own has to raise the limit of locked memory."""

from pulumi_policy import EnforcementLevel, PolicyConfigSchema, Severity

from tpuserve import catalog

from .container import SUBJECTS, Container, answers_on
from .family import Answer, Config, Family, Resource


def memlock(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether anything tells that a container of one's own raises the limit; its image cannot be looked into."""
    raised_by = config.get("raisedBy") or []

    def look(container: Container) -> list[Answer]:
        return container.answers(catalog.advise_memlock(container.spec, raised_by))

    return answers_on(resource, look)


FAMILY = Family(
    name="containers-memlock",
    description="A container of your own raises the limit of locked memory, or it cannot reach the TPU chips.",
    rule=memlock,
    tokens=tuple(SUBJECTS),
    remediation="Raise the limit in the container's entry point, and list its image in `containers-memlock.raisedBy`.",
    config_schema=PolicyConfigSchema(
        properties={
            "raisedBy": {
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "description": "What the names of images begin with that are known to raise the limit themselves.",
            }
        }
    ),
    severity=Severity.LOW,
    level=EnforcementLevel.ADVISORY,
)
