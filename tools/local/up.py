"""`make up`: emulator, stack file, preview with the policy pack, update, predictions, report."""

import sys
from collections.abc import Callable, Sequence
from functools import partial

from examples.digits.held_out import digits
from tools import progress
from tools.local import backend, emulator, moved, predictions, stack_file
from tools.local.layout import STACK
from tools.local.plan import Plan, plan
from tools.local.pulumi_cli import Pulumi, PulumiError, on_a_stack
from tools.local.report import Report, Sample, console, print_report
from tools.local.serving import serving
from tools.local.settings import settings
from tools.local.timings import Timings
from tools.local.verdict import verdict

# A held-out 3 that is easy to read on 8 x 8 characters.
SHOWN = 709

say = partial(progress.say, stream=sys.stdout)


def up(pulumi: Pulumi, timings: Timings) -> int:
    """Bring stack `local` to what the program says, then ask what it serves. 0 if every answer is as it should be."""
    with timings.part("emulator"):
        running = prepare(pulumi)
    with timings.part("preview"):
        planned = preview(pulumi)
    if not planned.operations:
        say(f"stack {STACK}: nothing changes{', but its outputs do' if planned.outputs else ''}")
    if planned.operations or planned.outputs:
        with timings.part("up"):
            update(pulumi)
    with timings.part("predictions"):
        report = ask(pulumi, running, timings)
    print_report(report, console())
    return 1 if report.faults else 0


def ask(pulumi: Pulumi, running: emulator.Running, timings: Timings) -> Report:
    """Ask every slice and the endpoint for all held-out digits, and the model offline for the same."""
    offline = predictions.Offline(pulumi.layout.root)
    served = serving(pulumi.outputs())
    samples = digits()
    pictures = [sample.pixels for sample in samples]
    with progress.step(f"Asking {len(served.slices)} slices and the endpoint for {len(samples)} digits"):
        answers = [predictions.ask_endpoint(f"http://{running.address}", served, pictures)]
        answers += predictions.ask_slices(served, pictures)
        reference = offline.answers()
    truth = [sample.label for sample in samples]
    verdicts = [verdict(each, reference, truth) for each in answers]
    shown = next(sample for sample in samples if sample.index == SHOWN)
    answer = dict(zip((sample.index for sample in samples), answers[0].digits, strict=False)).get(shown.index)
    return Report(
        served, verdicts, reference, truth, Sample(shown.index, shown.pixels, answer, shown.label), timings.parts
    )


def prepare(pulumi: Pulumi, say: Callable[[str], None] = say) -> emulator.Running:
    """The emulator, the stack file that points at it, and a stack that opens, whatever a kill has left."""
    pulumi.prepare()
    running = emulator.ensure(pulumi.layout, settings(pulumi.layout), say)
    say(f"emulator of Cloud TPU and Vertex AI: {running.address} (pid {running.process.pid})")
    say(f"what it holds, live: {running.console}")
    endpoints = stack_file.write(pulumi.layout, running)
    open_stack(pulumi, say)
    moved.follow(pulumi, running, endpoints, say)
    return running


def open_stack(pulumi: Pulumi, say: Callable[[str], None]) -> None:
    """Take off what killed engines left; make the stack if there is none."""
    backend.remove_empty_attributes(pulumi.layout, say)
    if not backend.has_stack(pulumi.layout, pulumi.project):
        pulumi.on_stack("stack", "init", STACK)
        return
    backend.readable(pulumi.layout, pulumi.project)
    if backend.stale_locks(pulumi.layout, say):
        pulumi.on_stack("cancel", "--yes", "--stack", STACK)


def preview(pulumi: Pulumi) -> Plan:
    """Preview with the policy pack, on this terminal; what would change."""
    log = pulumi.layout.keep / "preview.json"
    log.unlink(missing_ok=True)
    # A preview throws its snapshots away, so it may as well not make them.
    environ = {"PULUMI_DEBUG_COMMANDS": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}
    code = pulumi.operate("preview", "--event-log", str(log), *policies(pulumi), **environ)
    if code:
        raise PulumiError("preview", code)
    return plan(log)


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
    if not arguments:
        progress.say("say which command: make pulumi ARGS='preview --expect-no-changes'")
        return 2
    # Standard output belongs to the engine: a script reads its --json there.
    if on_a_stack(arguments):
        prepare(pulumi, progress.say)
    else:
        pulumi.prepare()
    return pulumi.operate(*arguments)
