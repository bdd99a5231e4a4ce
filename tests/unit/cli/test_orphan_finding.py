"""What is an orphan, and what is not."""

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.cli.exports import (
    DEPLOYMENT,
    ENDPOINT,
    MODEL,
    OTHER,
    OWNER,
    QUEUED,
    claim,
    creating,
    deployment,
    endpoint,
    entry,
    mark,
    owned,
    read,
    urn,
)
from tpuserve.orphans import Findings, Kind, Name, Orphan, State, orphans

ENDPOINT_ENTRY = entry("tpuserve:vertex:Endpoint", str(ENDPOINT))


def kinds(found: list[Orphan]) -> list[tuple[Kind, str]]:
    return [(orphan.kind, orphan.deployed_model_id) for orphan in found]


def test_an_owned_object_that_no_entry_holds_is_an_orphan() -> None:
    found = orphans(OWNER, State(), Findings(models={MODEL: {"labels": owned()}}))

    assert [(orphan.kind, orphan.name) for orphan in found] == [(Kind.MODEL, MODEL)]


NAMES = st.sets(st.sampled_from([Name("p", "us-east5", "models", letter) for letter in "abcdefgh"]))


@given(there=NAMES, known=NAMES)
def test_the_orphans_are_what_is_owned_less_what_is_known(there: set[Name], known: set[Name]) -> None:
    state = read(*(entry("tpuserve:vertex:Model", str(name)) for name in known))

    found = orphans(OWNER, state, Findings(models={name: {"labels": owned()} for name in there}))

    assert {orphan.name for orphan in found} == there - known


def test_an_owned_object_of_an_entry_is_none() -> None:
    state = read(entry("tpuserve:vertex:Model", str(MODEL)))

    assert not orphans(OWNER, state, Findings(models={MODEL: {"labels": owned()}}))


@given(labels=st.dictionaries(st.sampled_from(["tpuserve-owner", "tpuserve-origin", "team"]), st.text(max_size=20)))
def test_without_this_owners_label_nothing_is_an_orphan(labels: dict[str, str]) -> None:
    item = {"labels": {**labels, "tpuserve-owner": OTHER}}
    node = {"tpu": {"nodeSpec": [{"node": item}]}}
    found = Findings(queued_resources={QUEUED: node}, models={MODEL: item}, endpoints={ENDPOINT: item})

    assert not orphans(OWNER, State(), found)


def test_a_queued_resource_without_labels_is_never_one() -> None:
    assert not orphans(OWNER, State(), Findings(queued_resources={QUEUED: {"tpu": {"nodeSpec": [{"node": {}}]}}}))


def test_a_queued_resource_has_its_owner_on_the_node_it_asks_for() -> None:
    item = {"tpu": {"nodeSpec": [{"node": {"labels": owned()}}]}}

    [found] = orphans(OWNER, State(), Findings(queued_resources={QUEUED: item}))

    assert found.kind is Kind.QUEUED_RESOURCE


def test_a_dead_request_is_told_with_what_it_holds() -> None:
    spec = {"multiNodeParams": {"nodeCount": 3}, "node": {"labels": owned(), "acceleratorType": "v6e-8"}}
    item = {"tpu": {"nodeSpec": [spec]}, "state": {"state": "SUSPENDED"}}

    [found] = orphans(OWNER, State(), Findings(queued_resources={QUEUED: item}))

    assert found.detail == "SUSPENDED, holds 24 chips of v6e (3 slices of v6e-8)"


def test_a_pending_create_goes_with_its_orphan() -> None:
    state = read(pending=(creating("tpuserve:vertex:Model", "m", project="p", location="us-east5", modelId="m"),))

    [found] = orphans(OWNER, state, Findings(models={MODEL: {"labels": owned()}}))

    assert found.pending is not None
    assert found.pending.urn == urn("tpuserve:vertex:Model", "m")


def test_the_order_is_that_of_removal() -> None:
    found = Findings(
        queued_resources={QUEUED: {"tpu": {"nodeSpec": [{"node": {"labels": owned()}}]}}},
        models={MODEL: {"labels": owned()}},
        endpoints=endpoint(owned(), mark()).endpoints,
    )

    order = [orphan.kind for orphan in orphans(OWNER, State(), found)]

    assert order == [Kind.DEPLOYED_MODEL, Kind.ENDPOINT, Kind.MODEL, Kind.QUEUED_RESOURCE]


