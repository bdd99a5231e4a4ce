"""What becomes of each resource, and why."""

import pytest

from tests.report.streams import (
    DEPLOYMENT,
    ENDPOINT,
    MODEL,
    QUEUED,
    SECRET,
    UNKNOWN,
    deployment,
    found,
    replaced,
    slices,
    step,
    told,
)
from tpuserve.report.plan import ADOPTED, FORCED, LEFT
from tpuserve.report.values import HIDDEN, LATER, Shown, steps

NAME = {"displayName": "web"}


def known(text: str) -> Shown:
    return Shown("known", text)


@pytest.mark.parametrize("operation", ["create", "import", "update", "delete"])
def test_a_step_is_its_action(operation: str) -> None:
    old, new = None if operation in ("create", "import") else NAME, None if operation == "delete" else NAME

    [change] = told(step(operation, old=old, new=new)).changes

    assert (change.name, change.type, change.action) == ("web", ENDPOINT, operation)


def test_what_stays_as_it_is_is_no_change() -> None:
    assert told(step("same", old=NAME, new=NAME)).changes == ()


@pytest.mark.parametrize(("protects", "words"), [(True, ("false", "true")), (False, ("true", "false"))])
@pytest.mark.parametrize("operation", ["same", "update"])
def test_protection_that_comes_or_goes_is_a_change(operation: str, protects: bool, words: tuple[str, str]) -> None:
    begun = step(operation, old=NAME, new=NAME)
    for side, protect in (("old", not protects), ("new", protects)):
        begun["resourcePreEvent"]["metadata"][side] |= {"protect": protect}

    [change] = told(begun).changes

    assert change.action == "update"
    assert [(each.path, each.old, each.new) for each in change.differences] == [("protect", *map(known, words))]


def test_a_refresh_that_finds_what_the_state_says_is_dropped() -> None:
    report = told(found(ENDPOINT, "web", NAME, NAME), step("same", old=NAME, new=NAME))

    assert (report.drift, report.code) == ((), 0)


@pytest.mark.parametrize("operation", ["delete", "delete-replaced"])
def test_what_an_earlier_replacement_left_is_told_to_be_deleted(operation: str) -> None:
    report = told(step("same", QUEUED, "c", slices(2), slices(2)), step(operation, QUEUED, "c", slices(4)))

    assert [(each.action, each.why) for each in report.changes] == [("delete", LEFT)]
    assert report.verdict.sentence == "prod: 1 delete"


