"""Explicit providers: as good as the stack's own, several in one program."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pytest

import tpuserve.resources as r
from tests.engine.harness import cloud as clouds
from tests.engine.harness.cloud import LOCATION, PROJECT, Cloud
from tests.engine.harness.stack import OWNER, Stack
from tpuserve.emulator import Settings

OTHER = "other-project"


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    """A cloud with two projects."""
    with clouds.running(Settings(projects={PROJECT: 100000000001, OTHER: 100000000002})) as cloud:
        yield cloud


@dataclass(frozen=True)
class TwoProjects:
    """An endpoint by the stack's provider, and one by a provider of another project."""

    address: str
    labels: dict[str, str] = field(default_factory=dict)

    def __call__(self) -> None:
        url = f"http://{self.address}"
        args: Any = {
            "project": OTHER,
            "location": LOCATION,
            "default_labels": self.labels,
            "endpoints": {"aiplatform": url, "tpu": url},
        }
        other = r.Provider("other", args)
        r.Endpoint("own", {"display_name": "own"})
        r.Endpoint("theirs", {"display_name": "theirs"}, pulumi.ResourceOptions(provider=other))


def test_two_providers_and_two_projects_in_one_program(stack: Stack, cloud: Cloud) -> None:
    program = TwoProjects(cloud.address, {"cost": "a"})
    stack.up(program)
    stack.unchanged(program)
    theirs = cloud.endpoint("theirs")

    assert [name.split("/")[1] for name in (cloud.endpoint("own")["name"], theirs["name"])] == [
        "100000000001",
        "100000000002",
    ]
    assert (theirs["labels"]["cost"], theirs["labels"]["tpuserve-owner"]) == ("a", OWNER)
    assert "cost" not in cloud.endpoint("own")["labels"]

    with cloud.recorded() as calls:
        stack.up(TwoProjects(cloud.address, {"cost": "b"}))
    assert calls.changing == ["UpdateEndpoint labels"], "another provider's labels change its own resources, in place"

    stack.destroy()
    assert cloud.is_empty()
