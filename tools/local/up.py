"""`make up`: emulator, stack file, preview with the policy pack, update, predictions, report."""

from collections.abc import Sequence

from tools.local import backend, emulator, stack_file
from tools.local.layout import STACK
from tools.local.pulumi_cli import Pulumi, PulumiError, changes
from tools.local.settings import settings
from tools.local.timings import Timings
from tools.progress import say


def up(pulumi: Pulumi, timings: Timings) -> int:
    """Bring stack `local` to what the program says, then ask what it serves. 0 if every answer is as it should be."""
    with timings.part("emulator"):
        prepare(pulumi)
    with timings.part("preview"):
        planned = preview(pulumi)
    if planned:
        with timings.part("up"):
            update(pulumi)
    else:
        say(f"stack {STACK}: nothing changes")
    return 0


def prepare(pulumi: Pulumi) -> emulator.Running:
    """The emulator, the stack file that points at it, and a stack that opens, whatever a kill has left."""
    pulumi.prepare()
    running = emulator.ensure(pulumi.layout, settings(pulumi.layout), say)
    say(f"emulator of Cloud TPU and Vertex AI: {running.address} (pid {running.process.pid})")
    stack_file.write(pulumi.layout, running.address)
    open_stack(pulumi)
    return running


def open_stack(pulumi: Pulumi) -> None:
    """Take off what killed engines left; make the stack if there is none."""
    backend.remove_empty_attributes(pulumi.layout, say)
    if not backend.has_stack(pulumi.layout, pulumi.project):
        pulumi.on_stack("stack", "init", STACK)
    elif backend.stale_locks(pulumi.layout, say):
        pulumi.on_stack("cancel", "--yes", "--stack", STACK)


def preview(pulumi: Pulumi) -> dict[str, int]:
    """Preview with the policy pack, on this terminal; what would change, by operation."""
    log = pulumi.layout.keep / "preview.json"
    log.unlink(missing_ok=True)
    # A preview throws its snapshots away, so it may as well not make them.
    environ = {"PULUMI_DEBUG_COMMANDS": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}
    code = pulumi.operate("preview", "--event-log", str(log), *policies(pulumi), **environ)
    if code:
        raise PulumiError("preview", code)
    return changes(log)


def update(pulumi: Pulumi) -> None:
    """The update itself: it has been previewed."""
    code = pulumi.operate("up", "--yes", "--skip-preview", *policies(pulumi))
    if code:
        raise PulumiError("up", code)


def policies(pulumi: Pulumi) -> list[str]:
    """The policy pack with this stack's policy configuration."""
    root = pulumi.layout.root
    configuration = root / "stacks" / f"policy-config.{STACK}.json"
    return ["--policy-pack", str(root / "policies" / "analyzer"), "--policy-pack-config", str(configuration)]


def operate(pulumi: Pulumi, arguments: Sequence[str]) -> int:
    """Any engine command on this stack, for people: `make pulumi ARGS='preview --expect-no-changes'`."""
    prepare(pulumi)
    if not arguments:
        say("say which command: make pulumi ARGS='preview --expect-no-changes'")
        return 2
    return pulumi.operate(*arguments)
