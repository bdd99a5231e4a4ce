"""Family collections-gke: node pools that are labelled as a collection are one."""

from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pulumi_policy import PolicyResource
from pulumi_policy.proxy import UNKNOWN_BOOLEAN_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies.collections_gke import FAMILY  # pyright: ignore[reportMissingImports]

from tests.policies.packs import declared, stack_violations
from tpuserve.declared.tokens import NODE_POOL

RULE, TWIN = FAMILY.policies()
GROUP, WORKLOAD = "cloud.google.com/gke-nodepool-group-name", "cloud.google.com/gke-workload-type"
LABELS = {GROUP: "digits", WORKLOAD: "HIGH_AVAILABILITY"}
AT = "nodeConfig.labels"


def pool(
    name: Any = "a", labels: Any = None, machine: Any = "ct6e-standard-4t", topology: Any = "4x4", **more: Any
) -> PolicyResource:
    """A node pool of the collection `digits`; further arguments are those of `nodeConfig`."""
    placement = {"type": "COMPACT", "tpuTopology": topology}
    config = {"machineType": machine, "labels": LABELS if labels is None else labels, **more}
    return declared(NODE_POOL, name, {"cluster": "c", "nodeConfig": config, "placementPolicy": placement})


def single(name: str, cluster: Any = "c", **more: Any) -> PolicyResource:
    """A node pool of single hosts."""
    config = {"machineType": "ct6e-standard-8t", "labels": LABELS}
    return declared(NODE_POOL, name, {"cluster": cluster, "nodeConfig": config, "nodeCount": 3, **more})


def paths(policy: Any, *pools: PolicyResource) -> list[tuple[str, str]]:
    """Who is blamed, and for which value."""
    found = stack_violations(policy, *pools)
    return [(name, message.partition(": ")[0].partition(" is not known")[0]) for name, message in found]


@pytest.mark.parametrize(
    "pools",
    [
        [pool("a"), pool("b")],
        [single("a")],
        [pool("a"), pool("b", labels={**LABELS, GROUP: "letters"}, topology="2x4")],
        [single("a"), single("b", cluster="other")],
        [pool(labels={}, machine="ct5lp-hightpu-4t", spot=True)],
        [pool(labels={"workload-type": "batch"}, machine="n2-standard-4")],
        [pool(labels=UNKNOWN_OBJECT_VALUE, machine="n2-standard-4")],
        [declared("gcp:container/cluster:Cluster", "c", {"nodeConfig": {"labels": {GROUP: "digits"}}})],
    ],
)
def test_a_collection_that_may_be_one_passes(pools: list[PolicyResource]) -> None:
    assert (stack_violations(RULE, *pools), stack_violations(TWIN, *pools)) == ([], [])


@pytest.mark.parametrize("missing", LABELS)
def test_both_labels_are_needed(missing: str) -> None:
    labels = {key: value for key, value in LABELS.items() if key != missing}

    assert paths(RULE, pool(labels=labels)) == [("a", f"{AT}.{missing}")]


@pytest.mark.parametrize(
    ("spelled", "right"),
    [
        ("cloud.google.com/gke-node-pool-group-name", GROUP),
        ("cloud.google.com/gke-nodepool-group", GROUP),
        ("gke-nodepool-group-name", GROUP),
        ("cloud.google.com/gke-workload_type", WORKLOAD),
        ("cloud.google.com/workload-type", WORKLOAD),
    ],
)
def test_another_spelling_of_a_label_is_refused_with_the_right_one(spelled: str, right: str) -> None:
    labels = {spelled if key == right else key: value for key, value in LABELS.items()}

    assert stack_violations(RULE, pool(labels=labels)) == [
        ("a", f"{AT}.{spelled}: is no label of collections; spell it {right}")
    ]


@pytest.mark.parametrize("value", ["HIGH-AVAILABILITY", "high_availability", "AVAILABILITY_OPTIMIZED"])
def test_another_workload_type_is_refused_with_the_right_one(value: str) -> None:
    [(_, message)] = stack_violations(RULE, pool(labels=LABELS | {WORKLOAD: value}))

    assert message == f"{AT}.{WORKLOAD}: {value!r} is not the workload type of a collection; use HIGH_AVAILABILITY"


@pytest.mark.parametrize("machine", ["ct5lp-hightpu-4t", "tpu7x-standard-4t", "n2-standard-4", None])
def test_a_collection_is_of_trillium(machine: str | None) -> None:
    assert paths(RULE, pool(machine=machine)) == [("a", "nodeConfig.machineType")]


@pytest.mark.parametrize("tier", ["spot", "preemptible"])
def test_a_collection_is_not_of_capacity_that_is_taken_back(tier: str) -> None:
    assert (paths(RULE, pool(**{tier: True})), paths(RULE, pool(**{tier: False}))) == (
        [("a", f"nodeConfig.{tier}")],
        [],
    )


def versions(*given: str | None) -> list[PolicyResource]:
    """Pools of one collection with these versions."""
    config = {"machineType": "ct6e-standard-4t", "labels": LABELS}
    placement = {"tpuTopology": "4x4"}
    return [
        declared(NODE_POOL, f"p{index}", {"nodeConfig": config, "placementPolicy": placement, "version": version})
        for index, version in enumerate(given)
    ]


