"""Google's resource names: taken apart, resolved to project numbers, put together.

A name is accepted with the project's id or its number and is answered with the number. Vertex does so
(`projects/591020730428/...` in GoogleCloudPlatform/data-science-on-gcp#154); for Cloud TPU it is assumed: its proto
says no more than `projects/{project}`, and one rule for both asks more of a client than two.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from tpuserve.emulator.errors import ApiError, Code, invalid

REGION = re.compile(r"[a-z]+-[a-z]+\d+")
ZONE = re.compile(r"[a-z]+-[a-z]+\d+-(?:[a-z]|ai\d+[a-z]?)")
_NAME = re.compile(r"projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)(?P<rest>(?:/[^/]+/[^/]+)*)")


class Name(NamedTuple):
    """A resolved name: project number, location, then pairs of collection and id below it."""

    project: str
    location: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "/".join(("projects", self.project, "locations", self.location, *self.path))

    @property
    def id(self) -> str:
        return self.path[-1]

    @property
    def parent(self) -> "Name":
        return self._replace(path=self.path[:-2])

    def child(self, collection: str, identifier: str) -> "Name":
        return self._replace(path=(*self.path, collection, identifier))


def resolved(text: str, projects: Mapping[str, int], collections: tuple[str, ...] = (), *, field: str = "name") -> Name:
    """The name in `text`, which must hold exactly these collections; project ids become numbers."""
    name = parsed(text, projects, field)
    if name.path[::2] != collections:
        shape = "".join(f"/{collection}/{{id}}" for collection in collections)
        raise invalid(field, text, f"projects/{{project}}/locations/{{location}}{shape}")
    return name


def parsed(text: str, projects: Mapping[str, int], field: str = "name") -> Name:
    """The name in `text`, whatever lies below its location."""
    match = _NAME.fullmatch(text)
    if match is None:
        raise invalid(field, text, "projects/{project}/locations/{location}/...")
    rest = match["rest"].strip("/")
    return Name(_number(match["project"], projects), match["location"], tuple(rest.split("/")) if rest else ())


def region(name: Name, field: str = "name") -> Name:
    """The name itself, if its location is a region's."""
    return _located(name, REGION, "a region such as us-east5", field)


def zone(name: Name, field: str = "name") -> Name:
    """The name itself, if its location is a zone's."""
    return _located(name, ZONE, "a zone such as us-east5-b", field)


def _located(name: Name, shape: re.Pattern[str], meant: str, field: str) -> Name:
    if shape.fullmatch(name.location) is None:
        raise invalid(f"{field} (location)", name.location, meant)
    return name


def _number(project: str, projects: Mapping[str, int]) -> str:
    # assumed: an unknown project is told apart from a missing resource, as Google's front end does (CONSUMER_INVALID)
    if project in projects:
        return str(projects[project])
    if project in {str(number) for number in projects.values()}:
        return project
    raise ApiError(
        Code.PERMISSION_DENIED, f"Permission denied on resource project {project}.", reason="CONSUMER_INVALID"
    )
