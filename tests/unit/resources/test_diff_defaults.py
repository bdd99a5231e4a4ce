"""An argument with its default is as one that was left out; so are some empty messages, and a tier is not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.resources.test_effects import ARGS, MACHINES, NODE, STABLE
from tests.wire import programs
from tests.wire.programs import changed
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.deployment.deployed_model import specification
from tpuserve.provider.ownership import object_id
from tpuserve.provider.server import LIFECYCLES
from tpuserve.resources.diff import changes

DEFAULTS = [
    (programs.ENDPOINT, "dedicatedEndpointEnabled", False),
    (programs.ENDPOINT, "description", ""),
    (programs.MODEL, "contentVersion", ""),
    (programs.MODEL, "versionAliases", []),
    (programs.MODEL, "labels", {}),
    (programs.MODEL, "containerSpec.env", []),
    (programs.MODEL, "containerSpec.sharedMemorySizeMb", 0),
    (programs.QUEUED_RESOURCE, f"{NODE}tags", []),
    (programs.QUEUED_RESOURCE, f"{NODE}metadata", {}),
    (programs.QUEUED_RESOURCE, f"{NODE}schedulingConfig", {}),
    (programs.QUEUED_RESOURCE, f"{NODE}networkConfig", {"enableExternalIps": False}),
    (programs.QUEUED_RESOURCE, f"{NODE}bootDiskConfig", {"customerEncryptionKey": {}}),
    (programs.DEPLOYMENT, f"{MACHINES}spot", False),
    (programs.DEPLOYMENT, f"{STABLE}enableAccessLogging", False),
    (programs.DEPLOYMENT, f"{MACHINES}requiredReplicaCount", 0),
]
each_default = pytest.mark.parametrize(
    ("token", "path", "value"), DEFAULTS, ids=[f"{row[0].rsplit(':', 1)[-1]}.{row[1]}" for row in DEFAULTS]
)


def found(token: str, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [change.path for change in changes(LIFECYCLES[token].definition.shape, old, new)]


@each_default
def test_giving_a_default_changes_nothing(token: str, path: str, value: Any) -> None:
    assert found(token, ARGS[token], changed(ARGS[token], {path: value})) == []


@each_default
def test_taking_a_default_out_changes_nothing(token: str, path: str, value: Any) -> None:
    assert found(token, changed(ARGS[token], {path: value}), ARGS[token]) == []


@pytest.mark.parametrize(("token", "path", "value"), [row for row in DEFAULTS if row[0] != programs.DEPLOYMENT])
def test_id_does_not_depend_on_a_default(token: str, path: str, value: Any) -> None:
    definition = LIFECYCLES[token].definition

    ids = [
        object_id(definition, "urn::r", "a" * 20, args) for args in (ARGS[token], changed(ARGS[token], {path: value}))
    ]
    assert ids[0] == ids[1]


@pytest.mark.parametrize("path", [f"{MACHINES}spot", f"{STABLE}enableAccessLogging"])
def test_specification_does_not_depend_on_a_default(path: str) -> None:
    args = ARGS[programs.DEPLOYMENT]
    variants = [given["deployedModels"]["stable"] for given in (args, changed(args, {path: False}))]

    assert specification(variants[0], "m", "1") == specification(variants[1], "m", "1")


def test_empty_message_is_a_change() -> None:
    args = ARGS[programs.QUEUED_RESOURCE]

    assert found(programs.QUEUED_RESOURCE, args, changed(args, {"spot": {}})) == ["spot"]


def test_empty_message_has_another_id() -> None:
    """Else the slices of the old request would have to go before the new ones are asked for."""
    checker = Checker(ProviderConfig("p", "us-east5", "us-east5-b", "a" * 20))
    definition = LIFECYCLES[programs.QUEUED_RESOURCE].definition
    urn = f"urn:pulumi:s::p::{definition.token}::r"
    old, _ = checker.check(definition, urn, {}, programs.collection(), Autonaming())

    new, _ = checker.check(definition, urn, old, programs.collection(spot={}), Autonaming())

    assert new["queuedResourceId"] != old["queuedResourceId"]


def test_label_with_an_empty_value_is_a_change() -> None:
    args = ARGS[programs.ENDPOINT]

    assert found(programs.ENDPOINT, args, changed(args, {"labels.new": ""})) == ["labels.new"]


def test_default_that_is_not_zero_is_no_change() -> None:
    shape = LIFECYCLES[programs.MODEL].definition.shape

    assert list(changes(shape, programs.model(), programs.model(retainVersions=3))) == []


def test_zero_where_it_is_not_the_default_is_a_change() -> None:
    shape = LIFECYCLES[programs.MODEL].definition.shape

    assert [change.path for change in changes(shape, programs.model(), programs.model(retainVersions=0))] == [
        "retainVersions"
    ]
