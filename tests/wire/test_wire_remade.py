"""An object that was deleted by hand and made again under its fixed id: another hand's is not ours, ours is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.emulator.google import Google, google
from tests.wire.harness import InitFailedError, State
from tests.wire.programs import ENDPOINT, MODEL, OTHER_OWNER, OWNER, QUEUED_RESOURCE, collection, endpoint, model
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator
from tpuserve.provider.ownership import Identity

Labels = Mapping[str, str]


@dataclass(frozen=True)
class Kind:
    """One resource with an id of its own: its program, a change of it, and how a hand makes it."""

    token: str
    args: dict[str, Any]
    changed: dict[str, Any]
    remake: Callable[[Google, str, Labels], None]
    """Delete the object of that name, and make one with these labels."""
    objects: str

    @property
    def urn(self) -> str:
        return urn_of(self.token, "r")

    def ours(self) -> Labels:
        return Identity(OWNER, self.urn).labels()


def remake_endpoint(hand: Google, name: str, labels: Labels) -> None:
    hand.done(hand.endpoints.delete_endpoint(name=name))
    hand.endpoint("fixed", labels=labels)


def remake_model(hand: Google, name: str, labels: Labels) -> None:
    hand.done(hand.models.delete_model(name=name))
    hand.upload("fixed", "theirs", model_fields={"labels": labels})


def remake_collection(hand: Google, name: str, labels: Labels) -> None:
    hand.done(hand.tpu.delete_queued_resource(request={"name": name, "force": True}))
    hand.active("fixed", node={"labels": labels})


KINDS = [
    Kind(
        QUEUED_RESOURCE,
        collection(queuedResourceId="fixed"),
        collection(queuedResourceId="fixed", onSuspended="REPLACE"),
        remake_collection,
        "queuedResources",
    ),
    Kind(MODEL, model(modelId="fixed"), model(modelId="fixed", description="better"), remake_model, "models"),
    Kind(
        ENDPOINT,
        endpoint(endpointId="fixed"),
        endpoint(endpointId="fixed", description="better"),
        remake_endpoint,
        "endpoints",
    ),
]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.token.rsplit(":", 1)[-1] for kind in KINDS])
STRANGERS = {"nobody": {}, "another-stack": Identity(OTHER_OWNER, "urn").labels()}
each_stranger = pytest.mark.parametrize("labels", STRANGERS.values(), ids=STRANGERS)


@pytest.fixture
def hand(emulator: Emulator) -> Iterator[Google]:
    """Somebody else's clients."""
    with google(emulator) as clients:
        yield clients


def names(emulator: Emulator, kind: Kind) -> list[str]:
    return [item["name"] for item in emulator.control.objects()[kind.objects]]


@each_kind
@each_stranger
async def test_read_of_another_hands_object_is_gone(stack: Stack, hand: Google, kind: Kind, labels: Labels) -> None:
    state = await stack.up(kind.token, "r", kind.args)
    kind.remake(hand, state.id, labels)

    assert await stack.refresh(kind.token, "r") is None


@each_kind
@each_stranger
async def test_delete_leaves_another_hands_object(
    stack: Stack, emulator: Emulator, hand: Google, kind: Kind, labels: Labels
) -> None:
    state = await stack.up(kind.token, "r", kind.args)
    kind.remake(hand, state.id, labels)
    emulator.control.clear_calls()

    await stack.remove(kind.token, "r")

    assert (len(names(emulator, kind)), emulator.control.calls(mutating_only=True)) == (1, [])


@each_kind
async def test_update_of_another_hands_object_says_whose_it_is(
    stack: Stack, emulator: Emulator, hand: Google, kind: Kind
) -> None:
    state = await stack.up(kind.token, "r", kind.args)
    kind.remake(hand, state.id, STRANGERS["another-stack"])
    emulator.control.clear_calls()

    with pytest.raises(InitFailedError, match=f"is another object now.*owner id '{OTHER_OWNER}'.*pulumi refresh"):
        await stack.up(kind.token, "r", kind.changed)

    assert emulator.control.calls(mutating_only=True) == []


