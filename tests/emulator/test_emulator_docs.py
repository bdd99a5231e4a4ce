"""The page about the emulator names all that can be set, asked for and served."""

import inspect
from pathlib import Path

import pytest

from tpuserve.emulator import Control, Durations, Settings
from tpuserve.emulator.api import Api
from tpuserve.emulator.core import Core
from tpuserve.emulator.operation import HIDDEN_KINDS, KINDS
from tpuserve.emulator.settings import SWITCHES, Launch

PAGE = (Path(__file__).parents[2] / "docs" / "emulator.md").read_text()
COMMANDS = [name for name, _ in inspect.getmembers(Control, inspect.isfunction) if not name.startswith("_")]


def served() -> list[str]:
    return [method.name for method in Api(Core(Settings(), None, Path())).methods().values()]


@pytest.mark.parametrize("name", [*Settings.__struct_fields__, *Durations.__struct_fields__, *Launch.__struct_fields__])
def test_a_setting_is_described(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", sorted({*COMMANDS} - {"close"}))
def test_a_command_is_described(name: str) -> None:
    assert f"`{name}(" in PAGE


@pytest.mark.parametrize("name", [*KINDS, *HIDDEN_KINDS])
def test_a_kind_is_named(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", served())
def test_a_method_is_named(name: str) -> None:
    assert name in PAGE


def test_switches_are_settings() -> None:
    assert set(SWITCHES) < set(Settings.__struct_fields__)
