"""The changes that are interrupted: from which program to which, and what a user may want instead afterwards."""

from dataclasses import dataclass

from tests.crash.programs import NOTHING, Program


@dataclass(frozen=True, slots=True)
class Scenario:
    """`pulumi up` from `before` to `after` is killed on its way; `changed` comes later, `earlier` were first."""

    before: Program
    after: Program
    changed: Program
    earlier: tuple[Program, ...] = ()

    @property
    def starts(self) -> tuple[Program, ...]:
        """What was up when the killed update begins, in order."""
        return (*self.earlier, self.before)


def _kept(image: str) -> Program:
    """The version of `image` is the default, and one earlier version is kept."""
    return Program(image=image, retain=1, aliases=("default", "live"))


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
        _kept("server:3"), _kept("server:4"), _kept("server:5"), earlier=(_kept("server:1"), _kept("server:2"))
    ),
    "move": Scenario(Program(), Program(endpoint="second"), Program(endpoint="second", image="server:2")),
}