@each_kind
async def test_create_after_the_refresh_is_refused_by_name(stack: Stack, hand: Google, kind: Kind) -> None:
    state = await stack.up(kind.token, "r", kind.args)
    kind.remake(hand, state.id, {})
    await stack.refresh(kind.token, "r")

    with pytest.raises(Exception, match="exists and was not taken: it carries no tpuserve-owner label"):
        await stack.up(kind.token, "r", kind.args)


@each_kind
async def test_read_takes_what_this_stack_made_again(stack: Stack, hand: Google, kind: Kind) -> None:
    """The state may have been restored from before."""
    state = await stack.up(kind.token, "r", kind.args)
    kind.remake(hand, state.id, kind.ours())

    found = await stack.refresh(kind.token, "r")

    assert found is not None
    assert found.properties["createTime"] > state.properties["createTime"]


@each_kind
async def test_update_records_when_this_stack_made_it_again(stack: Stack, hand: Google, kind: Kind) -> None:
    state = await stack.up(kind.token, "r", kind.args)
    kind.remake(hand, state.id, kind.ours())

    after = await stack.up(kind.token, "r", kind.changed)

    assert after.properties["createTime"] > state.properties["createTime"]


@each_kind
async def test_delete_takes_away_what_this_stack_made_again(
    stack: Stack, emulator: Emulator, hand: Google, kind: Kind
) -> None:
    state = await stack.up(kind.token, "r", kind.args)
    kind.remake(hand, state.id, kind.ours())

    await stack.remove(kind.token, "r")

    assert names(emulator, kind) == []


def unseen(state: State) -> State:
    """What is kept of a create that got no answer."""
    return State(state.id, {**state.inputs, "origin": state.properties["origin"]}, state.inputs, ("no answer",))


@each_kind
async def test_delete_leaves_what_another_hand_made_while_a_create_got_no_answer(
    stack: Stack, emulator: Emulator, hand: Google, kind: Kind
) -> None:
    state = await stack.up(kind.token, "r", kind.args)
    kind.remake(hand, state.id, {})
    stack.states[kind.urn] = unseen(state)

    await stack.remove(kind.token, "r")

    assert len(names(emulator, kind)) == 1


@each_kind
async def test_without_an_owner_what_has_another_s_labels_is_not_taken(
    stack: Stack, emulator: Emulator, kind: Kind
) -> None:
    stack.states[kind.urn] = unseen(await stack.up(kind.token, "r", kind.args))
    await stack.wire.configure(ownerId=None)

    await stack.remove(kind.token, "r")

    assert len(names(emulator, kind)) == 1


@each_kind
async def test_create_that_got_no_answer_is_known_by_its_labels(stack: Stack, emulator: Emulator, kind: Kind) -> None:
    stack.states[kind.urn] = unseen(await stack.up(kind.token, "r", kind.args))

    await stack.remove(kind.token, "r")

    assert names(emulator, kind) == []


@pytest.mark.parametrize("kind", KINDS[2:], ids=["Endpoint"])
async def test_labels_taken_off_by_hand_make_it_no_other_object(stack: Stack, hand: Google, kind: Kind) -> None:
    state = await stack.up(kind.token, "r", kind.args)
    hand.endpoints.update_endpoint(endpoint={"name": state.id, "labels": {}}, update_mask={"paths": ["labels"]})

    assert (await stack.refresh(kind.token, "r")) is not None


@each_kind
async def test_imported_object_that_another_hand_made_again_is_gone(stack: Stack, hand: Google, kind: Kind) -> None:
    state = await stack.up(kind.token, "r", kind.args)
    kind.remake(hand, state.id, {})
    imported = await stack.wire.read(kind.urn, state.id)
    kind.remake(hand, state.id, {})

    assert imported is not None
    assert await stack.wire.read(kind.urn, state.id, imported) is None
