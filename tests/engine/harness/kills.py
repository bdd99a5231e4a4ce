"""Engines that die in the middle of a run."""

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.language import Program
from tests.engine.harness.stack import Stack


def killed_at(
    stack: Stack, cloud: Cloud, program: Program | None, method: str, *, after: int = 0, verb: str = "up"
) -> None:
    """A run whose engine and plugins die when a changing call reaches the cloud, `after` others have passed.

    The call itself is lost with them.
    """
    cloud.control.break_at(after)
    running = stack.begin(verb, program)
    broken = cloud.control.wait_broken(60)
    assert broken, running.wait().output
    assert broken["method"] == method
    running.kill_all()
    cloud.control.release_break()
    stack.unlock()


def killed_before_deletes(stack: Stack, cloud: Cloud, program: Program, text: str, *flags: str) -> None:
    """An `up` whose engine and plugins die before anything is deleted, when `text` was shown.

    `program` also declares a collection, whose slices are held back: deletes come after every create.
    """
    cloud.control.hold("qr_provisioning")
    running = stack.begin("up", program, *flags)
    running.until(text)
    running.until("0 of 3 slices ready")
    running.kill_all()
    cloud.control.release("qr_provisioning")
    stack.unlock()
