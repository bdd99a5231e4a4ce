"""Labels as Google Cloud takes them."""

from collections.abc import Mapping

from tpuserve.emulator.errors import ApiError, Code

# cloud.google.com/resource-manager/docs/labels-overview: at most 64 a resource, keys and values of at most 63
# characters, lowercase and international letters, digits, _ and -; a key begins with a letter.
MOST, LONGEST = 64, 63


def checked(labels: Mapping[str, str], field: str = "labels") -> None:
    """INVALID_ARGUMENT that names every label that does not fit."""
    faults = [f"{len(labels)} labels, at most {MOST} are allowed"] if len(labels) > MOST else []
    faults += [f"key {key!r}" for key in labels if not _is_key(key)]
    faults += [f"value {value!r} of {key!r}" for key, value in labels.items() if not _fits(value)]
    if faults:
        allowed = "lowercase letters, digits, _ and -, at most 63 of them; keys begin with a letter"
        raise ApiError(Code.INVALID_ARGUMENT, f"{field}: {'; '.join(faults)}. Allowed: {allowed}.")


def _is_key(text: str) -> bool:
    return bool(text) and text[0].isalpha() and _fits(text)


def _fits(text: str) -> bool:
    return len(text) <= LONGEST and all(_allowed(character) for character in text)


def _allowed(character: str) -> bool:
    return character in "_-" or (character.isalnum() and character == character.lower())
