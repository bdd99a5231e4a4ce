"""What a user can put right: a whole message, shown without a traceback."""

from __future__ import annotations

from collections.abc import Sequence


class UserError(Exception):
    """One message, or several faults at once."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults: Sequence[str] = faults
