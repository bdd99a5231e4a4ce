"""How long each part of a run took."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Timings:
    """(part, seconds) in the order in which the parts ended."""

    parts: list[tuple[str, float]] = field(default_factory=list)

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Measure what is inside."""
        began = time.monotonic()
        yield
        self.parts.append((name, time.monotonic() - began))
