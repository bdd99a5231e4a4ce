"""Pages of a list: a size, a token for the next, nothing lost between them."""

import re
from collections.abc import Sequence
from typing import TypeVar

from tpuserve.emulator.errors import invalid

Item = TypeVar("Item")
DEFAULT_SIZE = 100
_TOKEN = re.compile("[0-9]{1,9}")


def page(items: Sequence[Item], size: int, token: str) -> tuple[Sequence[Item], str]:
    """The items of one page and the token of the next, empty where there is none."""
    if size < 0:
        raise invalid("page_size", size, "0 or more")
    if token and not _TOKEN.fullmatch(token):
        raise invalid("page_token", token, "a next_page_token of an earlier answer")
    start = int(token or 0)
    end = start + (size or DEFAULT_SIZE)
    return items[start:end], str(end) if end < len(items) else ""
