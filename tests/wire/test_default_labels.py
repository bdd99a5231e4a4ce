"""`defaultLabels` of the provider: on models and endpoints in place, on nodes with the request and never after."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.programs import ENDPOINT, MODEL, QUEUED_RESOURCE, collection, endpoint, model
from tests.wire.stack import Stack, urn_of
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator import Emulator

NODE_LABELS = "tpu.nodeSpec.0.node.labels"


def labels(emulator: Emulator, kind: str) -> dict[str, str]:
    """Of the first object of a kind, less the provider's own."""
    found = emulator.control.objects()[kind][0]["labels"]
    return {key: value for key, value in found.items() if not key.startswith("tpuserve-")}


@pytest.mark.parametrize(
    ("token", "args", "kind"),
    [
        (MODEL, model(), "models"),
        (ENDPOINT, endpoint(labels={}), "endpoints"),
        (QUEUED_RESOURCE, collection(), "nodes"),
    ],
)
async def test_they_are_on_every_object(
    stack: Stack, emulator: Emulator, token: str, args: dict[str, Any], kind: str
) -> None:
    await stack.wire.configure(defaultLabels={"cost": "a"})

    await stack.up(token, "r", args)

    assert labels(emulator, kind) == {"cost": "a"}


@pytest.mark.parametrize(
    ("token", "args", "kind"),
    [
        (ENDPOINT, endpoint(labels={"cost": "own"}), "endpoints"),
        (QUEUED_RESOURCE, collection(**{NODE_LABELS: {"cost": "own"}}), "nodes"),
    ],
)
async def test_label_of_the_resource_wins(
    stack: Stack, emulator: Emulator, token: str, args: dict[str, Any], kind: str
) -> None:
    await stack.wire.configure(defaultLabels={"cost": "a"})

    await stack.up(token, "r", args)

    assert labels(emulator, kind) == {"cost": "own"}


@pytest.mark.parametrize(("token", "args"), [(MODEL, model()), (ENDPOINT, endpoint()), (QUEUED_RESOURCE, collection())])
async def test_nothing_changes_while_they_stay(stack: Stack, token: str, args: dict[str, Any]) -> None:
    await stack.wire.configure(defaultLabels={"cost": "a"})
    await stack.up(token, "r", args)
    await stack.refresh(token, "r")

    await stack.up(token, "r", args)

    assert stack.steps == ["create", "same"]


@pytest.mark.parametrize(
    ("defaults", "expected"),
    [({"cost": "b"}, {"team": "a", "cost": "b"}), (None, {"team": "a"})],
    ids=["other", "none"],
)
async def test_change_of_them_changes_an_endpoint_in_place(
    stack: Stack, emulator: Emulator, defaults: dict[str, str] | None, expected: dict[str, str]
) -> None:
    await stack.wire.configure(defaultLabels={"cost": "a"})
    await stack.up(ENDPOINT, "r", endpoint())
    await stack.wire.configure(defaultLabels=defaults)

    await stack.up(ENDPOINT, "r", endpoint())

    assert (stack.steps, labels(emulator, "endpoints")) == (["create", "update"], expected)


async def test_change_of_them_uploads_no_version(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "r", model())
    await stack.wire.configure(defaultLabels={"cost": "a"})

    state = await stack.up(MODEL, "r", model())

    assert (state.properties["versionId"], labels(emulator, "models")) == ("1", {"cost": "a"})


@pytest.mark.parametrize("defaults", [{"cost": "b"}, {}])
async def test_change_of_them_gives_up_no_slice(stack: Stack, emulator: Emulator, defaults: dict[str, str]) -> None:
    await stack.wire.configure(defaultLabels={"cost": "a"})
    await stack.up(QUEUED_RESOURCE, "r", collection())
    await stack.wire.configure(defaultLabels=defaults)

    await stack.up(QUEUED_RESOURCE, "r", collection())

    assert (stack.steps, labels(emulator, "nodes")) == (["create", "same"], {"cost": "a"})


async def test_lost_create_is_found_again_with_other_defaults(stack: Stack, emulator: Emulator) -> None:
    await stack.wire.configure(defaultLabels={"cost": "a"})
    await stack.up(QUEUED_RESOURCE, "r", collection())
    stack.states.clear()
    await stack.wire.configure(defaultLabels={"cost": "b"})

    await stack.up(QUEUED_RESOURCE, "r", collection())

    assert len(emulator.control.objects()["queuedResources"]) == 1


async def test_imported_slices_have_them_not_as_their_own(stack: Stack) -> None:
    await stack.wire.configure(defaultLabels={"cost": "a"})
    state = await stack.up(QUEUED_RESOURCE, "r", collection(**{NODE_LABELS: {"team": "a"}}))

    found = await stack.wire.read(urn_of(QUEUED_RESOURCE, "i"), state.id)

    assert found is not None
    assert found.inputs["tpu"]["nodeSpec"][0]["node"]["labels"] == {"team": "a"}


async def test_labels_that_are_not_known_yet_stay_so(stack: Stack) -> None:
    await stack.wire.configure(defaultLabels={"cost": "a"})

    inputs = await stack.wire.checked(urn_of(ENDPOINT, "r"), endpoint(labels=UNKNOWN))

    assert inputs["labels"] is UNKNOWN


async def test_key_of_the_providers_own_is_refused(stack: Stack) -> None:
    faults = await stack.wire.check_config(defaultLabels={"tpuserve-owner": programs.OWNER})

    assert "are the provider's own" in faults["defaultLabels"]
