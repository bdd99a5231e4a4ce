"""Google's resource names, compared as Google resolves them (pure)."""

from __future__ import annotations

from dataclasses import dataclass

from tpuserve.resources.same import path_of

COLLECTIONS = ("queuedResources", "models", "endpoints")


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """`projects/P/locations/L/<collection>/<id>`."""

    project: str
    location: str
    collection: str
    id: str

    @classmethod
    def parse(cls, text: object) -> Name | None:
        """The name in `text` (a URL or a path), or None if it is none of a kind that tpuserve makes."""
        parts = path_of(text).split("/") if isinstance(text, str) else []
        if len(parts) != 6 or (parts[0], parts[2]) != ("projects", "locations") or parts[4] not in COLLECTIONS:
            return None
        return cls(parts[1], parts[3], parts[4], parts[5].split("@")[0])

    def __str__(self) -> str:
        return f"projects/{self.project}/locations/{self.location}/{self.collection}/{self.id}"

    def may_be(self, other: Name) -> bool:
        """Whether both can name one object: a project's id and a number may be the same project."""
        if (self.location, self.collection, self.id) != (other.location, other.collection, other.id):
            return False
        return self.project == other.project or self.project.isdecimal() != other.project.isdecimal()
