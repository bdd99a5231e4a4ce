"""Autonaming: which settings would make the engine delete an endpoint before it makes the next one."""

from typing import Any

import pytest

from tpuserve.stack.autonaming import check_autonaming

ENDPOINT = "tpuserve:vertex:Endpoint"
HARMLESS: list[Any] = [
    None,
    "verbatim",
    {},
    {"mode": "default"},
    {"pattern": "${name}-${hex(8)}"},
    {"pattern": "${project}-${name}-${alphanum(4)}", "enforce": True},
    {"pattern": "${name}-${uuid}"},
    {"mode": "verbatim", "providers": {"tpuserve": {"mode": "default"}}},
    {"providers": {"gcp": {"mode": "verbatim"}}},
    {"providers": {"tpuserve": {"resources": {"tpuserve:tpu:QueuedResource": {"mode": "verbatim"}}}}},
]
OUTAGES: list[tuple[Any, list[str]]] = [
    ({"mode": "verbatim"}, ["pulumi:autonaming"]),
    ({"mode": "disabled"}, ["pulumi:autonaming"]),
    ({"pattern": "${name}"}, ["pulumi:autonaming"]),
    ({"mode": "verbatim", "providers": {"tpuserve": {"resources": {}}}}, ["pulumi:autonaming"]),
    ({"providers": {"tpuserve": {"pattern": "${stack}-${name}"}}}, ["pulumi:autonaming.providers.tpuserve"]),
    (
        {"providers": {"tpuserve": {"resources": {ENDPOINT: {"mode": "verbatim"}}}}},
        [f"pulumi:autonaming.providers.tpuserve.resources.{ENDPOINT}"],
    ),
    (
        {"mode": "verbatim", "providers": {"tpuserve": {"resources": {ENDPOINT: {"mode": "default"}}}}},
        ["pulumi:autonaming"],
    ),
]


@pytest.mark.parametrize("setting", HARMLESS, ids=str)
def test_harmless(setting: Any) -> None:
    assert check_autonaming(setting) == []


@pytest.mark.parametrize(("setting", "paths"), OUTAGES, ids=str)
def test_refused_at_the_part_to_change(setting: Any, paths: list[str]) -> None:
    assert [fault.path for fault in check_autonaming(setting)] == paths
