"""The page: sections that are replaced when they change, and forms that stay."""

from collections.abc import Iterable, Mapping
from typing import Any

from tpuserve.emulator.console import collections, endpoints, faults, operations, quotas, requests
from tpuserve.emulator.console.markup import Child, Markup, element, join
from tpuserve.emulator.console.parts import section

TITLES = {
    "collections": "Collections",
    "endpoints": "Endpoints",
    "operations": "Operations",
    "requests": "Requests",
    "quotas": "Quota use",
    "faults": "Faults",
}
_MAIN = ("collections", "endpoints", "operations", "requests")


def sections(found: Mapping[str, Any]) -> dict[str, Markup]:
    """The inside of each section, from `Control.status`."""
    objects = found["objects"]
    return {
        "collections": collections.collections(objects),
        "endpoints": endpoints.endpoints(objects),
        "operations": operations.operations(found["operations"]),
        "requests": requests.requests(found["calls"]),
        "quotas": quotas.quotas(found["quotas"]),
        "faults": faults.faults(found["faults"], found["held"]),
    }


def page(found: Mapping[str, Any], addresses: Mapping[str, str], methods: Iterable[str], error: str = "") -> str:
    """The whole document. `error`: what a command was answered with."""
    inside = sections(found)
    main = element("main", *(section(key, TITLES[key], inside[key]) for key in _MAIN))
    forms = element("div", faults.forms(methods, found["clock"] == "virtual"), class_="forms")
    side = element(
        "aside",
        section("quotas", TITLES["quotas"], inside["quotas"]),
        section("faults", TITLES["faults"], inside["faults"]),
        forms,
    )
    told = element("p", error, role="alert", class_="alert") if error else None
    return document("tpuserve emulator", _top(addresses), told, element("div", main, side, class_="columns"))


def log_page(name: str, found: Iterable[Mapping[str, Any]]) -> str:
    """What the processes of one deployed model or node wrote last."""
    back = element("p", element("a", "Back", href="/"))
    logs = (
        element(
            "section",
            element("h2", log["name"]),
            element("pre", "\n".join(log["lines"]) or "(nothing yet)", tabindex=0),
        )
        for log in found
    )
    return document(f"Log of {name.rpartition('/')[2]}", back, *logs)


def _top(addresses: Mapping[str, str]) -> Markup:
    live = element("span", "live", id="live", role="status")
    places = (join(f"{face} ", element("code", address), " · ") for face, address in addresses.items() if address)
    told = join("Cloud TPU and Vertex AI: ", *places, live)
    return element("header", element("h1", "tpuserve emulator"), element("p", told), class_="top")


def document(title: str, *children: Child) -> str:
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("link", rel="icon", href="data:,"),
        element("link", rel="stylesheet", href="/style.css"),
        element("script", src="/script.js", defer=True),
        element("noscript", element("meta", http_equiv="refresh", content="5")),
    )
    return f"<!doctype html>{element('html', head, element('body', *children), lang='en')}"
