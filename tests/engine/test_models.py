"""Versions of one model: two of them served beside each other, and one that others uploaded taken over."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import tpuserve.resources as r
from tests.emulator.google import LOCATION, Google
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Serving, container
from tests.engine.harness.stack import Stack

FIRST = Serving(model_args={"version_aliases": ["canary"]}, variants={"stable": "1"})
BOTH = replace(FIRST, image="i:2", variants={"stable": "1", "canary": "canary"}, split={"stable": 50, "canary": 50})


def test_an_alias_and_a_version_of_one_model_are_served_beside_each_other(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    stack.up(FIRST)
    client = predicting("1")

    with client.expecting("1", "2") as change, cloud.recorded() as calls:
        stack.up(BOTH)

    assert calls.changing == ["UploadModel", "MergeVersionAliases", "DeployModel", "UpdateEndpoint trafficSplit"]
    assert cloud.traffic() == {"1": 50, "2": 50}
    assert set(change.versions) == {"1", "2"}


def test_a_model_of_others_is_imported_although_its_container_cannot_be_read(
    stack: Stack, cloud: Cloud, hand: Google
) -> None:
    hand.upload("theirs")

    def program(**more: str) -> None:
        args: Any = {"display_name": "theirs", "model_id": "theirs", "container_spec": container("i:1"), **more}
        r.Model("m", args)

    imported = stack.import_("tpuserve:vertex:Model", "m", f"{LOCATION}/models/theirs")
    assert "failed to validate" not in imported.output
    run = stack.fails("preview", program)
    assert "contentVersion" in run.output
    assert "was uploaded by something other than tpuserve" in run.output

    stack.up(lambda: program(content_version="ours"))
    assert stack.resource("m")["outputs"]["versionId"] == "2"
