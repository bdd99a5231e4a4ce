"""`make down`: destroy the stack, remove it, and stop what `make up` started."""

from tools.local import backend, emulator
from tools.local.layout import STACK
from tools.local.pulumi_cli import Pulumi, PulumiError
from tools.local.up import prepare, say


def down(pulumi: Pulumi) -> int:
    """Leave no stack and no process. The stack is destroyed first, so the emulator is brought back if it is gone."""
    if backend.has_stack(pulumi.layout, pulumi.project):
        prepare(pulumi)
        _destroy(pulumi)
    else:
        say(f"stack {STACK}: there is none")
    pid = emulator.stop(pulumi.layout)
    say(f"emulator (pid {pid}): stopped" if pid else "emulator: does not run")
    return 0


def _destroy(pulumi: Pulumi) -> None:
    code = pulumi.operate("destroy", "--yes", "--skip-preview")
    if code:
        raise PulumiError("destroy", code)
    # Run in the folder of the clone's own stack file, so that this one is deleted and the committed one is not.
    pulumi.on_stack("stack", "rm", "--yes", "--stack", STACK)
    say(f"stack {STACK}: destroyed and removed")
