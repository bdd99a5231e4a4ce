"""Texts of programs and clouds as they may stand in a report: nothing in them is markup, a mention or a reference."""

import re

SPECIAL = re.compile(r"""[&<>\\`*_\[\]#|~@$]""")
LEADING = re.compile(r"^[-+=\d.)]")
"""What begins a list or a heading where it begins a line."""
LINK = re.compile(r"://|www\.", re.IGNORECASE)
"""What GitHub makes a link of."""
BREAK = "\u2060"
"""A joiner of words, which is not seen: after it nothing is a mention or a reference any more."""
REFERENCE = re.compile(r"&#64;|&#35;|GH(?=-)")
"""What begins a mention or a reference to an issue, for these are looked for after Markdown is done."""
MERMAID = re.compile(r"[^A-Za-z0-9 ./_,-]")


def visible(text: str) -> str:
    """The text with every character that is not seen written as its number."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_seen, text.replace("\r\n", "\n")))


def markdown(text: str) -> str:
    """For Markdown, cells of tables and HTML alike, on one line."""
    return REFERENCE.sub(lambda found: found[0] + BREAK, _entities(visible(text)))


def line(text: str) -> str:
    """The same where it begins a line."""
    return LEADING.sub(_entity, markdown(text))


def code(text: str) -> str:
    """The same in a fixed font, in which GitHub looks for no mentions: it can be copied as it is."""
    return f"<code>{_entities(visible(text))}</code>"


def mermaid(text: str) -> str:
    """For a quoted label of a Mermaid graph: all but letters, digits and a few signs as Mermaid's own entities."""
    return MERMAID.sub(lambda found: f"#{ord(found[0])};", visible(text))


def _entities(text: str) -> str:
    return LINK.sub(_link, SPECIAL.sub(_entity, text))


def _link(found: re.Match[str]) -> str:
    return found[0].replace(":", "&#58;").replace(".", "&#46;")


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def _seen(each: str) -> str:
    if each == "\n":
        return "↵"
    if each == "\t":
        return " "
    return each if each.isprintable() else f"\\u{ord(each):04x}"  # else it is not seen, or turns what is around it
