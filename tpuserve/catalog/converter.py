"""Functions of a TensorFlow model that are to run on the TPU, as its serving container takes them.

The container takes `ConverterOptions`, a message in protobuf's text format, of which only `tpu_functions` counts.
Google's page writes one function; assumed for several: the field is repeated, as its plural says.
"""

import re
from collections.abc import Iterator, Sequence

from tpuserve.catalog.faults import Fault, Unclear, Unknown
from tpuserve.catalog.words import listed

_FUNCTION = re.compile(r'\s*tpu_functions\s*\{\s*function_alias\s*:\s*"((?:[^"\\\n]|\\.)*)"\s*\}\s*')
_TOKEN = re.compile(r'\s*("(?:[^"\\\n]|\\.)*"|[{}:;,]|[\w.+-]+)\s*')

ESCAPED = frozenset("\"'\\$")
"""Printable characters that are written as a number: each means something to the text format, to a shell or, as
`$(NAME)` in a container's arguments, to Vertex AI."""


def functions_argument(flag: str, aliases: Sequence[str]) -> str:
    """`<flag>='<options>'`, the value in single quotes as on Google's page.

    There the quotes stand inside the string of the Python code, so that they reach the container. Assumed: its entry
    point takes them away as a shell does. The options hold no quote of that kind and nothing that a shell reads within
    them, so they are the same for one that takes the quotes away by itself. ValueError for no alias or a wrong one.
    """
    return f"{flag}='{converter_options(aliases)}'"


def converter_options(aliases: Sequence[str]) -> str:
    """`tpu_functions { function_alias: "f" }` for each alias, in their order. ValueError for none or a wrong one."""
    if faults := check_tpu_functions(aliases):
        raise ValueError("; ".join(f"{which}: {message}" for which, message in faults))
    return " ".join(f'tpu_functions {{ function_alias: "{_escaped(alias)}" }}' for alias in aliases)


def check_tpu_functions(aliases: Sequence[str | Unknown] | Unknown) -> list[tuple[str, str]]:
    """Why these are no functions of a SavedModel; each fault with `tpu_functions` or `tpu_functions[INDEX]`."""
    if isinstance(aliases, Unknown):
        return []
    if isinstance(aliases, str) or not isinstance(aliases, Sequence):
        return [("tpu_functions", "not a list; give the aliases of the functions that run on the TPU as plain text")]
    if not aliases:
        return [("tpu_functions", "missing; give the alias of each function that runs on the TPU, at least one")]
    return list(_alias_faults(aliases))


def check_converter_options(text: str) -> list[Fault | Unclear]:
    """What is wrong with `ConverterOptions` in the text format; paths are empty.

    Read is what Google's page writes, `tpu_functions { function_alias: "f" }` any number of times. Of what is written
    otherwise only other options can be told, which the page calls unsupported.
    """
    aliases = [found[1] for found in _FUNCTION.finditer(text)]
    rest = _FUNCTION.sub("", text)
    if not rest.strip():
        return [Fault("", message) for _, message in check_tpu_functions(aliases)]
    others = [name for name in _options(text) if name != "tpu_functions"]
    if others:
        return [Fault("", f"{listed(others)} among the converter options is not supported: only tpu_functions is")]
    return [Unclear("", 'is not written as Google\'s page does it: tpu_functions { function_alias: "f" }')]


def _options(text: str) -> list[str]:
    """Names of the options themselves, not of what is inside them; none where the text cannot be told apart."""
    tokens, names, depth = _TOKEN.findall(text), [], 0
    if _TOKEN.sub("", text):
        return []
    for word, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if depth == 0 and following in (":", "{") and word.isidentifier():
            names.append(word)
        depth += (word == "{") - (word == "}")
    return [] if depth else names


def _alias_faults(aliases: Sequence[str | Unknown]) -> Iterator[tuple[str, str]]:
    for index, alias in enumerate(aliases):
        if isinstance(alias, Unknown):
            continue
        if message := _check_alias(alias, aliases[:index]):
            yield f"tpu_functions[{index}]", message


def _check_alias(alias: object, before: Sequence[object]) -> str | None:
    if not isinstance(alias, str):
        return f"{type(alias).__name__} is not a function alias; give plain text"
    if not alias or not _encodable(alias):
        return f"{alias!r} is not a function alias; give the one that the SavedModel was saved with"
    return f"{alias!r} is given twice; remove one" if alias in before else None


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escaped(text: str) -> str:
    """The inside of a string in the text format: what is not plain ASCII as its bytes in UTF-8, in octal."""
    return "".join(_octal(char) if char in ESCAPED or not " " <= char <= "~" else char for char in text)


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode())