@pytest.mark.parametrize(
    ("pools", "blamed"),
    [
        ([pool("a"), pool("b", topology="4x8"), pool("c")], ("b", "placementPolicy.tpuTopology")),
        ([pool("a"), single("b"), pool("c")], ("b", "nodeConfig.machineType")),
        (versions("1.34", "1.34", "1.35"), ("p2", "version")),
    ],
)
def test_the_pool_that_is_unlike_the_others_is_blamed(pools: list[PolicyResource], blamed: tuple[str, str]) -> None:
    assert paths(RULE, *pools)[0] == blamed


def test_the_others_are_named() -> None:
    [(_, message)] = stack_violations(RULE, pool("a"), pool("b", topology="4x8"), pool("c"))

    assert message == (
        "placementPolicy.tpuTopology: '4x8' as topology is not that of the other node pools of collection 'digits' "
        "(a and c: '4x4'); give all the same"
    )


def test_a_version_that_is_left_out_is_like_any() -> None:
    assert paths(RULE, *versions("1.34", None, "1.34")) == []


def test_single_hosts_are_one_pool() -> None:
    assert paths(RULE, single("a"), single("b")) == [("a", f"{AT}.{GROUP}"), ("b", f"{AT}.{GROUP}")]


def test_two_pools_of_one_name_are_told_apart() -> None:
    inner = declared(f"my:Group${NODE_POOL}", "a", {})
    twin = PolicyResource(NODE_POOL, pool(topology="4x8").props, inner.urn, "a", inner.opts, None, None, [], {})

    assert len(paths(RULE, pool("a"), twin, pool("b"))) == 1


def test_clusters_that_are_not_known_yet_are_told_apart_by_where_they_come_from() -> None:
    first, other = (declared("gcp:container/cluster:Cluster", name, {}) for name in "xy")
    given = dict(single("a", UNKNOWN_STRING_VALUE).props["__target"])
    pools = [declared(NODE_POOL, name, given, cluster=source) for name, source in (("a", first), ("b", other))]

    assert paths(RULE, *pools) == []


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (pool(labels=UNKNOWN_OBJECT_VALUE), AT),
        (pool(labels=LABELS | {WORKLOAD: UNKNOWN_STRING_VALUE}), f"{AT}.{WORKLOAD}"),
        (pool(labels=LABELS | {GROUP: UNKNOWN_STRING_VALUE}), f"{AT}.{GROUP}"),
        (pool(machine=UNKNOWN_STRING_VALUE), "nodeConfig.machineType"),
        (pool(spot=UNKNOWN_BOOLEAN_VALUE), "nodeConfig.spot"),
        (pool(topology=UNKNOWN_STRING_VALUE), "placementPolicy.tpuTopology"),
    ],
)
def test_an_unknown_is_named_by_the_twin_alone(given: PolicyResource, path: str) -> None:
    assert (paths(RULE, given, pool("b")), paths(TWIN, given, pool("b"))) == ([], [("a", path)])


@st.composite
def pools(draw: st.DrawFn) -> list[PolicyResource]:
    """Node pools of one or two collections that agree more or less."""
    labels = st.dictionaries(st.sampled_from([*LABELS, "own"]), st.sampled_from(["digits", "HIGH_AVAILABILITY"]))
    given = st.tuples(
        labels | st.just(LABELS),
        st.sampled_from(["ct6e-standard-4t", "ct6e-standard-8t", UNKNOWN_STRING_VALUE]),
        st.sampled_from(["4x4", "4x8", None, UNKNOWN_STRING_VALUE]),
    )
    return [pool(f"p{index}", *each) for index, each in enumerate(draw(st.lists(given, max_size=6)))]


@settings(max_examples=60)
@given(pools(), st.randoms(use_true_random=False))
def test_the_answer_is_the_same_for_any_order(found: list[PolicyResource], random: Any) -> None:
    shuffled = random.sample(found, len(found))

    assert [stack_violations(each, *shuffled) for each in (RULE, TWIN)] == [
        stack_violations(each, *found) for each in (RULE, TWIN)
    ]


@pytest.mark.parametrize("name", ["nodeConfig", "placementPolicy", "machineType", "tpuTopology"])
def test_names_of_several_words_are_those_of_the_bridged_provider(name: str) -> None:
    assert f'name="{name}"' in source()


@pytest.mark.parametrize("name", ["spot", "preemptible", "labels", "version", "cluster"])
def test_names_of_one_word_are_those_of_the_bridged_provider(name: str) -> None:
    assert f"def {name}(self)" in source()


def source() -> str:
    """The sources of node pools in the bridged provider."""
    folder = Path(str(distribution("pulumi-gcp").locate_file("pulumi_gcp/container")))
    return "".join((folder / name).read_text() for name in ("_inputs.py", "node_pool.py"))


def test_the_token_is_in_the_bridged_provider() -> None:
    assert f"'{NODE_POOL}'" in source()
