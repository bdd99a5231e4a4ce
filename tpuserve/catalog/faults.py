"""What a rule answers, and the value it takes for what is not known yet."""

from dataclasses import dataclass
from typing import Any, Final, TypeGuard, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, where it is and how to put it right."""

    path: str
    """Path of the value in the caller's spelling, such as `deployedModels.canary.model`."""
    message: str
    """The whole message: the value given, the values allowed and the fix. No full stop, no path."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


@dataclass(frozen=True, slots=True)
class Unclear:
    """A value to which a rule could not be applied."""

    path: str
    reason: str = "is not known yet"
    """Why not: what follows the path in a sentence."""


class Unknown:
    """A value that is not known yet (an output of a resource in preview). There is one instance, `UNKNOWN`."""

    _instance: "Unknown | None" = None

    def __new__(cls) -> "Unknown":
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "<unknown>"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()


def known(value: T | Unknown) -> TypeGuard[T]:
    """Whether the value is known; rules never fault on one that is not."""
    return not isinstance(value, Unknown)


def all_known(*values: Any) -> bool:
    """Whether each of the values is known."""
    return not any(isinstance(value, Unknown) for value in values)
