"""That Check and the pack refuse what Google refuses, and nothing else; what they refuse beyond, and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.generated.asked import Refusal
from tests.generated.judged import STACK, Finding
from tests.generated.stacks import Case

SIDES = ("accepted", "refused")
ENOUGH = 0.2
"""Share of the cases that must fall on each side."""
POLICIES = (
    "machine-types",
    "shapes",
    "collections",
    "locations",
    "quotas",
    "traffic",
    "traffic-private",
    "containers-any-path",
    "containers",
)
"""The mandatory policies that a generated stack can violate; the others hold for stacks that switch them on."""


@dataclass(frozen=True)
class Beyond:
    """What our rules refuse and the emulator does not: no source says what Google answers, or it is not Google's."""

    rule: str
    message: str
    """Regular expressions, of the rule's whole name and of any part of its message."""
    why: str

    def holds(self, finding: Finding) -> bool:
        return bool(re.fullmatch(self.rule, finding.rule) and re.search(self.message, finding.message))


BEYOND: Sequence[Beyond] = (
    Beyond("check", r"schedulingConfig\..*: (true|false) (contradicts|needs the tier)", "Google's answer: not found"),
    Beyond("check", r"enablePrivateServiceConnect: (is required|false)", "what Google does without it: not found"),
    Beyond("check", r"reservationAffinity\.(key|values): is for SPECIFIC", "what Google does with it: not found"),
    Beyond("check", r"validInterval: needs startTime", "to Google it is any time; ours has it left out"),
    Beyond("check|locations", r"\bzone: .* has no ", "how Google answers a zone without the generation: not found"),
    Beyond(
        "check",
        r"(reservationName|sourceDisk|subnetwork): .* and the slices are in ",
        "Google's answer to this: not found",
    ),
    Beyond(
        "check|machine-types", r"tpuTopology: .* leave it out for a single host", "Google takes it, as one host's own"
    ),
    Beyond(
        "check",
        r"^(provisioningModel|runDuration)\b",
        "what Google answers to what does not go together here: not found; the emulator keeps both as they are",
    ),
    Beyond("collections", r"workloadType: is missing", "Google takes it, as slices that are no collection"),
    Beyond("check|traffic", r"trafficSplit: left out, and there are several", "Google takes it, and shares nothing"),
    # MachineSpec.machine_type: "For DeployedModel this field is optional, and the default value is n1-standard-2".
    Beyond("check", r"machineType: is required", "Google takes a machine of its own choice, which has no TPU chips"),
    Beyond("check|containers", r"Route: '' is not a valid", "to Google an empty text is one that is left out"),
)


@dataclass(frozen=True)
class Uncovered:
    """What the emulator refuses and no rule of ours covers."""

    method: str
    message: str
    why: str

    def holds(self, answer: Refusal) -> bool:
        return answer.method == self.method and re.search(self.message, answer.message) is not None


UNCOVERED: Sequence[Uncovered] = (
    Uncovered(
        "CreateQueuedResource",
        r"runtime_version: got 'tpu'; must be one of",
        "neither knows all of Google's runtimes: ours takes what it does not know, the emulator takes none of it",
    ),
)


@dataclass
class Tally:
    """What a run was made of, and where the two did not agree."""

    sides: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    exceptions: Counter[str] = field(default_factory=Counter)
    excepted: int = 0
    """Stacks with any exception."""
    disagreements: list[str] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return self.sides.total()

    def share(self, side: str) -> float:
        return self.sides[side] / self.cases if self.cases else 0.0

    def add(self, case: Case, found: Sequence[Finding], answers: Sequence[Refusal | None]) -> list[str]:
        """Count one case; what the two do not agree on in it."""
        disagreements = list(compared(case, found, answers))
        self.sides[SIDES[1] if any(answers) or found else SIDES[0]] += 1
        self.rules.update({each.rule for each in found})
        excepted = [known.message for known in BEYOND if any(known.holds(each) for each in found)]
        excepted += [known.message for known in UNCOVERED if any(known.holds(each) for each in answers if each)]
        self.exceptions.update(excepted)
        self.excepted += bool(excepted)
        self.disagreements += disagreements
        return disagreements

    def merge(self, other: Tally) -> None:
        self.sides += other.sides
        self.rules += other.rules
        self.exceptions += other.exceptions
        self.excepted += other.excepted
        self.disagreements += other.disagreements

    def faults(self) -> Iterator[str]:
        """Why the run proves too little."""
        for side in SIDES:
            if self.share(side) < ENOUGH:
                yield f"{self.share(side):.0%} of the stacks were {side}, not {ENOUGH:.0%}"
        if missing := [name for name in POLICIES if not self.rules[name]]:
            yield f"no stack violated {', '.join(missing)}"
        if idle := [known.message for known in (*BEYOND, *UNCOVERED) if not self.exceptions[known.message]]:
            yield f"exceptions that never came: {', '.join(idle)}"


def compared(case: Case, found: Sequence[Finding], answers: Sequence[Refusal | None]) -> Iterator[str]:
    """Each unit by itself, then the quotas of the stack as a whole."""
    for index, answer in enumerate(answers):
        own = [each for each in found if each.unit == index]
        yield from _unit(own, None if answer and answer.is_quota else answer, charged=bool(answer and answer.is_quota))
    over = [each for each in found if each.unit == STACK]
    exhausted = [answer for answer in answers if answer and answer.is_quota]
    others = [each for each in found if each.unit != STACK]
    if exhausted and not over and not _is_flex_start(case):
        yield f"accepted, and Google refuses it: {exhausted[0]}"
    if over and not exhausted and not others and not any(answers):
        yield f"refused, and Google takes it: {over[0]}"


def _is_flex_start(case: Case) -> bool:
    """Of whose quota the pack says that it was not checked."""
    return any(each.args.get("provisioningModel") == "FLEX_START" for unit in case.units for each in unit.resources)


def _unit(found: Sequence[Finding], answer: Refusal | None, *, charged: bool) -> Iterator[str]:
    """`charged`: what is beyond a quota was refused before anything else of it was looked at."""
    if answer and not found and not any(known.holds(answer) for known in UNCOVERED):
        yield f"accepted, and Google refuses it: {answer}"
    certain = [each for each in found if not any(known.holds(each) for known in BEYOND)]
    if certain and not answer and not charged:
        yield f"refused, and Google takes it: {certain[0]}"