def test_an_update_of_which_the_provider_names_no_property_has_those_that_differ() -> None:
    [change] = told(step("update", "acme:x:Y", "y", {"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 1})).changes

    assert [(each.path, each.old.text, each.new.text) for each in change.differences] == [
        ("a", "1", "2"),
        ("c", "1", ""),
    ]


@pytest.mark.parametrize("first", ["delete", "create"])
def test_a_replacement_says_which_half_comes_first(first: str) -> None:
    [change] = told(
        *replaced(first, ENDPOINT, "web", {"network": "a"}, {"network": "b"}, diff={"network": "update-replace"})
    ).changes

    assert (change.action, change.order) == ("replace", f"{first} first")


def test_a_replacement_names_the_property_for_which_no_update_exists() -> None:
    old, new = slices(2), slices(3)
    path = "tpu.nodeSpec[0].multiNodeParams.nodeCount"

    [change] = told(*replaced("delete", QUEUED, "c", old, new, diff={path: "update-replace"})).changes

    assert change.why == f"no update exists for {path}"
    assert [(each.old, each.new, each.replaces) for each in change.differences] == [(known("2"), known("3"), True)]


def test_of_a_resource_of_others_the_provider_is_named() -> None:
    kind = "gcp:tpu/v2Vm:V2Vm"

    [change] = told(
        *replaced("create", kind, "vm", {"zone": "a"}, {"zone": "b"}, diff={"zone": "update-replace"})
    ).changes

    assert change.why == "the provider replaces it for zone"


@pytest.mark.parametrize(("kind", "why"), [(MODEL, ADOPTED), ("gcp:storage/bucket:Bucket", FORCED)])
def test_a_replacement_that_no_property_asks_for_says_so(kind: str, why: str) -> None:
    [change] = told(*replaced("create", kind, "m", NAME, NAME, diff={})).changes

    assert change.why == why


@pytest.mark.parametrize("first", ["delete", "create"])
def test_a_forced_replacement_of_slices_gives_none_up(first: str) -> None:
    report = told(*replaced(first, QUEUED, "c", slices(2), slices(2), diff={}))

    assert report.verdict.sentence == "prod: 1 replacement"
    assert [each.peak.chips for each in report.capacity] == [16]


def test_an_id_that_follows_from_the_others_is_left_out() -> None:
    old, new = slices(2, queuedResourceId="c-0123456789"), slices(3, queuedResourceId="c-9876543210")
    paths = ("queuedResourceId", "tpu.nodeSpec[0].multiNodeParams.nodeCount")

    [change] = told(*replaced("delete", QUEUED, "c", old, new, diff=dict.fromkeys(paths, "update-replace"))).changes

    assert [each.path for each in change.differences] == [paths[1]]


def test_an_id_that_the_program_gives_is_shown() -> None:
    old, new = {"endpointId": "a", "network": "x"}, {"endpointId": "b", "network": "y"}
    diff: dict[str, str] = dict.fromkeys(("endpointId", "network"), "update-replace")

    [change] = told(*replaced("create", ENDPOINT, "web", old, new, diff=diff)).changes

    assert [each.path for each in change.differences] == ["endpointId", "network"]


@pytest.mark.parametrize(
    ("kind", "path", "effect"),
    [
        (MODEL, "containerSpec.imageUri", "uploads a new version of the model"),
        (MODEL, "labels.team", "changes in place"),
        (DEPLOYMENT, "deployedModels.stable.model", "deploys the variant anew, beside the running one"),
        (DEPLOYMENT, "deployedModels.stable.dedicatedResources.minReplicaCount", "changes in place"),
        (DEPLOYMENT, "deployedModels.next", "a variant comes or goes"),
        ("gcp:storage/bucket:Bucket", "labels", ""),
        (MODEL, "nothing.that.there.is", ""),
    ],
)
def test_an_update_says_what_each_change_does(kind: str, path: str, effect: str) -> None:
    [change] = told(step("update", kind, "x", {}, {}, diff={path: "update"})).changes

    assert [each.effect for each in change.differences] == [effect]


def test_secrets_are_said_to_be_and_not_told() -> None:
    [change] = told(step("update", old={"a": SECRET}, new={"a": SECRET}, diff={"a": "update"})).changes

    assert [(each.old, each.new) for each in change.differences] == [(HIDDEN, HIDDEN)]


def test_a_secret_within_a_value_is_not_told() -> None:
    [change] = told(step("create", new={"env": [{"name": "T", "value": SECRET}]})).changes

    assert change.differences[0].new == known('[{"name": "T", "value": "[secret]"}]')


def test_below_a_secret_everything_is_secret() -> None:
    [change] = told(step("update", old={"a": SECRET}, new={"a": SECRET}, diff={"a.b[0].c": "update"})).changes

    assert change.differences[0].new == HIDDEN


def test_an_unknown_is_said_to_be_known_later() -> None:
    [change] = told(step("update", old={"a": "x"}, new={"a": UNKNOWN}, diff={"a": "update"})).changes

    assert [(each.old, each.new) for each in change.differences] == [(known("x"), LATER)]


def test_what_is_added_or_taken_out_is_absent_on_one_side() -> None:
    [change] = told(step("update", old={"a": "x"}, new={"b": "y"}, diff={"a": "delete", "b": "add"})).changes

    assert [(each.old.kind, each.new.kind) for each in change.differences] == [("known", "absent"), ("absent", "known")]


def test_drift_is_told_apart_from_intent() -> None:
    report = told(
        found(ENDPOINT, "web", NAME, {**NAME, "description": "by hand"}, description="add"),
        step("update", old={**NAME, "description": "by hand"}, new=NAME, diff={"description": "delete"}),
    )

    assert [(each.name, each.is_gone) for each in report.drift] == [("web", False)]
    assert report.drift[0].differences[0].new == known("by hand")
    assert [each.action for each in report.changes] == ["update"]


def test_what_a_refresh_does_not_find_is_gone() -> None:
    report = told(found(ENDPOINT, "web", NAME, None), step("create", new=NAME))

    assert [each.is_gone for each in report.drift] == [True]


def test_more_than_half_of_a_kind_that_is_gone_blocks() -> None:
    names = ("a", "b", "c")
    refreshes = [found(ENDPOINT, name, NAME, None if name != "c" else NAME) for name in names]

    report = told(*refreshes, step("same", name="c", old=NAME, new=NAME))

    assert report.code == 1
    assert report.verdict.reasons[0].startswith(f"2 of 3 of {ENDPOINT} are gone")


def test_a_stack_with_one_of_each_kind_blocks_where_most_is_gone() -> None:
    gone = [found(kind, "web", {"a": "x"}, None) for kind in (ENDPOINT, MODEL)]
    report = told(*gone, step("same", QUEUED, "c", slices(2), slices(2)))

    assert report.verdict.reasons == (
        "2 of 3 resources are gone: look at project, permissions and who deleted them first",
    )


def test_one_resource_that_is_gone_does_not_block() -> None:
    assert told(found(ENDPOINT, "web", {"a": "x"}, None)).verdict.outcome == "changes"


def test_half_of_a_kind_that_is_gone_does_not_block() -> None:
    refreshes = [found(ENDPOINT, name, NAME, None if name in "ab" else NAME) for name in "abcd"]

    assert told(*refreshes, *(step("same", name=name, old=NAME, new=NAME) for name in "cd")).code == 2


def test_the_slices_that_are_deleted_first_are_an_outage() -> None:
    [change] = told(*replaced("delete", QUEUED, "c", slices(2), slices(3), diff={"tpu": "update-replace"})).changes

    assert change.outage.startswith("the slices are given up first")


def test_what_is_created_first_is_none() -> None:
    [change] = told(*replaced("create", QUEUED, "c", slices(2), slices(3), diff={"tpu": "update-replace"})).changes

    assert change.outage == ""


def test_a_variant_that_alone_serves_and_is_undeployed_first_is_an_outage() -> None:
    old, new = ({"stable": {"strategy": "UNDEPLOY_FIRST", "model": model}} for model in ("a", "b"))

    [change] = told(step("update", DEPLOYMENT, "d", deployment(**old), deployment(**new), diff={"x": "update"})).changes

    assert change.outage == "nothing serves while stable is deployed anew"


def test_a_deployment_that_is_paused_is_an_outage() -> None:
    [change] = told(
        step("update", DEPLOYMENT, "d", deployment(stable=1), deployment(None, True, stable=1), diff={"paused": "add"})
    ).changes

    assert change.outage == "is paused: nothing is deployed"


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("a.b", ["a", "b"]),
        ("a[0].b", ["a", 0, "b"]),
        ('labels["a.b"]', ["labels", "a.b"]),
        ('["a.b"].c', ["a.b", "c"]),
    ],
)
def test_paths_are_read_in_the_notation_of_the_engine(path: str, parts: list[str | int]) -> None:
    assert steps(path) == parts


def test_components_are_no_changes_of_their_own_in_the_verdict() -> None:
    component = step("create", "tpuserve:components:ServingModel", "m", new={})
    component["resourcePreEvent"]["metadata"]["new"]["custom"] = False

    assert told(component, step("create", new=NAME)).verdict.sentence == "prod: 1 create"


def test_components_alone_are_still_changes() -> None:
    component = step("create", "tpuserve:components:ServingModel", "m", new={})
    component["resourcePreEvent"]["metadata"]["new"]["custom"] = False

    assert told(component).code == 2
