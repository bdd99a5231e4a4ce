"""What one server answered to all pictures."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answers:
    """What one server said of every picture; `fault` says why there are none."""

    who: str
    address: str
    digits: tuple[int, ...] = ()
    logits: tuple[tuple[float, ...], ...] = ()
    fault: str = ""
