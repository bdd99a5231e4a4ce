"""Family production: what a stack that users depend on must have."""

from datetime import date
from functools import partial
from typing import Any

import pytest
from pulumi_policy.policy import PolicyCustomTimeouts, PolicyResourceOptions
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE, unknown_checking_proxy
from tpuserve.policies.family import Resource, Unchecked, Violated  # pyright: ignore[reportMissingImports]
from tpuserve.policies.production import FAMILY, RULES, labelled, production  # pyright: ignore[reportMissingImports]

from tests.policies.packs import violations
from tpuserve.declared.tokens import DEPLOYMENT, ENDPOINT, MODEL, QUEUED, RAW_ENDPOINT, RAW_GARDEN, RAW_QUEUED, RAW_VM

KEY = {"kmsKeyName": "projects/acme/locations/us-east5/keyRings/r/cryptoKeys/k"}
ACCOUNT = "serving@acme.iam.gserviceaccount.com"
OPTIONS = PolicyResourceOptions(True, [], None, [], PolicyCustomTimeouts(0, 0, 0), [])
TODAY = date(2026, 12, 1)


def variant(**more: Any) -> dict[str, Any]:
    machines = {"machineSpec": {"machineType": "ct6e-standard-1t"}, "minReplicaCount": 2, "maxReplicaCount": 2, **more}
    return {"dedicatedResources": machines, "serviceAccount": ACCOUNT}


def deployment(**more: Any) -> dict[str, Any]:
    return {"deployedModels": {"a": variant(**more)}}


def slices(count: int = 2, **node: Any) -> dict[str, Any]:
    own = {"serviceAccount": {"email": ACCOUNT}, "bootDiskConfig": {"customerEncryptionKey": KEY}, **node}
    return {"tpu": {"nodeSpec": [{"node": own, "multiNodeParams": {"nodeCount": count}}]}}


def raw_slice(**node: Any) -> dict[str, Any]:
    return {"tpu": {"nodeSpecs": [{"node": node}]}}


def endpoint(**more: Any) -> dict[str, Any]:
    return {"encryptionSpec": KEY, "predictRequestResponseLoggingConfig": {"enabled": True}, **more}


def answers(
    token: str,
    given: dict[str, Any],
    config: dict[str, Any] | None = None,
    provider: dict[str, Any] | None = None,
    **options: Any,
) -> list[Any]:
    settings = None if provider is None else unknown_checking_proxy(provider)
    urn, shown = f"urn:pulumi:s::p::{token}::digits", _options(**options)
    resource = Resource(token, "digits", urn, unknown_checking_proxy(given), shown, provider=settings)
    return list(production(resource, {"enforced": True, **(config or {})}, lambda: TODAY) or ())


def _options(protect: bool = True, ignore_changes: tuple[str, ...] = ()) -> PolicyResourceOptions:
    return PolicyResourceOptions(protect, list(ignore_changes), None, [], PolicyCustomTimeouts(0, 0, 0), [])


def paths(found: list[Any], kind: type = Violated) -> list[str]:
    return [each.path for each in found if isinstance(each, kind)]


GOOD = [
    (DEPLOYMENT, deployment()),
    (QUEUED, slices()),
    (ENDPOINT, endpoint()),
    (RAW_ENDPOINT, endpoint()),
    (MODEL, {"encryptionSpec": KEY}),
    (RAW_VM, {"serviceAccount": {"email": ACCOUNT}, "networkConfigs": [{"enableExternalIps": False}]}),
    (RAW_QUEUED, raw_slice(networkConfig={"network": "default"})),
    (RAW_GARDEN, {"deployConfig": variant()}),
]


@pytest.mark.parametrize(("token", "given"), GOOD)
def test_what_has_it_all_passes(token: str, given: dict[str, Any]) -> None:
    assert paths(answers(token, given)) == paths(answers(token, given), Unchecked) == []


