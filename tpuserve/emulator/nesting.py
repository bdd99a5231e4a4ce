"""How deep JSON may nest, whoever sent it: a caller or a model server."""

from typing import Any

_DEEPEST = 100
"""protobuf's own limit where nobody lifts it: google/protobuf/io/coded_stream.h, SetRecursionLimit."""


def too_deep(value: Any) -> bool:
    """Whether JSON may be more messages in each other than a client can read again: as google.protobuf.Value, an
    object is three, a list two."""
    within = [(value, 0)]
    while within:
        item, above = within.pop()
        depth = above + (3 if isinstance(item, dict) else 2)
        if depth > _DEEPEST:
            return True
        parts = item.values() if isinstance(item, dict) else item
        within += [(part, depth) for part in parts if isinstance(part, dict | list)]
    return False