def test_a_deployed_model_of_an_entry_is_none() -> None:
    assert not orphans(OWNER, read(ENDPOINT_ENTRY, deployment({"stable": "1"})), endpoint(owned(), mark()))


def test_a_deployed_model_that_the_next_update_takes_over_is_none() -> None:
    assert not orphans(OWNER, read(ENDPOINT_ENTRY, deployment({})), endpoint(owned(), mark()))


def test_a_marked_deployed_model_of_no_entry_is_one_on_an_endpoint_of_this_owner() -> None:
    found = orphans(OWNER, read(ENDPOINT_ENTRY, deployment({"stable": "1"})), endpoint(owned(), mark(), mark("gone")))

    assert kinds(found) == [(Kind.DEPLOYED_MODEL, "2")]


def test_an_unmarked_deployed_model_is_none() -> None:
    assert not orphans(OWNER, read(ENDPOINT_ENTRY), endpoint(owned(), ""))


def test_a_mark_on_a_foreign_endpoint_says_nothing_by_itself() -> None:
    assert not orphans(OWNER, State(), endpoint({}, mark()))


def test_a_mark_of_a_pending_create_is_proof_on_any_endpoint() -> None:
    state = read(pending=(creating(DEPLOYMENT, "d", endpoint=str(ENDPOINT)),))

    found = orphans(OWNER, state, endpoint({}, mark()))

    assert kinds(found) == [(Kind.DEPLOYED_MODEL, "1")]
    assert found[0].pending is not None


def test_a_mark_of_a_urn_that_is_given_is_proof_on_any_endpoint() -> None:
    found = orphans(OWNER, State(), endpoint({}, mark("old")), origins=[urn(DEPLOYMENT, "old")])

    assert kinds(found) == [(Kind.DEPLOYED_MODEL, "1")]


def test_what_a_moved_deployment_left_on_its_former_endpoint_is_one() -> None:
    moved = deployment({"stable": "5"})
    moved["id"] = str(Name("p", "us-east5", "endpoints", "new"))

    assert kinds(orphans(OWNER, read(ENDPOINT_ENTRY, moved), endpoint(owned(), mark()))) == [(Kind.DEPLOYED_MODEL, "1")]


def test_what_an_unknown_deployment_claims_on_a_known_endpoint_is_told_and_in_doubt() -> None:
    [found] = orphans(OWNER, read(ENDPOINT_ENTRY), endpoint({**owned(), **claim("x", OTHER)}, mark("x", OTHER)))

    assert found.unproven


def test_what_a_lost_deployment_of_this_owner_claims_is_in_no_doubt() -> None:
    found = orphans(OWNER, read(ENDPOINT_ENTRY), endpoint({**owned(), **claim("lost")}, mark("lost")))

    assert [(orphan.kind, orphan.unproven) for orphan in found] == [(Kind.DEPLOYED_MODEL, False), (Kind.CLAIM, False)]


def test_a_claim_whose_deployment_is_gone_is_one() -> None:
    state = read(ENDPOINT_ENTRY, pending=(creating(DEPLOYMENT, "d", endpoint=str(ENDPOINT)),))

    assert kinds(orphans(OWNER, state, endpoint({**owned(), **claim()}))) == [(Kind.CLAIM, "")]


def test_a_claim_that_goes_with_its_endpoint_is_not_told_apart() -> None:
    state = read(pending=(creating(DEPLOYMENT, "d", endpoint=str(ENDPOINT)),))

    assert kinds(orphans(OWNER, state, endpoint({**owned(), **claim()}))) == [(Kind.ENDPOINT, "")]


def test_the_claim_of_an_entry_is_none() -> None:
    assert not orphans(OWNER, read(ENDPOINT_ENTRY, deployment({})), endpoint({**owned(), **claim()}))


def test_an_endpoint_that_was_handed_over_is_told_with_what_is_on_it_and_in_doubt() -> None:
    """Another stack imported it and serves on it: Google's labels still name the first."""
    found = endpoint(owned() | claim(owner=OTHER), mark(owner=OTHER), traffic={"1": 100})

    assert [orphan.unproven for orphan in orphans(OWNER, read(), found)] == [True, True]
