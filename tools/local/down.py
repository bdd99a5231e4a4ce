"""`make down`: destroy the stack, remove it, and stop what `make up` started."""

from collections.abc import Callable

from tools.local import backend, emulator
from tools.local.layout import STACK, Layout
from tools.local.pulumi_cli import Pulumi, PulumiError
from tools.local.up import prepare, say


def down(layout: Layout, pulumi: Callable[[], Pulumi]) -> int:
    """Leave no stack and no process. The stack is destroyed first, so the emulator is brought back if it is gone.

    `pulumi` finds the engine, which may mean building it: it is asked only where there is a stack.
    """
    if backend.has_stack(layout, layout.project):
        _destroy(pulumi())
    else:
        say(f"stack {STACK}: there is none")
    pid = emulator.stop(layout)
    say(f"emulator (pid {pid}): stopped" if pid else "emulator: does not run")
    return 0


def _destroy(pulumi: Pulumi) -> None:
    prepare(pulumi)
    code = pulumi.operate("destroy", "--yes", "--skip-preview")
    if code:
        raise PulumiError("destroy", code)
    # Run in the folder of the clone's own stack file, so that this one is deleted and the committed one is not.
    pulumi.on_stack("stack", "rm", "--yes", "--stack", STACK)
    say(f"stack {STACK}: destroyed and removed")
