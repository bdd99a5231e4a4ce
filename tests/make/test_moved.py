"""A state that is made to point at the emulator's new address."""

import json
from typing import Any

import pytest

from tools.local.moved import PROVIDER, astray, repoint

NEW = {"tpu": "http://127.0.0.1:2", "aiplatform": "http://127.0.0.1:2", "tpuRest": "http://127.0.0.1:3"}
OLD = json.dumps({"tpu": "http://127.0.0.1:1", "aiplatform": "http://127.0.0.1:1"})


def entry(kind: str = PROVIDER, **properties: str) -> dict[str, Any]:
    return {"type": kind, "inputs": dict(properties), "outputs": dict(properties)}


def repointed(resource: dict[str, Any]) -> dict[str, Any]:
    repoint({"resources": [resource]}, NEW)
    return resource


@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_provider_gets_the_address(side: str) -> None:
    assert json.loads(repointed(entry(endpoints=OLD))[side]["endpoints"]) == NEW


def test_everything_else_of_the_provider_stays() -> None:
    assert repointed(entry(endpoints=OLD, project="p"))["inputs"]["project"] == "p"


def test_provider_without_endpoints_gets_none() -> None:
    assert repointed(entry(project="p")) == entry(project="p")


def test_other_resources_stay() -> None:
    assert repointed(entry("other:index:Thing", endpoints=OLD)) == entry("other:index:Thing", endpoints=OLD)


def test_stack_without_resources_stays() -> None:
    deployment: dict[str, Any] = {"manifest": {}}

    repoint(deployment, NEW)

    assert deployment == {"manifest": {}}


@pytest.mark.parametrize("moved", NEW)
def test_state_without_one_of_the_endpoints_is_astray(moved: str) -> None:
    state = json.dumps(entry(endpoints=json.dumps(NEW)))

    assert astray(state, {**NEW, moved: "http://127.0.0.1:9"})


def test_state_with_all_the_endpoints_stays() -> None:
    assert not astray(json.dumps(entry(endpoints=json.dumps(NEW))), NEW)


def test_state_without_the_provider_stays() -> None:
    assert not astray(json.dumps(entry("other:index:Thing")), NEW)