BAD = [
    ("replicas", DEPLOYMENT, deployment(minReplicaCount=1, maxReplicaCount=1)),
    ("replicas", QUEUED, slices(1)),
    ("service-account", DEPLOYMENT, {"deployedModels": {"a": {**variant(), "serviceAccount": None}}}),
    ("service-account", QUEUED, slices(serviceAccount=None)),
    ("service-account", RAW_VM, {}),
    (
        "external-addresses",
        RAW_VM,
        {"serviceAccount": {"email": ACCOUNT}, "networkConfigs": [{"enableExternalIps": True}]},
    ),
    ("external-addresses", RAW_QUEUED, raw_slice(networkConfig={"enableExternalIps": True})),
    ("replicas", RAW_GARDEN, {"deployConfig": variant(minReplicaCount=1, maxReplicaCount=1)}),
    ("spot", RAW_GARDEN, {"deployConfig": variant(spot=True)}),
    ("external-addresses", QUEUED, slices(networkConfig={"enableExternalIps": True})),
    ("encryption", QUEUED, slices(bootDiskConfig=None)),
    ("encryption", ENDPOINT, endpoint(encryptionSpec=None)),
    ("encryption", RAW_ENDPOINT, endpoint(encryptionSpec=None)),
    ("encryption", MODEL, {}),
    ("logging", ENDPOINT, endpoint(predictRequestResponseLoggingConfig={"enabled": False})),
    ("autoscaling", DEPLOYMENT, deployment(maxReplicaCount=4)),
    ("spot", DEPLOYMENT, deployment(spot=True)),
    ("spot", QUEUED, {**slices(), "spot": {}}),
    ("spot", QUEUED, {**slices(), "bestEffort": {}}),
    ("spot", QUEUED, {**slices(), "provisioningModel": "FLEX_START"}),
    ("spot", QUEUED, {**slices(), "runDuration": {"maxRunDuration": "3600s"}}),
    ("spot", RAW_VM, {"serviceAccount": {"email": ACCOUNT}, "schedulingConfig": {"preemptible": True}}),
]


@pytest.mark.parametrize(("rule", "token", "given"), BAD)
def test_each_rule_has_its_violation_and_can_be_left_out(rule: str, token: str, given: dict[str, Any]) -> None:
    assert len(paths(answers(token, given))) == 1
    assert paths(answers(token, given, {"except": [rule]})) == []


def test_nothing_holds_where_it_is_not_enforced() -> None:
    assert violations(FAMILY.policies()[0], ENDPOINT, {}) == []


def test_what_is_not_protected() -> None:
    assert paths(answers(ENDPOINT, endpoint(), protect=False)) == ["protect"]


def test_variants_that_are_protected_need_no_option() -> None:
    given = {"deployedModels": {"a": {**variant(), "deletionProtection": True}}}

    assert paths(answers(DEPLOYMENT, given, protect=False)) == []


def test_a_metric_of_its_own_passes() -> None:
    assert paths(answers(DEPLOYMENT, deployment(maxReplicaCount=4, autoscalingMetricSpecs=[{"metricName": "m"}]))) == []


@pytest.mark.parametrize(("labels", "count"), [({}, 1), ({"env": "dev"}, 1), ({"env": "prod"}, 0)])
def test_labels_of_the_stack(labels: dict[str, str], count: int) -> None:
    assert len(paths(answers(ENDPOINT, endpoint(labels=labels), {"labels": {"env": "prod"}}))) == count


def test_a_label_of_any_value() -> None:
    assert paths(answers(ENDPOINT, endpoint(labels={"env": "x"}), {"labels": {"env": ""}})) == []


@pytest.mark.parametrize("path", ["trafficSplit", "trafficSplit.a", 'trafficSplit["a"]', '["trafficSplit"]', "*"])
def test_a_split_is_handed_over_at_any_path_of_its_own(path: str) -> None:
    assert paths(answers(DEPLOYMENT, deployment(), ignore_changes=(path,))) == ["trafficSplit"]


@pytest.mark.parametrize(
    ("token", "given", "path"),
    [(MODEL, {"encryptionSpec": KEY}, "*"), (DEPLOYMENT, deployment(), "trafficSplitter"), (QUEUED, slices(), "*")],
)
def test_what_is_no_split_is_not_handed_over(token: str, given: dict[str, Any], path: str) -> None:
    assert paths(answers(token, given, ignore_changes=(path,))) == []


SPLIT: dict[str, Any] = {"ignore_changes": ["trafficSplit"]}


