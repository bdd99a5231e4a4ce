"""`make up` and `make down` on the real engine: the whole life of a clone, told in order, then looked at."""

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from examples.digits.held_out import digits
from tests.make import clone as clones
from tests.make.clone import Clone, Ran
from tests.make.ports import taken
from tools.engine import Engine
from tools.local import backend, predictions
from tools.local.pulumi_cli import Pulumi
from tools.local.serving import Serving, serving
from tpuserve.emulator.control import Control

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("make-up"), pytest.mark.timeout(600)]

COMMITTED = (clones.ROOT / "stacks" / "Pulumi.local.yaml").read_bytes()


@dataclass
class Life:
    """What was seen, run by run."""

    clone: Clone
    first: Ran
    served: Serving
    second: Ran
    unchanged: Ran
    after_emulator_kill: Ran
    address_before_and_after: tuple[str, str]
    with_port_taken: Ran
    address_with_port_taken: str
    dead_server: str
    dead_slice: str
    down: Ran
    left: list[str]
    has_stack: bool
    down_again: Ran


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Iterator[Life]:
    clone = clones.make(tmp_path_factory.mktemp("up"), engine)
    pulumi = Pulumi(clone.layout, engine)
    try:
        yield lived(clone, pulumi)
    finally:
        clone.run("down")


def lived(clone: Clone, pulumi: Pulumi) -> Life:
    first = clone.run("up")
    served = serving(pulumi.outputs())
    second = clone.run("up")
    unchanged = clone.run("pulumi", "preview", "--expect-no-changes")
    before = clone.emulator()
    os.kill(before.process.pid, signal.SIGKILL)
    backend.state_file(clone.layout, pulumi.project).with_name("local.json.attrs").touch()
    after_emulator_kill = clone.run("up")
    after = clone.emulator()
    os.kill(after.process.pid, signal.SIGKILL)
    with taken(after.address):
        with_port_taken = clone.run("up")
    moved = clone.emulator().address
    dead_server, dead_slice = with_dead_servers(moved, serving(pulumi.outputs()))
    down = clone.run("down")
    return Life(
        clone=clone,
        first=first,
        served=served,
        second=second,
        unchanged=unchanged,
        after_emulator_kill=after_emulator_kill,
        address_before_and_after=(before.address, after.address),
        with_port_taken=with_port_taken,
        address_with_port_taken=moved,
        dead_server=dead_server,
        dead_slice=dead_slice,
        down=down,
        left=clone.processes(),
        has_stack=backend.has_stack(clone.layout, pulumi.project),
        down_again=clone.run("down"),
    )


def with_dead_servers(address: str, served: Serving) -> tuple[str, str]:
    """What endpoint and slice answer once their servers were killed."""
    picture = [digits()[0].pixels]
    with Control(address) as control:
        control.kill(f"{served.endpoint}/deployedModels/{served.variants[0].deployed_model_id}")
        control.kill(served.collection.rpartition("/queuedResources/")[0] + f"/nodes/{served.slices[0].name}")
    endpoint = predictions.ask_endpoint(f"http://{address}", served, picture)
    return endpoint.fault, predictions.ask_slice("slice", served.slices[0].address, picture).fault


def test_first_up_ends_well(life: Life) -> None:
    assert life.first.code == 0, life.first.said


@pytest.mark.parametrize("who", ["endpoint", "digits-0", "digits-1", "digits-2"])
def test_at_least_95_of_100_are_right_and_as_many_as_offline(life: Life, who: str) -> None:
    row = next(line for line in life.first.said.splitlines() if line.split()[:1] == [who] and " of 100" in line)
    offline = next(line for line in life.first.said.splitlines() if line.startswith("Held-out digits")).split()[-1]

    assert row.split()[1] == offline
    assert int(offline) >= 95


def test_three_slices_are_ready(life: Life) -> None:
    assert [(each.name, each.state) for each in life.served.slices] == [(f"digits-{n}", "READY") for n in range(3)]


def test_one_variant_has_all_the_traffic(life: Life) -> None:
    assert [(each.name, each.share) for each in life.served.variants] == [("stable", 100)]


def test_preview_runs_the_policy_pack(life: Life) -> None:
    assert "tpuserve@" in life.first.said.partition("Updating")[0]


def test_second_up_says_that_nothing_changes(life: Life) -> None:
    assert (life.second.code, "stack local: nothing changes\n" in life.second.said) == (0, True), life.second.said


def test_up_says_that_it_asks(life: Life) -> None:
    assert "Asking 3 slices and the endpoint for 100 digits ...\n" in life.first.said


def test_digit_that_is_shown_is_a_three(life: Life) -> None:
    assert "  the endpoint says 3, it is 3\n" in life.first.said


def test_second_up_asks_again(life: Life) -> None:
    assert "the endpoint says" in life.second.said


def test_preview_expects_no_changes(life: Life) -> None:
    assert life.unchanged.code == 0, life.unchanged.said


def test_killed_emulator_is_brought_back(life: Life) -> None:
    assert life.after_emulator_kill.code == 0, life.after_emulator_kill.said


def test_killed_emulator_is_told(life: Life) -> None:
    assert "emulator: was stopped from outside; starting it again" in life.after_emulator_kill.said


def test_killed_emulator_comes_back_where_it_was(life: Life) -> None:
    assert life.address_before_and_after[0] == life.address_before_and_after[1]


def test_emulator_brought_back_has_forgotten_nothing(life: Life) -> None:
    assert "stack local: nothing changes" in life.after_emulator_kill.said


def test_up_with_its_port_taken_ends_well(life: Life) -> None:
    assert life.with_port_taken.code == 0, life.with_port_taken.said


def test_stack_follows_the_emulator_to_another_port(life: Life) -> None:
    assert life.address_with_port_taken != life.address_before_and_after[1]
    assert f"its state points at {life.address_with_port_taken} now" in life.with_port_taken.said


def test_empty_attributes_are_taken_away_and_told(life: Life) -> None:
    assert "local.json.attrs, left empty by an engine that was killed" in life.after_emulator_kill.said


def test_endpoint_without_its_server_does_not_predict(life: Life) -> None:
    assert life.dead_server


def test_slice_without_its_server_does_not_answer(life: Life) -> None:
    assert life.dead_slice


def test_down_ends_well(life: Life) -> None:
    assert life.down.code == 0, life.down.said


def test_down_leaves_no_process(life: Life) -> None:
    assert life.left == []


def test_down_leaves_no_stack(life: Life) -> None:
    assert not life.has_stack


def test_down_twice_has_nothing_to_do(life: Life) -> None:
    assert life.down_again == Ran(0, "stack local: there is none\nemulator: does not run\n")


def test_committed_stack_file_is_as_it_was(life: Life) -> None:
    assert life.clone.layout.committed_stack_file.read_bytes() == COMMITTED


def test_nothing_is_written_outside_the_keep(life: Life) -> None:
    # Pulumi imports the program, and Python keeps what it compiled where the user lets it.
    before = {path.name for path in clones.ROOT.iterdir()} | {".tpuserve", "__pycache__"}

    assert {path.name for path in life.clone.layout.root.iterdir()} - before == set()


def test_home_of_the_user_holds_no_stack(life: Life) -> None:
    assert not (Path.home() / ".pulumi" / "stacks").exists()
