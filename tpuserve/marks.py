"""How Pulumi marks special values in its messages, states and events.

Source: pulumi's sdk/proto/pulumi/provider.proto and the SDKs' rpc modules, which take long to import.
"""

from collections.abc import Mapping
from typing import Any

SIGNATURE = "4dabf18193072939515e22adb298388d"
"""Key whose value says what kind of special value an object is."""
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - the mark of a secret, none itself
UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What stands for a text that is not known before the update."""
UNKNOWNS = frozenset(
    {
        UNKNOWN_STRING,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
"""The same for every kind of value: text, boolean, number, list, asset, archive, object."""


def is_secret(value: Any) -> bool:
    """Whether it is a secret with its mark."""
    return isinstance(value, Mapping) and value.get(SIGNATURE) == SECRET


def is_unknown(value: Any) -> bool:
    """Whether it stands for what is not known before the update."""
    return isinstance(value, str) and value in UNKNOWNS
