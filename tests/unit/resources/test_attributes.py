"""What a program reads of a resource: every argument and output is an attribute, as an Output in snake_case."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks

from tpuserve import resources as r
from tpuserve.resources.base import TpuserveResource

CLASSES = (r.QueuedResource, r.Model, r.Endpoint, r.Deployment)
NODE = {"acceleratorType": "v6e-8", "runtimeVersion": "v2-alpha-tpuv6e", "labels": {"a.B": "c"}}
ANSWERS = {
    "tpuserve:tpu:QueuedResource": {"tpu": {"nodeSpec": [{"nodeId": "n", "node": NODE}]}, "name": "q"},
    "tpuserve:vertex:Model": {"displayName": "digits", "project": "p", "versionName": "m@3"},
}


class Answers(mocks.Mocks):
    """Google's answers; `read` is told apart by the id that is asked for."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        return args.resource_id or "made", {**args.inputs, **ANSWERS.get(args.typ, {})}

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], None]:
        raise AssertionError(f"no function is called, {args.token} was")


def value_of(build: Callable[[], pulumi.Output[Any]]) -> Any:
    """What an output turns out to be."""
    values: list[Any] = []
    with asyncio.Runner() as spare, asyncio.Runner() as runner:
        loop = runner.get_loop()
        asyncio.set_event_loop(loop)
        # The mocks make a loop in each thread that has none, and never close it.
        loop.set_default_executor(
            ThreadPoolExecutor(1, initializer=asyncio.set_event_loop, initargs=(spare.get_loop(),))
        )
        mocks.set_mocks(Answers(), preview=False)
        pulumi.runtime.test(lambda: build().apply(values.append))()
        asyncio.set_event_loop(None)
    return values[0]


def test_argument_of_a_resource_that_was_got() -> None:
    assert value_of(lambda: r.Model.get("m", "projects/p/locations/l/models/m").display_name) == "digits"


def test_output_of_a_resource_that_was_got() -> None:
    assert value_of(lambda: r.Model.get("m", "projects/p/locations/l/models/m").version_name) == "m@3"


def test_id_of_a_resource_that_was_got() -> None:
    assert value_of(lambda: r.Model.get("m", "projects/p/locations/l/models/m").id) == "projects/p/locations/l/models/m"


def test_options_are_kept_beside_the_id() -> None:
    def build() -> pulumi.Output[str]:
        parent = r.Model.get("m", "x")
        return r.Model.get("child", "y", pulumi.ResourceOptions(parent=parent)).urn

    assert "tpuserve:vertex:Model$tpuserve:vertex:Model::child" in value_of(build)


def test_nested_argument_is_in_snake_case_but_for_the_users_keys() -> None:
    found = value_of(lambda: r.QueuedResource.get("q", "x").tpu)

    node = {"accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e", "labels": {"a.B": "c"}}
    assert found == {"node_spec": [{"node_id": "n", "node": node}]}


def test_argument_that_the_provider_filled_in() -> None:
    args: Any = {"display_name": "digits", "container_spec": {"image_uri": "i"}}

    assert value_of(lambda: r.Model("m", args).project) == "p"


def test_argument_that_nobody_gave() -> None:
    assert value_of(lambda: r.Model.get("m", "x").artifact_uri) is None


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_each_argument_and_output_is_an_attribute(cls: type[TpuserveResource]) -> None:
    assert [name for name in cls.definition.attributes if not isinstance(getattr(cls, name, None), property)] == []


def test_what_is_neither_is_no_attribute() -> None:
    assert not hasattr(r.Model, "colour")
