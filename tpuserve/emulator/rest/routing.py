"""Which route a path belongs to: a tree of segments, literal ones before variable ones."""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from tpuserve.emulator.rest.discovery import Route

_ANY = "*"


class Found(NamedTuple):
    """A route and the values in its path."""

    route: Route
    values: dict[str, str]


class Node:
    """One segment's place in the tree."""

    def __init__(self) -> None:
        self.below: dict[str, Node] = {}
        self.ends: dict[tuple[str, str], Route] = {}  # (HTTP method, custom verb) -> route


class Router:
    """The routes of one document."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = Node()
        for route in routes:
            *segments, last = route.flat_path.split("/")
            name, _, verb = last.partition(":")
            node = self._root
            for segment in (*segments, name):
                node = node.below.setdefault(_ANY if segment.startswith("{") else segment, Node())
            node.ends[route.http_method, verb] = route

    def found(self, http_method: str, path: str) -> Found | None:
        """The route of a path, which is still percent-encoded and has no leading slash."""
        segments = [unquote(segment) for segment in path.split("/")]
        for last, verb in _readings(segments[-1]):
            ends = _walked(self._root, [*segments[:-1], last])
            route = next((node.ends[http_method, verb] for node in ends if (http_method, verb) in node.ends), None)
            if route is not None:
                values = route.in_path("/".join(segments))
                return None if values is None else Found(route, values)
        return None


def _readings(last: str) -> list[tuple[str, str]]:
    """The last segment as a name with a custom verb, and as a name that holds a colon."""
    name, colon, verb = last.rpartition(":")
    return [(name, verb), (last, "")] if colon else [(last, "")]


def _walked(node: Node, segments: list[str]) -> list[Node]:
    """The nodes at the end of all ways through the tree, more literal ones first."""
    if not segments:
        return [node]
    first, *rest = segments
    below = [node.below[key] for key in (first, _ANY) if key in node.below and first]
    return [end for child in below for end in _walked(child, rest)]
