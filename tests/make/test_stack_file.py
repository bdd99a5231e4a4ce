"""The clone's own stack file."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.local import stack_file
from tools.local.emulator import Running
from tools.local.layout import Layout
from tools.local.processes import Process

RUNNING = Running(Process(1, "now"), "127.0.0.1:1")
COMMITTED = {"config": {"tpuserve:project": "p", "tpu-inference:collection": {"slices": 3}}}


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path)
    layout.committed_stack_file.parent.mkdir()
    layout.committed_stack_file.write_text(yaml.safe_dump(COMMITTED))
    return layout


def written(layout: Layout, address: str = "127.0.0.1:1", rest: str = "") -> dict:
    stack_file.write(layout, Running(Process(1, "now"), address, rest))
    return yaml.safe_load(layout.stack_file.read_text())


def test_committed_configuration_is_in_it(layout: Layout) -> None:
    assert written(layout)["config"].items() >= COMMITTED["config"].items()


def test_committed_file_stays_as_it_is(layout: Layout) -> None:
    before = layout.committed_stack_file.read_bytes()

    written(layout)

    assert layout.committed_stack_file.read_bytes() == before


def test_endpoints_are_the_emulator_s(layout: Layout) -> None:
    url = "http://127.0.0.1:4321"

    assert written(layout, "127.0.0.1:4321")["config"]["tpuserve:endpoints"] == {"tpu": url, "aiplatform": url}


def test_rest_is_an_endpoint_where_it_is_served(layout: Layout) -> None:
    endpoints = written(layout, "127.0.0.1:4321", "127.0.0.1:4322")["config"]["tpuserve:endpoints"]

    assert endpoints["tpuRest"] == "http://127.0.0.1:4322"


def test_endpoint_that_the_emulator_does_not_have_stays(layout: Layout) -> None:
    written(layout, "127.0.0.1:4321")
    quotas = {"cloudquotas": "http://127.0.0.1:9"}
    set_value(layout, "tpuserve:endpoints", quotas | {"tpu": "http://127.0.0.1:4321", "aiplatform": "http://h"})
    url = "http://127.0.0.1:5555"

    endpoints = [written(layout, "127.0.0.1:5555")["config"]["tpuserve:endpoints"] for _ in range(2)]

    assert endpoints == [quotas | {"tpu": url, "aiplatform": url}] * 2


def test_owner_that_was_set_stays(layout: Layout) -> None:
    written(layout)
    set_value(layout, "tpuserve:ownerId", "b" * 20)

    assert written(layout)["config"]["tpuserve:ownerId"] == "b" * 20


def test_owner_is_20_lowercase_letters_and_digits(layout: Layout) -> None:
    assert re.fullmatch("[a-z0-9]{20}", written(layout)["config"]["tpuserve:ownerId"])


def test_owner_is_kept(layout: Layout) -> None:
    assert written(layout)["config"]["tpuserve:ownerId"] == written(layout)["config"]["tpuserve:ownerId"]


def test_owner_outlives_the_stack_file(layout: Layout) -> None:
    owner = written(layout)["config"]["tpuserve:ownerId"]
    layout.stack_file.unlink()

    assert written(layout)["config"]["tpuserve:ownerId"] == owner


def test_two_clones_have_two_owners(layout: Layout, tmp_path: Path) -> None:
    other = Layout(tmp_path / "other")

    assert stack_file.owner_id(layout) != stack_file.owner_id(other)


def test_owner_file_left_empty_is_made_again(layout: Layout) -> None:
    layout.owner.parent.mkdir()
    layout.owner.touch()

    assert len(stack_file.owner_id(layout)) == 20


def test_salt_of_the_engine_is_kept(layout: Layout) -> None:
    written(layout)
    layout.stack_file.write_text("encryptionsalt: v1:x\n")

    assert written(layout)["encryptionsalt"] == "v1:x"


def test_key_taken_out_of_the_committed_file_goes(layout: Layout) -> None:
    written(layout)
    layout.committed_stack_file.write_text("config: {}\n")

    assert set(written(layout)["config"]) == {"tpuserve:ownerId", "tpuserve:endpoints"}


def set_value(layout: Layout, key: str, value: Any) -> None:
    stack = yaml.safe_load(layout.stack_file.read_text())
    stack["config"][key] = value
    layout.stack_file.write_text(yaml.safe_dump(stack))


@pytest.mark.parametrize("key", ["tpuserve:project", "mine:new"])
def test_value_that_the_engine_set_stays(layout: Layout, key: str) -> None:
    written(layout)
    set_value(layout, key, "mine")

    assert [written(layout)["config"][key] for _ in range(2)] == ["mine", "mine"]


def test_value_set_by_hand_never_replaces_the_emulator_s_address(layout: Layout) -> None:
    written(layout)
    set_value(layout, "tpuserve:endpoints", "https://example.com")

    assert written(layout)["config"]["tpuserve:endpoints"] == stack_file.endpoints(RUNNING)


def test_change_of_the_committed_file_arrives_beside_a_value_that_was_set(layout: Layout) -> None:
    written(layout)
    set_value(layout, "mine:new", "mine")
    layout.committed_stack_file.write_text(yaml.safe_dump({"config": {"tpuserve:project": "q"}}))

    assert written(layout)["config"].items() >= {"mine:new": "mine", "tpuserve:project": "q"}.items()
