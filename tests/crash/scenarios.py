"""The changes that are interrupted: from which program to which, and what a user may want instead afterwards."""

from dataclasses import dataclass

from tests.crash.programs import NOTHING, Program


@dataclass(frozen=True, slots=True)
class Scenario:
    """`pulumi up` from `before` to `after` is killed on its way; `changed` is a program of later, `first` of earlier."""

    before: Program
    after: Program
    changed: Program
    first: Program | None = None

    @property
    def starts(self) -> tuple[Program, ...]:
        """What was up when the killed update begins, in order."""
        return (self.before,) if self.first is None else (self.first, self.before)


SCENARIOS = {
    "create": Scenario(NOTHING, Program(), Program(image="server:2", slices=3)),
    "image": Scenario(Program(), Program(image="server:2"), Program(image="server:3")),
    "collection": Scenario(Program(), Program(slices=3), Program(slices=4)),
    "collection-delete-first": Scenario(
        Program(prefix="slice"), Program(prefix="slice", slices=3), Program(prefix="slice", slices=4)
    ),
    "split": Scenario(
        Program(canary="server:2", share=10),
        Program(image="server:3", canary="server:2", share=60),
        Program(image="server:2"),
    ),
    "pause": Scenario(Program(), Program(paused=True), Program(image="server:2")),
    "go-on": Scenario(Program(paused=True), Program(image="server:2"), Program(paused=True)),
    "in-turn": Scenario(
        Program(in_turn=True), Program(image="server:2", in_turn=True), Program(image="server:3", in_turn=True)
    ),
    "prune": Scenario(
        Program(image="server:2", retain=1),
        Program(image="server:3", retain=1),
        Program(image="server:4", retain=1),
        first=Program(retain=1),
    ),
    "move": Scenario(Program(), Program(endpoint="second"), Program(endpoint="second", image="server:2")),
}
