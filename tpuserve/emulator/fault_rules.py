"""One fault: what it strikes, when, how often, and what it does there."""

import random
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

import msgspec

from tpuserve.emulator.errors import ApiError, code_named
from tpuserve.emulator.operation import HIDDEN_KINDS, KINDS

Phase = Literal["before", "after"]
What = Literal["call", "operation", "queued_resource"]
Effect = Literal["error", "delay", "stall", "reset", "truncate", "vanish", "preempt", "maintain"]

# what each fault can do, the one that is meant where nothing is said first
EFFECTS: dict[str, tuple[str, ...]] = {
    "call": ("error", "delay", "stall", "reset", "truncate"),
    "operation": ("error", "vanish"),
    "queued_resource": ("preempt", "maintain"),
}
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]


class Fault(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A fault as a settings file, a flag or the control API gives it.

    `name`: a method, a kind of operation, or a shell pattern of queued resource ids. `phase`: a call's effect is
    committed `after`; an operation that vanishes is never seen (`before`) or gone with its end (`after`). `seconds`: a
    delay's, or from ACTIVE to what befalls a queued resource. `share`: with this probability, drawn from the seed.
    `portion`: of the nodes that a maintenance event goes over.
    """

    what: What
    name: str
    effect: Effect | None = None
    code: str = ""
    message: str = ""
    times: Annotated[int, msgspec.Meta(ge=-1)] = 1  # -1: always
    skip: Count = 0
    match: dict[str, Any] | None = None
    phase: Phase = "before"
    stage: str = ""
    reason: str = ""
    retry_after: Seconds = 0
    appears: bool = False
    seconds: Seconds = 0
    share: Share = 1
    portion: Share = 1

    def __post_init__(self) -> None:
        allowed = EFFECTS[self.what]
        self.effect = self.effect or allowed[0]  # type: ignore[assignment]
        if self.effect not in allowed:
            raise ValueError(f"a fault of a {self.what} cannot {self.effect}; it can {', '.join(allowed)}")
        if self.effect == "error":
            code_named(self.code)
        if self.effect == "truncate":  # there is an answer only afterwards
            self.phase = "after"
        if self.what == "operation":
            checked_kind(self.name)


class Rule(Fault, kw_only=True):
    """A fault at work, with the number of its occasions and of its hits."""

    drawn: str = ""  # what its chance is drawn from, so that no other rule's occasions change it
    seen: int = 0
    hits: int = 0

    def strikes(self, request: Callable[[], Mapping[str, Any]]) -> bool:
        """Whether this occasion is one that the rule hits; counts it."""
        if self.match is not None and not matches(self.match, request()):
            return False
        self.seen += 1
        struck = self.seen > self.skip and (self.times < 0 or self.hits < self.times)
        struck = struck and random.Random(f"{self.drawn}/{self.seen}").random() < self.share  # noqa: S311 - repeats
        self.hits += struck
        return struck

    def error(self) -> ApiError:
        message = self.message or f"{self.name} was told to fail."
        code, rest = code_named(self.code), {"reason": self.reason, "retry_after": self.retry_after}
        return ApiError(code, message, appears=self.appears, **rest)


def checked_kind(kind: str) -> str:
    """The kind itself; ValueError lists the kinds there are."""
    kinds = (*KINDS, *HIDDEN_KINDS)
    if kind not in kinds:
        raise ValueError(f"{kind!r} is not a kind of operation; kinds are {', '.join(kinds)}")
    return kind


def read_flag(text: str) -> Fault:
    """A fault in one word, such as GetModel=UNAVAILABLE,times=3 or deploy_model=vanish; ValueError says what is wrong.

    Before `=` a method, a kind of operation, or a pattern of queued resources; after it a status code or an effect.
    """
    name, _, rest = text.partition("=")
    first, *more = rest.split(",")
    if not name or not first or any("=" not in item for item in more):
        raise ValueError(f"{text!r} is no fault; write METHOD=CODE, KIND=CODE or NAME=EFFECT, then ,KEY=VALUE ...")
    does = {"effect": first} if first.islower() else {"code": first}
    given = dict(item.split("=", 1) for item in more)
    return msgspec.convert({"what": _what(name, first), "name": name, **does, **given}, Fault, strict=False)


def _what(name: str, effect: str) -> str:
    if effect in EFFECTS["queued_resource"]:
        return "queued_resource"
    return "operation" if name in {*KINDS, *HIDDEN_KINDS} else "call"


def matches(pattern: Any, found: Any) -> bool:
    """Whether `found` holds all of `pattern`: objects key by key, strings as shell patterns, else by equality."""
    if isinstance(pattern, Mapping):
        return isinstance(found, Mapping) and all(
            key in found and matches(wanted, found[key]) for key, wanted in pattern.items()
        )
    if isinstance(pattern, str) and isinstance(found, str):
        return pattern == found or fnmatchcase(found, pattern)
    return bool(pattern == found)
