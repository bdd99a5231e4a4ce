"""Secrets arrive where they are meant for, and are found nowhere else: state, logs at the highest level, events."""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pulumi
import pytest

import tpuserve.resources as r
from tests.emulator.google import Google
from tests.engine.harness import cloud as clouds
from tests.engine.harness.cloud import LOCATION, PROJECT, Cloud
from tests.engine.harness.programs import container, variant
from tests.engine.harness.run import Run
from tests.engine.harness.stack import NAME, Stack
from tpuserve.emulator import Settings
from tpuserve.emulator.settings import Launch

CANARY = "c4n4ry-of-the-container"
KEY, TOKEN = "c4n4ry-of-the-key", "c4n4ry-of-the-token"
CREDENTIALS = json.dumps({"type": "service_account", "private_key": KEY})
TELLS = "import os, sys; print({'PASSWORD': os.environ['PASSWORD']}); sys.exit(1)"
LOUD = ("-v=9", "--logtostderr", "--logflow")


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    """A cloud in which one image tells its environment and ends."""
    with clouds.running(Settings(images={"tells": Launch(command=[sys.executable, "-c", TELLS])})) as cloud:
        yield cloud


def serving(image: str, address: str) -> Callable[[], None]:
    """A model with a secret in its environment, deployed; and an explicit provider with a token."""

    def program() -> None:
        env = [{"name": "PASSWORD", "value": pulumi.Output.secret(CANARY)}]
        spec: Any = {**container(image), "env": env}
        model = r.Model("m", {"display_name": "m", "container_spec": spec})
        endpoint = r.Endpoint("e", {"display_name": "e"})
        r.Deployment("d", {"endpoint": endpoint.name, "deployed_models": {"stable": variant(model.version_name)}})
        urls: Any = {"aiplatform": f"http://{address}"}
        token: Any = {"project": PROJECT, "location": LOCATION, "access_token": TOKEN, "endpoints": urls}
        other = r.Provider("other", token)
        r.Endpoint("o", {"display_name": "o"}, pulumi.ResourceOptions(provider=other))

    return program


def leaks(stack: Stack, cloud: Cloud, *runs: Run) -> dict[str, list[str]]:
    """Canary -> where it is found."""
    found = {f"output of run {number}": run.output for number, run in enumerate(runs)}
    found |= {f"events of run {number}": json.dumps(run.events) for number, run in enumerate(runs)}
    found["the emulator's record"] = json.dumps(cloud.control.calls())
    files = [path for path in stack.folder.rglob("*") if path.is_file()]
    found |= {str(path.relative_to(stack.folder)): path.read_text("utf-8", "replace") for path in files}
    return {canary: [place for place, text in found.items() if canary in text] for canary in (CANARY, KEY, TOKEN)}


def test_secrets_are_found_nowhere(stack: Stack, cloud: Cloud, hand: Google) -> None:
    stack.command("config", "set", "--secret", "tpuserve:credentials", CREDENTIALS, "--stack", NAME)

    failed = stack.fails("up", serving("tells", cloud.address), *LOUD)
    assert "'PASSWORD': [secret]" in failed.output, "Google's words are told, the secret in them is not"
    made = stack.up(serving("i:1", cloud.address), *LOUD)
    refreshed = stack.refresh(*LOUD)

    cloud.control.set("returns_container_spec", True)
    name = stack.resource("m")["outputs"]["versionName"]
    assert hand.models.get_model(name=name).container_spec.env[0].value == CANARY
    assert leaks(stack, cloud, failed, made, refreshed) == {CANARY: [], KEY: [], TOKEN: []}
