"""The changes that are interrupted: from which program to which, and what a user may want instead afterwards."""

from dataclasses import dataclass

from tests.crash.programs import NOTHING, Program


@dataclass(frozen=True, slots=True)
class Scenario:
    """`pulumi up` from `before` to `after` is killed on its way; `changed` is a program of later."""

    before: Program
    after: Program
    changed: Program


SCENARIOS = {
    "create": Scenario(NOTHING, Program(), Program(image="server:2", slices=3)),
    "image": Scenario(Program(), Program(image="server:2"), Program(image="server:3")),
    "collection": Scenario(Program(), Program(slices=3), Program(slices=4)),
    "collection-delete-first": Scenario(
        Program(prefix="slice"), Program(prefix="slice", slices=3), Program(prefix="slice", slices=4)
    ),
    "move": Scenario(Program(), Program(endpoint="second"), Program(endpoint="second", image="server:2")),
}
