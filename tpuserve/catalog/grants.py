"""Which of Google's own accounts act for a project, and who around a stack must be allowed what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tpuserve.catalog.tables import table


@dataclass(frozen=True, slots=True)
class ServiceAgent:
    """One of Google's accounts that act for a project."""

    name: str
    title: str
    email: str
    """With `{number}` for the number of the project."""
    made_by: str
    """A service whose identity is generated, a function of pulumi-gcp (`module.function`), or ""."""
    source: str
    date: str

    def member(self, project_number: str) -> str:
        """As IAM writes it, `serviceAccount:...`."""
        return f"serviceAccount:{self.email.format(number=project_number)}"


@dataclass(frozen=True, slots=True)
class Grant:
    """One role that somebody needs on something."""

    name: str
    who: str
    role: str
    on: str
    why: str
    known: str
    """page, code or assumed; what each means is in `data/grants.toml`."""
    source: str
    date: str


@cache
def service_agents() -> Mapping[str, ServiceAgent]:
    """All of the catalog, by the name of their service."""
    return {name: ServiceAgent(name=name, **row) for name, row in table("service_agents").items()}


@cache
def grants() -> Mapping[str, Grant]:
    """All of the catalog, by name."""
    return {name: Grant(name=name, **row) for name, row in table("grants").items()}


def role_of(name: str) -> str:
    """The role of a grant; KeyError for one that is not in the catalog."""
    return grants()[name].role


@cache
def custom_roles() -> Mapping[str, Sequence[str]]:
    """The permissions of an account that previews, and of one that deploys, by `preview` and `deploy`."""
    return {name: tuple(row["permissions"]) for name, row in table("custom_roles").items()}