@pytest.mark.parametrize(
    ("until", "count"), [(None, 1), ("2026-11-30", 1), ("2026-12-01", 0)], ids=["none", "over", "last day"]
)
def test_a_split_that_is_handed_over_has_a_last_day(until: str | None, count: int) -> None:
    config = {"handedOver": {"digits": {"until": until}}} if until else {}

    assert len(paths(answers(DEPLOYMENT, deployment(), config, **SPLIT))) == count


@pytest.mark.parametrize(
    ("token", "given", "path"),
    [
        (ENDPOINT, endpoint(encryptionSpec={"kmsKeyName": UNKNOWN_STRING_VALUE}), "encryptionSpec.kmsKeyName"),
        (DEPLOYMENT, {"deployedModels": {"a": {**variant(), "serviceAccount": UNKNOWN_STRING_VALUE}}},
         "deployedModels.a.serviceAccount"),
    ],
)  # fmt: skip
def test_what_is_not_known_yet_is_named(token: str, given: dict[str, Any], path: str) -> None:
    assert paths(answers(token, given), Unchecked) == [path]
    assert paths(answers(token, given)) == []


def added(token: str, given: dict[str, Any], **config: Any) -> list[tuple[Any, ...]]:
    proxy = partial(Resource, token, "digits", "urn")(unknown_checking_proxy(given), OPTIONS)
    edits = labelled(proxy, {"enforced": True, "labels": {"env": "prod", "team": ""}, **config})
    return [(*each.steps, each.value) for each in edits]


def test_a_label_of_slices_is_said_to_be_wanted_in_the_program() -> None:
    [found] = [each for each in answers(QUEUED, slices(), {"labels": {"env": "prod"}}) if "labels" in each.path]

    assert found.message.endswith("env: prod; default labels of the provider are not seen here")


PROD = {"labels": {"env": "prod"}}


@pytest.mark.parametrize(
    ("labels", "count"),
    [({}, 1), ({"defaultLabels": '{"env":"prod"}'}, 0), ({"defaultLabels": '{"env":"dev"}'}, 1)],
)
def test_slices_have_the_default_labels_of_their_provider(labels: dict[str, str], count: int) -> None:
    assert len(paths(answers(QUEUED, slices(), PROD, labels))) == count


def test_own_label_of_slices_comes_before_the_provider_s() -> None:
    given = slices(labels={"env": "dev"})

    [found] = [
        each for each in answers(QUEUED, given, PROD, {"defaultLabels": '{"env":"prod"}'}) if "labels" in each.path
    ]

    assert found.message == "is 'dev'; this stack labels with env: prod"


def test_default_labels_that_are_not_known_yet() -> None:
    unknown = {"defaultLabels": UNKNOWN_STRING_VALUE}

    assert paths(answers(QUEUED, slices(), PROD, unknown), Unchecked) == ["tpu.nodeSpec[0].node.labels.env"]


def test_labels_that_are_missing_are_added() -> None:
    assert added(ENDPOINT, endpoint(labels={"a": "b"})) == [("labels", "env", "prod")]


def test_labels_of_slices_are_added_to_the_node() -> None:
    assert added(QUEUED, slices()) == [("tpu", "nodeSpec", 0, "node", "labels", "env", "prod")]


def test_a_label_that_is_given_is_nobody_elses_to_change() -> None:
    assert added(ENDPOINT, endpoint(labels={"env": "dev"})) == []


def test_labels_are_added_beside_what_is_not_known_yet() -> None:
    assert added(ENDPOINT, endpoint(displayName=UNKNOWN_STRING_VALUE)) == [("labels", "env", "prod")]


def test_nothing_is_added_to_labels_that_are_not_known_yet() -> None:
    assert added(ENDPOINT, endpoint(labels=UNKNOWN_OBJECT_VALUE)) == []


@pytest.mark.parametrize("config", [{"enforced": False}, {"except": ["labels"]}])
def test_no_label_is_added_where_none_is_required(config: dict[str, Any]) -> None:
    assert added(ENDPOINT, endpoint(), **config) == []


def test_every_rule_of_the_configuration_is_tested() -> None:
    assert {*(rule for rule, _, _ in BAD), "protection", "labels", "handed-over"} == set(RULES)
