"""Pieces that several sections show alike: states, names, bars, buttons."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from tpuserve.emulator.console.markup import Child, Markup, element

# by word of a state, of the queued resource, the node, the replica and the operation alike
TONES = {
    "ACTIVE": "good",
    "READY": "good",
    "DONE": "good",
    "OK": "good",
    "SUSPENDED": "warn",
    "SUSPENDING": "warn",
    "UNREADY": "warn",
    "BACK_OFF": "warn",
    "UNHEALTHY_MAINTENANCE": "warn",
    "FAILED": "bad",
    "PREEMPTED": "bad",
    "TERMINATED": "bad",
}


class Share(NamedTuple):
    """A part of a bar: its label and its share of 100."""

    label: str
    percent: float


def badge(state: str, tone: str = "") -> Markup:
    return element("span", state.replace("_", " ").lower(), class_=f"badge {tone or TONES.get(state, 'busy')}")


def name(full: str) -> Markup:
    """The last part of a resource name, the whole of it on request."""
    return element("code", full.rpartition("/")[2], title=full)


def bar(shares: Sequence[Share], described: str) -> Markup:
    """A bar of parts that sum to 100 at most; the rest is empty. Its parts are told in words beside it."""
    parts, begin = [], 0.0
    for index, share in enumerate(shares):
        parts.append(
            element("rect", x=f"{begin:g}", y=0, width=f"{share.percent:g}", height=10, class_=f"part{index % 6}")
        )
        begin += share.percent
    picture = Markup(" ").join(parts)
    return element(
        "svg", Markup(picture), class_="bar", viewBox="0 0 100 10", preserveAspectRatio="none", role="img",
        aria_label=described,
    )  # fmt: skip


def button(label: str, command: str, fields: Mapping[str, str], described: str = "") -> Markup:
    """A form of one button that carries out a command of the control API."""
    hidden = (element("input", type="hidden", name=key, value=value) for key, value in fields.items())
    key = "-".join([command, *fields.values()])
    pressed = element("button", label, type="submit", id=key, aria_label=described or None)
    return element("form", *hidden, pressed, method="post", action=f"/control/{command}", class_="one")


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[Child]], empty: str, class_: str = "") -> Markup:
    """A table that becomes a list of blocks where it is narrow: each cell carries its column's head."""
    if not rows:
        return note(empty)
    head = element("tr", *(element("th", text, scope="col") for text in heads))
    body = (
        element("tr", *(element("td", cell, data_head=text) for text, cell in zip(heads, row, strict=True)))
        for row in rows
    )
    title = element("caption", caption, class_="unseen")
    return element(
        "table", title, element("thead", head), element("tbody", *body), class_=class_ or None
    )  # fmt: skip


def note(text: str) -> Markup:
    return element("p", text, class_="note")


def section(key: str, title: str, *children: Child) -> Markup:
    """A section whose inside is replaced when it has changed."""
    heading = element("h2", title, id=f"{key}-title")
    return element("section", heading, element("div", *children, id=key), aria_labelledby=f"{key}-title")


def clock(moment: float) -> Markup:
    """A time of day on this machine; the whole moment on request."""
    local = datetime.fromtimestamp(moment).astimezone()
    return element(
        "time", local.strftime("%H:%M:%S"), datetime=local.isoformat(), title=local.isoformat(" ", "seconds")
    )
