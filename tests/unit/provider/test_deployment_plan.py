"""Matching, order and shares of a Deployment, for any endpoint (rules 2 and 3 of Deployment)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tpuserve.provider.deployment.deployed_model import Live, Wanted, chips_of
from tpuserve.provider.deployment.plan import Plan, mutation, plan
from tpuserve.provider.deployment.shares import split, taken_from, without
from tpuserve.provider.ownership import Identity

IDENTITY = Identity("a" * 20, "urn:pulumi:s::p::tpuserve:vertex:Deployment::d")
OURS = IDENTITY.hash[:12]
MODEL = "projects/1/locations/us-east5/models/m"
MACHINES = ("ct6e-standard-1t", "ct6e-standard-4t")
NAMES = st.sampled_from(["stable", "canary", "blue", "green"])


def pooled(version: str = "1", pool: str = "r", **own: Any) -> dict[str, Any]:
    pools = "projects/1/locations/us-east5/deploymentResourcePools"
    return {"model": f"{MODEL}@{version}", "sharedResources": f"{pools}/{pool}", **own}


def first(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {**inputs, "strategy": "UNDEPLOY_FIRST"}


def variant(version: str = "1", machine: str = MACHINES[0], replicas: int = 1, **more: Any) -> dict[str, Any]:
    resources = {"machineSpec": {"machineType": machine}, "minReplicaCount": replicas, **more}
    return {"model": f"{MODEL}@{version}", "dedicatedResources": resources}


def wanted(name: str, inputs: Mapping[str, Any]) -> Wanted:
    return Wanted(name, inputs, MODEL, inputs["model"].rpartition("@")[2])


def all_wanted(variants: Mapping[str, Mapping[str, Any]]) -> dict[str, Wanted]:
    return {name: wanted(name, inputs) for name, inputs in variants.items()}


def live(key: str, one: Wanted, share: int = 0, *, mark: str | None = None) -> Live:
    """As Google answers: the maximum filled in, the mark in the display name."""
    given = {name: item for name, item in one.inputs.items() if name in ("dedicatedResources", "sharedResources")}
    if resources := given.get("dedicatedResources"):
        given["dedicatedResources"] = {"maxReplicaCount": resources["minReplicaCount"], **resources}
    name = one.name + (IDENTITY.mark(one.specification) if mark is None else mark)
    return Live({"id": key, "model": MODEL, "modelVersionId": one.version, "displayName": name, **given}, share)


def planned(variants: Mapping[str, Mapping[str, Any]], there: list[Live], recorded: Mapping[str, str]) -> Plan:
    return plan(all_wanted(variants), there, recorded, listed=recorded.values(), hash12=OURS, before={})


VERSION = st.sampled_from(["1", "2", "3"])
BESIDE = st.builds(variant, VERSION, st.sampled_from(MACHINES), st.integers(1, 4)) | st.builds(pooled, VERSION)
VARIANT = BESIDE | BESIDE.map(first)
VARIANTS = st.dictionaries(NAMES, VARIANT, min_size=1, max_size=3)


@st.composite
def endpoints(draw: st.DrawFn) -> tuple[list[Live], dict[str, str]]:
    """Deployed models of ours and of others, and which of ours a state has recorded under which name."""
    there, recorded = [], {}
    for number, (name, inputs) in enumerate(draw(st.lists(st.tuples(NAMES, VARIANT), max_size=5))):
        foreign = draw(st.booleans())
        there.append(live(str(number), wanted(name, inputs), draw(st.integers(0, 100)), mark="" if foreign else None))
        if not foreign and draw(st.booleans()):
            recorded[name] = str(number)
    return there, recorded


def applied(variants: Mapping[str, Mapping[str, Any]], there: list[Live], done: Plan) -> tuple[list[Live], dict]:
    """The endpoint and the state after everything in the plan was done."""
    kept = [item for item in there if item.id not in done.retire]
    ids = dict(done.matched)
    for number, name in enumerate(done.deploy):
        ids[name] = f"9{number}"
        kept.append(live(ids[name], wanted(name, variants[name])))
    by_id = {item.id: item for item in kept}
    for name in {*done.grow, *done.shrink}:
        by_id[ids[name]] = live(ids[name], wanted(name, variants[name]))
    return list(by_id.values()), ids


@given(VARIANTS, endpoints())
def test_applied_plan_leaves_nothing_to_do(variants: dict[str, Any], case: tuple[list[Live], dict[str, str]]) -> None:
    there, recorded = case

    after, ids = applied(variants, there, planned(variants, there, recorded))
    again = planned(variants, after, ids)

    assert (again.deploy, again.retire, again.grow, again.shrink, again.matched) == ([], [], {}, {}, ids)


@given(VARIANTS, endpoints())
def test_matched_models_are_of_the_wanted_specification(
    variants: dict[str, Any], case: tuple[list[Live], dict[str, str]]
) -> None:
    there, recorded = case
    by_id = {item.id: item for item in there}

    done = planned(variants, there, recorded)

    assert all(by_id[key].is_specified(wanted(name, variants[name])) for name, key in done.matched.items())


@given(VARIANTS, endpoints())
def test_no_model_of_others_is_matched_or_retired(
    variants: dict[str, Any], case: tuple[list[Live], dict[str, str]]
) -> None:
    there, recorded = case
    others = {item.id for item in there if not item.has_identity(OURS)}

    done = planned(variants, there, recorded)

    assert others & {*done.matched.values(), *done.retire} == set()


@given(VARIANTS, endpoints())
def test_every_variant_is_matched_or_deployed_and_no_model_twice(
    variants: dict[str, Any], case: tuple[list[Live], dict[str, str]]
) -> None:
    there, recorded = case

    done = planned(variants, there, recorded)

    assert (sorted([*done.matched, *done.deploy]), len(set(done.matched.values()))) == (
        sorted(variants),
        len(done.matched),
    )


@given(VARIANTS, endpoints())
def test_every_model_of_ours_is_matched_or_retired(
    variants: dict[str, Any], case: tuple[list[Live], dict[str, str]]
) -> None:
    there, recorded = case
    ours = {item.id for item in there if item.has_identity(OURS)}

    done = planned(variants, there, recorded)

    assert {*done.matched.values(), *done.retire} == ours


@given(VARIANT)
def test_promoting_under_another_name_deploys_nothing(inputs: dict[str, Any]) -> None:
    there = [live("1", wanted("canary", inputs), 100)]

    done = planned({"stable": inputs}, there, {"canary": "1"})

    assert (done.matched, done.deploy, done.retire) == ({"stable": "1"}, [], [])


@given(VARIANT, VARIANT)
def test_swapped_names_deploy_nothing(one: dict[str, Any], other: dict[str, Any]) -> None:
    there = [live("1", wanted("stable", one), 90), live("2", wanted("canary", other), 10)]

    done = planned({"stable": other, "canary": one}, there, {"stable": "1", "canary": "2"})

    assert (done.deploy, done.retire) == ([], [])


def test_of_two_equal_models_the_one_that_serves_is_matched() -> None:
    one = wanted("stable", variant())

    done = planned({"stable": variant()}, [live("1", one, 0), live("2", one, 100)], {})

    assert (done.matched, done.retire) == ({"stable": "2"}, ["1"])


def test_one_model_under_two_names_in_the_state_serves_one_of_them() -> None:
    there = [live("1", wanted("stable", variant()), 100)]

    done = planned({"stable": variant(), "canary": variant()}, there, {"stable": "1", "canary": "1"})

    assert (done.matched, done.deploy) == ({"canary": "1"}, ["stable"])


def test_id_in_the_state_goes_before_what_serves() -> None:
    one = wanted("stable", variant())

    done = planned({"stable": variant()}, [live("1", one, 0), live("2", one, 100)], {"stable": "1"})

    assert done.matched == {"stable": "1"}


def test_unmarked_model_that_the_state_lists_is_ours() -> None:
    """After an import."""
    there = [live("1", wanted("d1", variant()), 100, mark="")]

    assert planned({"stable": variant()}, there, {"d1": "1"}).matched == {"stable": "1"}


@given(st.integers(1, 5), st.integers(1, 5))
def test_replicas_grow_before_the_shift_and_shrink_after_it(before: int, after: int) -> None:
    assume(before != after)
    there = [live("1", wanted("stable", variant(replicas=before)), 100)]

    done = planned({"stable": variant(replicas=after)}, there, {"stable": "1"})

    assert (list(done.grow), list(done.shrink)) == ((["stable"], []) if after > before else ([], ["stable"]))


def test_what_grows_and_what_shrinks_of_one_variant_go_apart() -> None:
    """A maximum that is cut while the variant still has its requests would take replicas away under them."""
    there = live("1", wanted("stable", variant(replicas=1, maxReplicaCount=10)))

    masks = mutation(variant(replicas=2, maxReplicaCount=4), there, {})

    assert masks == (["dedicatedResources.minReplicaCount"], ["dedicatedResources.maxReplicaCount"])


def test_argument_that_was_given_and_is_not_any_more_goes_back_to_its_default() -> None:
    before = variant(maxReplicaCount=4, requiredReplicaCount=2)

    _, mask = mutation(variant(), live("1", wanted("stable", before)), before)

    assert mask == ["dedicatedResources.maxReplicaCount", "dedicatedResources.requiredReplicaCount"]


def test_default_that_google_filled_in_is_no_change() -> None:
    there = live("1", wanted("stable", variant(autoscalingMetricSpecs=[{"metricName": "cpu", "target": 60}])))

    assert mutation(variant(), there, {}) == ([], [])


@pytest.mark.parametrize(
    ("status", "available"),
    [({}, None), ({"status": {}}, 0), ({"status": {"availableReplicaCount": 2}}, 2), ({"status": {"message": "x"}}, 0)],
)
def test_replicas_that_answer(status: dict[str, Any], available: int | None) -> None:
    assert Live({"id": "1", **status}, 0).available_replicas == available


# --- shares ------------------------------------------------------------------------------------------------------

IDS = st.lists(st.integers(1, 99).map(str), unique=True, min_size=1, max_size=6)


@st.composite
def shares(draw: st.DrawFn) -> dict[str, int]:
    """A split that sums to 100, zeros among it."""
    ids = draw(IDS)
    cuts = sorted(draw(st.lists(st.integers(0, 100), min_size=len(ids) - 1, max_size=len(ids) - 1)))
    edges = [0, *cuts, 100]
    return {key: after - before for key, (before, after) in zip(ids, pairwise(edges), strict=True)}


@given(shares(), st.sets(st.integers(1, 99).map(str)))
def test_split_without_some_sums_to_100_or_is_empty(now: dict[str, int], doomed: set[str]) -> None:
    left = without(doomed, now)

    assert sum(left.values()) in ({0} if not left else {100})


@given(shares(), st.sets(st.integers(1, 99).map(str)))
def test_split_without_some_is_empty_only_where_nobody_else_serves(now: dict[str, int], doomed: set[str]) -> None:
    others = {key for key, share in now.items() if share and key not in doomed}

    assert (without(doomed, now) == {}) == (not others)


@given(shares(), st.sets(st.integers(1, 99).map(str)))
def test_nobody_who_serves_loses_everything_to_rounding(now: dict[str, int], doomed: set[str]) -> None:
    left = without(doomed, now)

    assert all(left[key] >= now[key] for key in left)


@given(shares())
def test_split_without_nobody_is_as_it_was(now: dict[str, int]) -> None:
    assert without([], now) == {key: share for key, share in now.items() if share}


@given(shares())
def test_split_by_variant_name_is_the_split_by_id(given_shares: dict[str, int]) -> None:
    ids = {f"v{key}": key for key in given_shares}
    named = {f"v{key}": share for key, share in given_shares.items()}

    assert split(named, ids, []) == {key: share for key, share in given_shares.items() if share}


def test_only_variant_gets_all() -> None:
    assert split(None, {"stable": "1"}, []) == {"1": 100}


def test_share_of_others_is_kept_by_their_id() -> None:
    there = [live("7", wanted("x", variant()), 10, mark="")]

    assert split({"stable": 90, "7": 10}, {"stable": "1"}, there) == {"1": 90, "7": 10}


@given(endpoints())
def test_requests_of_others_are_taken_only_where_their_id_is_named(case: tuple[list[Live], dict[str, str]]) -> None:
    there, _ = case
    foreign = [item for item in there if not item.has_identity(OURS)]

    taken = taken_from({}, foreign)
    named = taken_from({item.id: 0 for item in foreign}, foreign)

    assert ([item.id for item in taken], named) == ([item.id for item in foreign if item.share], [])


# --- strategies, ids, what a failed deployment left ----------------------------------------------------------------


@given(VARIANTS, endpoints())
def test_only_what_is_retired_goes_before_anything_comes_up(
    variants: dict[str, Any], case: tuple[list[Live], dict[str, str]]
) -> None:
    there, recorded = case

    done = planned(variants, there, recorded)

    early = [*done.first.values(), *done.spare]
    assert (set(early) <= set(done.retire), len(set(early))) == (True, len(early))


@given(VARIANTS, endpoints())
def test_only_variants_that_say_so_are_undeployed_first(
    variants: dict[str, Any], case: tuple[list[Live], dict[str, str]]
) -> None:
    there, recorded = case

    done = planned(variants, there, recorded)

    say = {name for name, given_inputs in variants.items() if given_inputs.get("strategy") == "UNDEPLOY_FIRST"}
    assert set(done.first) <= say & set(done.deploy)


@given(VARIANTS, endpoints())
def test_what_serves_goes_early_only_for_the_variant_that_it_was(
    variants: dict[str, Any], case: tuple[list[Live], dict[str, str]]
) -> None:
    there, recorded = case
    serving = {item.id for item in there if item.share}

    done = planned(variants, there, recorded)

    assert serving & set(done.spare) == set()
    assert all(recorded[name] == key for name, key in done.first.items())


@given(endpoints())
def test_paused_everything_of_ours_is_retired_and_nothing_else(case: tuple[list[Live], dict[str, str]]) -> None:
    there, recorded = case

    done = planned({}, there, recorded)

    ours = [item.id for item in there if item.has_identity(OURS)]
    assert (done.retire, done.deploy, done.first, done.spare) == (sorted(ours), [], {}, [])


@given(VARIANT)
def test_strategy_and_protection_change_nothing_at_google(inputs: dict[str, Any]) -> None:
    there = [live("1", wanted("stable", inputs), 100)]
    other = {**inputs, "strategy": "BESIDE", "deletionProtection": True}

    done = planned({"stable": other}, there, {"stable": "1"})

    assert (done.matched, done.grow, done.shrink) == ({"stable": "1"}, {}, {})


@given(VARIANT)
def test_what_a_failed_deployment_left_is_retired(inputs: dict[str, Any]) -> None:
    left = live("1", wanted("stable", inputs))
    failed = Live({**left.data, "status": {"message": "the container died"}}, 0)

    done = planned({"stable": inputs}, [failed], {})

    assert (done.deploy, done.retire) == (["stable"], ["1"])


@given(VARIANT, st.sampled_from([("the container died", 1, 0), ("", 0, 0), ("restarting", 0, 50)]))
def test_what_answers_or_serves_has_not_failed(inputs: dict[str, Any], case: tuple[str, int, int]) -> None:
    message, replicas, share = case
    item = live("1", wanted("stable", inputs))
    status = {"message": message, "availableReplicaCount": replicas}

    assert not Live({**item.data, "status": status}, share).has_failed


@given(VARIANT)
def test_unmarked_model_is_taken_over_by_its_id_alone(inputs: dict[str, Any]) -> None:
    there = [live("7", wanted("stable", inputs), 100, mark="")]

    assert planned({"stable": {**inputs, "id": "7"}}, there, {}).matched == {"stable": "7"}
    assert planned({"stable": inputs}, there, {}).matched == {}


@given(VARIANT)
def test_model_with_anothers_mark_is_never_taken_over(inputs: dict[str, Any]) -> None:
    other = Identity("b" * 20, IDENTITY.origin)
    one = wanted("stable", inputs)
    there = [live("7", one, 100, mark=other.mark(one.specification))]

    done = planned({"stable": {**inputs, "id": "7"}}, there, {})

    assert (done.matched, done.retire) == ({}, [])


@given(VARIANT)
def test_id_that_is_given_goes_before_the_one_in_the_state(inputs: dict[str, Any]) -> None:
    one = wanted("stable", inputs)
    there = [live("1", one, 100), live("2", one)]

    done = planned({"stable": {**inputs, "id": "2"}}, there, {"stable": "1"})

    assert (done.matched, done.retire) == ({"stable": "2"}, ["1"])


@given(VARIANT)
def test_variant_with_an_id_leaves_the_others_theirs(inputs: dict[str, Any]) -> None:
    one = wanted("stable", inputs)
    there = [live("1", one), live("2", one)]

    done = planned({"aaa": inputs, "zzz": {**inputs, "id": "1"}}, there, {})

    assert done.matched == {"aaa": "2", "zzz": "1"}


def test_project_of_a_pool_has_two_spellings() -> None:
    by_number = pooled()
    by_id = {**by_number, "sharedResources": by_number["sharedResources"].replace("projects/1/", "projects/p/")}

    assert wanted("a", by_number).specification == wanted("a", by_id).specification


def test_topology_of_one_host_is_as_left_out() -> None:
    given_own = variant(machineSpec={"machineType": MACHINES[0], "tpuTopology": "1x1"})

    assert wanted("a", given_own).specification == wanted("a", variant()).specification


@pytest.mark.parametrize(
    ("inputs", "chips"),
    [
        (variant(machine="ct6e-standard-4t", replicas=2), 8),
        (variant(machine="ct6e-standard-4t", replicas=1, maxReplicaCount=3), 12),
        (variant(machineSpec={"machineType": "ct6e-standard-4t", "tpuTopology": "4x4"}, replicas=2), 32),
        (pooled(), 0),
    ],
)
def test_chips_are_those_of_the_replicas_at_most(inputs: dict[str, Any], chips: int) -> None:
    assert chips_of(inputs) == chips
