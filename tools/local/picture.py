"""A digit of 8 x 8 grey values as a small picture in characters."""

from collections.abc import Sequence

SIDE = 8
INK = 16
BLOCKS = " ░▒▓█"
PLAIN = " .+#@"


def picture(pixels: Sequence[float], encoding: str | None) -> list[str]:
    """Eight lines of sixteen characters: blocks where the output can show them, else plain ones."""
    shades = BLOCKS if _shows(BLOCKS, encoding) else PLAIN
    characters = [shades[min(round(value / INK * (len(shades) - 1)), len(shades) - 1)] * 2 for value in pixels]
    return ["".join(characters[begin : begin + SIDE]) for begin in range(0, SIDE * SIDE, SIDE)]


def _shows(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
