"""Quotas: what is used of what is allowed, in chips."""

from collections.abc import Mapping
from typing import Any

from tpuserve.emulator.console.markup import Markup, element, join
from tpuserve.emulator.console.parts import Share, bar, note

Object = Mapping[str, Any]


def quotas(found: list[Any]) -> Markup:
    """A row a quota and place."""
    if not found:
        return note("No quota is limited or used.")
    return element("ul", *(_row(one) for one in found), class_="quotas")


def _row(found: Object) -> Markup:
    limit = found.get("limit")
    told = f"{found['used']} chips, no limit" if limit is None else f"{found['used']} of {limit} chips"
    title = join(element("code", found["metric"].partition("/")[2], title=found["quota"]), " ", found["location"])
    return element("li", element("p", title), element("p", told, class_="figure"), _bar(found, limit, told))


def _bar(found: Object, limit: int | None, told: str) -> Markup | None:
    if limit is None:
        return None
    percent = 100.0 if not limit else min(100.0, 100 * found["used"] / limit)
    return bar([Share(told, percent if found["used"] else 0)], told)
