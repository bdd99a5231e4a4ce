"""Queued resources: a collection with its slices, or a single node."""

from collections.abc import Iterable, Mapping
from typing import Any

from tpuserve.emulator.console.markup import Markup, element, join
from tpuserve.emulator.console.parts import TONES, badge, button, name, note

Object = Mapping[str, Any]


def collections(objects: Mapping[str, list[Any]]) -> Markup:
    """A card a queued resource, a cell a slice."""
    found = objects["queuedResources"]
    if not found:
        return note("No queued resource. Create one against the address above.")
    return join(*(_card(request, _slices(request, objects["nodes"])) for request in found))


def _slices(request: Object, nodes: Iterable[Object]) -> list[Object]:
    return [node for node in nodes if node["queuedResource"] == request["name"]]


def _card(request: Object, slices: list[Object]) -> Markup:
    kind = "collection" if request["workloadType"] == "AVAILABILITY_OPTIMIZED" else "queued resource"
    ready = sum(node["state"] == "READY" and "MAINTENANCE" not in node["health"] for node in slices)
    model = f"{request['provisioningModel']}, " if request["provisioningModel"] else ""
    told = f"{kind}, {model}{request['nodeCount']} x {request['acceleratorType']}, {ready} ready"
    head = element("header", element("h3", name(request["name"])), badge(request["state"]), element("p", told))
    actions: list[Markup] = []
    if request["state"] == "ACTIVE":
        identifier = request["name"].rpartition("/")[2]
        actions = [
            button("Preempt", "preempt", {"name": request["name"]}, f"Preempt {identifier}"),
            button("Maintain", "maintain", {"name": request["name"]}, f"Begin maintenance of {identifier}"),
        ]
    cells = element("ul", *(_cell(node) for node in slices), class_="slices") if slices else note("No nodes.")
    return element("article", head, cells, element("div", *actions, class_="actions") if actions else None)


def _cell(node: Object) -> Markup:
    """One slice: its number, its state in words, and its address."""
    state = node["health"] if "MAINTENANCE" in node["health"] else node["state"]
    dead = node.get("alive") is False
    address = next(iter(node["networkEndpoints"]), "")
    word = "process ended" if dead else state.replace("_", " ").replace("UNHEALTHY ", "").lower()
    tone = "bad" if dead else TONES.get(state, "busy")
    return element(
        "li", element("strong", node["name"].rpartition("/")[2]), element("span", word),
        element("code", address) if address else None, class_=f"slice {tone}",
    )  # fmt: skip
