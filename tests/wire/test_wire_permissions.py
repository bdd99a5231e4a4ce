"""What each part of the product calls is what docs/permissions.md says, no more and no less."""

from __future__ import annotations

import pytest
from pulumi.runtime.proto import plugin_pb2

from tests.golden.write_calls import Calls, kept
from tests.least import GRANTED
from tests.wire.processes import screen
from tests.wire.rehearsals import REHEARSALS, Rehearsal, rehearsed
from tools.docs import permissions
from tpuserve.emulator import Emulator
from tpuserve.google import CloudError, Patience
from tpuserve.testing import InitFailedError, Stack, WireError

CALLS: Calls = kept()
each_part = pytest.mark.parametrize("rehearsal", REHEARSALS, ids=lambda each: each.name)
ANEW = "run `.venv/bin/python -m tests.golden.write_calls` if that was meant"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A delete that something is in the way of, and a permission that may have been granted just now, are tried again
    for a while: here what is in the way stays, and what is missing too."""
    monkeypatch.setattr("tpuserve.provider.requests.PATIENCE", 0.0)
    monkeypatch.setattr("tpuserve.provider.server.CHANGING", Patience())


def of(rehearsal: Rehearsal) -> list[str]:
    """The permissions that the table gives one part."""
    return permissions.needed(CALLS[rehearsal.name], [rehearsal.name])


@each_part
async def test_part_calls_what_was_recorded(stack: Stack, emulator: Emulator, rehearsal: Rehearsal) -> None:
    found = await rehearsed(rehearsal, stack, emulator.control, None)

    assert found.recorded() == CALLS[rehearsal.name], ANEW


@each_part
async def test_part_lives_on_its_own_permissions_alone(stack: Stack, emulator: Emulator, rehearsal: Rehearsal) -> None:
    found = await rehearsed(rehearsal, stack, emulator.control, of(rehearsal))

    assert found.recorded() == CALLS[rehearsal.name]


def missing_one() -> list[tuple[Rehearsal, str]]:
    return [(rehearsal, permission) for rehearsal in REHEARSALS for permission in of(rehearsal)]


@pytest.mark.parametrize(
    ("rehearsal", "permission"), missing_one(), ids=[f"{each.name} without {name}" for each, name in missing_one()]
)
async def test_part_without_one_of_them_names_it(
    stack: Stack, emulator: Emulator, rehearsal: Rehearsal, permission: str
) -> None:
    """In the error that it ends with; where nothing depends on the call, in a line beside the resource."""
    rest = [other for other in GRANTED if other != permission]

    async with screen() as (shown, address):
        await stack.wire.call("Attach", plugin_pb2.PluginAttach(address=address))
        try:
            await rehearsed(rehearsal, stack, emulator.control, rest)
        except (WireError, InitFailedError, CloudError, PermissionError) as error:
            told = [str(error)]
        else:
            told = [line for line, _ in shown.lines]

    assert [line for line in told if f"'{permission}' denied" in line]


def test_preview_needs_nothing_that_changes() -> None:
    found = {name.rsplit(".", 1)[-1] for name in permissions.needed(["preview"])}

    assert found == {"get", "list"}


def test_page_is_not_stale() -> None:
    assert permissions.PAGE.read_text(encoding="utf-8") == permissions.page() + "\n", ANEW


def test_readme_leads_to_the_page() -> None:
    assert "docs/permissions.md" in (permissions.ROOT / "README.md").read_text(encoding="utf-8")
