"""Ids, labels and marks: readable, the same at each try, within Google's limits."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire import programs
from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.call import ResourceError
from tpuserve.provider.ownership import (
    SET_OWNER,
    Identity,
    Mark,
    digest,
    is_anothers,
    is_claim_of,
    object_id,
    read_mark,
    readable,
    users_labels,
    whose,
    without_mark,
)
from tpuserve.provider.server import LIFECYCLES

OWNERS = st.from_regex(r"\A[a-z0-9]{20}\Z")
NAMES = st.text(max_size=80)
SPECIFICATIONS = st.from_regex(r"\A[0-9a-f]{12}\Z")
# Source: Cloud TPU and Vertex AI: keys and values of at most 63 characters of a-z, 0-9, _ and -; a letter begins a key
KEY, VALUE = re.compile(r"[a-z][a-z0-9_-]{0,62}"), re.compile(r"[a-z0-9_-]{0,63}")
DISPLAY_NAME = 128  # Source: DeployedModel.display_name, as every display name of Vertex AI
URN = "urn:pulumi:s::p::tpuserve:vertex:Endpoint::"
KINDS = {programs.QUEUED_RESOURCE: "queuedResourceId", programs.MODEL: "modelId", programs.ENDPOINT: "endpointId"}


def named(token: str, name: str, owner: str, **inputs: Any) -> Any:
    return object_id(LIFECYCLES[token].definition, f"urn:pulumi:s::p::{token}::{name}", owner, inputs)


@given(OWNERS, NAMES)
def test_labels_are_within_googles_limits(owner: str, name: str) -> None:
    labels = Identity(owner, URN + name).labels()

    assert all(KEY.fullmatch(key) and VALUE.fullmatch(value) for key, value in labels.items())


@given(OWNERS, NAMES)
def test_own_labels_are_recognized(owner: str, name: str) -> None:
    identity = Identity(owner, URN + name)

    assert identity.has({**identity.labels(), "team": "a"})


@given(OWNERS, OWNERS, NAMES)
def test_labels_of_another_owner_are_not(owner: str, other: str, name: str) -> None:
    ours, theirs = Identity(owner, URN + name), Identity(other, URN + name)

    assert ours.has(theirs.labels()) == (owner == other)


def test_without_an_owner_nothing_is_ours() -> None:
    identity = Identity("", URN)

    assert (identity.labels(), identity.has({}), identity.mark("0" * 12)) == ({}, False, "")


@given(OWNERS, NAMES, SPECIFICATIONS, st.text(max_size=60))
def test_mark_is_read_back(owner: str, name: str, specification: str, display: str) -> None:
    identity = Identity(owner, URN + name)

    assert read_mark(display + identity.mark(specification)) == Mark(identity.hash[:12], specification)


@given(OWNERS, SPECIFICATIONS, st.text(max_size=60).filter(lambda text: read_mark(text) is None))
def test_display_name_comes_back_without_the_mark(owner: str, specification: str, display: str) -> None:
    assert without_mark(display + Identity(owner, URN).mark(specification)) == display


@given(OWNERS, st.from_regex(r"\A[a-z][a-z0-9-]{0,62}\Z"), SPECIFICATIONS)
def test_longest_variant_name_and_its_mark_are_a_display_name(owner: str, variant: str, specification: str) -> None:
    assert len(variant + Identity(owner, URN).mark(specification)) <= DISPLAY_NAME


@pytest.mark.parametrize("text", ["", "stable", "stable [tpuserve abc]", "[tpuserve 0123456789ab-0123456789ab] stable"])
def test_name_without_a_mark(text: str) -> None:
    assert read_mark(text) is None


@given(st.sampled_from(sorted(KINDS)), NAMES, OWNERS)
def test_id_is_one_that_google_takes(token: str, name: str, owner: str) -> None:
    assert catalog.check_resource_id(KINDS[token], named(token, name, owner)) is None


@given(NAMES, OWNERS)
def test_id_is_the_same_at_each_try(name: str, owner: str) -> None:
    assert named(programs.MODEL, name, owner, project="p") == named(programs.MODEL, name, owner, project="p")


@pytest.mark.parametrize(
    "other",
    [
        named(programs.MODEL, "m", "b" * 20, project="p"),
        named(programs.MODEL, "n", "a" * 20, project="p"),
        named(programs.MODEL, "m", "a" * 20, project="q"),
        named(programs.MODEL, "m", "a" * 20, project="p", recreate="1"),
    ],
    ids=["owner", "name", "project", "recreate"],
)
def test_id_differs_by(other: str) -> None:
    assert named(programs.MODEL, "m", "a" * 20, project="p") != other


def test_id_is_the_same_whatever_changes_in_place() -> None:
    first = named(programs.MODEL, "m", "a" * 20, project="p", description="one")

    assert named(programs.MODEL, "m", "a" * 20, project="p", description="two") == first


def test_id_waits_for_what_is_not_known() -> None:
    assert named(programs.MODEL, "m", "a" * 20, project=UNKNOWN) is UNKNOWN


@pytest.mark.parametrize(
    ("name", "begins"),
    [("My Model", "my-model"), ("9lives", "t-9lives"), ("---", "t"), ("ü", "t"), ("a" * 90, "a" * 40)],
)
def test_readable_part(name: str, begins: str) -> None:
    assert readable(name) == begins


@given(st.dictionaries(st.text(max_size=9), st.text(max_size=9), max_size=4), OWNERS)
def test_users_labels_come_back(labels: dict[str, str], owner: str) -> None:
    assert users_labels({**labels, **Identity(owner, URN).labels()}) == users_labels(labels)


@given(st.dictionaries(st.text(max_size=5), st.integers(), max_size=5), st.integers(1, 64))
def test_digest_does_not_depend_on_the_order_of_keys(value: dict[str, int], length: int) -> None:
    assert digest(value, length=length) == digest(dict(reversed(value.items())), length=length)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({}, "no tpuserve-owner label"),
        (Identity("b" * 20, URN).labels(), "the stack with owner id 'bbbbbbbbbbbbbbbbbbbb'"),
        (Identity("a" * 20, URN + "other").labels(), "another resource of this stack"),
    ],
)
def test_whose_it_is(labels: dict[str, str], words: str) -> None:
    assert words in whose(labels, Identity("a" * 20, URN))


SEEN, LATER = {"createTime": "2026-01-01T00:00:00Z"}, {"createTime": "2026-01-02T00:00:00Z"}


@pytest.mark.parametrize(
    ("state", "live", "owner", "labelled", "anothers"),
    [
        (SEEN, SEEN, programs.OWNER, True, False),
        (SEEN, LATER, programs.OWNER, False, True),
        (SEEN, LATER, programs.OWNER, True, False),
        (SEEN, SEEN, programs.OWNER, False, False),
        (SEEN, LATER, "", False, True),
        ({"origin": "urn"}, LATER, programs.OWNER, False, True),
        ({"origin": "urn"}, LATER, programs.OWNER, True, False),
        ({"origin": "urn"}, LATER, "", False, False),
        ({}, LATER, programs.OWNER, False, False),
    ],
    ids=[
        "ours",
        "made again by another hand",
        "made again by this stack",
        "labels taken off by hand",
        "no owner id, of another time",
        "never seen, another's labels",
        "never seen, our labels",
        "never seen, no owner id",
        "an import",
    ],
)
def test_object_of_another_hand(
    state: dict[str, str], live: dict[str, str], owner: str, labelled: bool, anothers: bool
) -> None:
    identity = Identity(owner, "urn")

    assert is_anothers(state, live, identity.labels() if labelled else {}, identity) is anothers


def test_a_claim_without_an_owner_is_nobodys() -> None:
    assert not is_claim_of(Identity("", "urn").claim, "")


def test_a_replacement_has_another_id_even_where_only_a_secret_differs() -> None:
    """No secret enters the hash, so the inputs that force the replacement look alike."""
    definition, urn = LIFECYCLES[programs.ENDPOINT].definition, f"urn:pulumi:s::p::{programs.ENDPOINT}::r"
    inputs = programs.endpoint(project="p", location="us-east5")
    first = object_id(definition, urn, "a" * 20, inputs)

    assert object_id(definition, urn, "a" * 20, inputs, before=first) != first
    assert object_id(definition, urn, "a" * 20, inputs, before="other") == first


@pytest.mark.parametrize(("owner", "told"), [("", True), ("a" * 20, False)])
def test_who_may_not_take_an_object_is_told_of_the_owner_id_where_that_is_what_is_missing(
    owner: str, told: bool
) -> None:
    lifecycle: Any = LIFECYCLES[programs.ENDPOINT]
    call: Any = SimpleNamespace(name="r")

    with pytest.raises(ResourceError) as refused:
        lifecycle.ours_or_error({}, Identity(owner, "urn"), "projects/p/locations/l/endpoints/e", call)

    assert (SET_OWNER in str(refused.value)) == told
