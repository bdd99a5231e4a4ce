"""HTML made of elements: whatever is no markup yet is text, and is escaped."""

from html import escape

VOID = frozenset({"meta", "link", "input", "rect"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | int | float | None


def element(tag: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """One element. `class_` and `for_` lose their underscore, others become hyphens; True stands for an attribute
    without a value, None and False for none."""
    given = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in VOID:
        return Markup(f"<{tag}{given}>" if tag != "rect" else f"<{tag}{given}/>")
    return Markup(f"<{tag}{given}>{join(*children)}</{tag}>")


def join(*children: Child) -> Markup:
    """Several pieces one after the other; None is left out."""
    return Markup("".join(_child(child) for child in children if child is not None))


def _child(child: Child) -> str:
    return child if isinstance(child, Markup) else escape(str(child))


def _attribute(name: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
