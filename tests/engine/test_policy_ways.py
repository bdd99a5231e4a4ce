"""The ways of running the pack, on one program: it blocks a preview and an update, and sees a state and events."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
import pytest
from tpuserve.policies.families import FAMILIES  # pyright: ignore[reportMissingImports]
from tpuserve.policies.family import Family  # pyright: ignore[reportMissingImports]
from tpuserve.policies.production import RULES  # pyright: ignore[reportMissingImports]

from tests.engine.harness import cloud as clouds
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.programs import container, variant
from tests.engine.harness.run import Run
from tests.engine.harness.stack import NAME, Stack
from tools.engine import Engine
from tpuserve import resources
from tpuserve.cli import main

pytestmark = pytest.mark.xdist_group("policy-ways")

PACK = ("--policy-pack", str(Path(__file__).parents[2] / "policies" / "analyzer"))
BLOCKED = "'ct6e-standard-1t' is not a machine type that this stack may use; use ct6e-standard-4t"
OF_RESOURCES = {each.name for family in FAMILIES if isinstance(family, Family) for each in family.policies()}
"""Rules on the whole stack join resources by what events do not tell."""
NODE = {"accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e"}
SLICE: Any = {"tpu": {"node_spec": [{"node_id": "slice", "node": NODE}]}}
LABELS = {"environment": "prod"}
"""The provider's by default, and what the policies want; Check does not put them on slices."""
CONFIG = {
    "production": {"enforced": True, "labels": LABELS, "except": [each for each in RULES if each != "labels"]},
    "machine-types": {"allowed": ["ct6e-standard-4t"]},
    "exemptions": {
        "list": [
            {
                "policy": "machine-types",
                "resource": "exempt",
                "owner": "ml-platform",
                "reason": "a trial",
                "expires": "2999-12-31",
            }
        ]
    },
}


def program() -> None:
    """Slices; a model with a secret; and two Deployments on machines that are not allowed, of which one is exempted."""
    resources.QueuedResource("slices", SLICE)
    spec = container("i:1")
    spec["env"] = [{"name": "TOKEN", "value": pulumi.Output.secret("hush")}]
    model = resources.Model("m", {"display_name": "m", "container_spec": spec})
    for name in ("d", "exempt"):
        endpoint = resources.Endpoint(f"{name}-endpoint", {"display_name": name})
        resources.Deployment(
            name, {"endpoint": endpoint.name, "deployed_models": {"stable": variant(model.version_name)}}
        )


class Labelled(Stack):
    """A stack whose provider has default labels."""

    def own_config(self, cloud: Cloud, owner: str) -> dict[str, Any]:
        return super().own_config(cloud, owner) | {"tpuserve:defaultLabels": LABELS}


@dataclass(frozen=True)
class Ways:
    """What each way of running the pack said."""

    preview: Run
    up: Run
    made_by_up: int
    analyze: subprocess.CompletedProcess[str]
    events: Path
    config: Path


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Iterator[Ways]:
    folder = tmp_path_factory.mktemp("ways")
    (config := folder / "policies.json").write_text(json.dumps(CONFIG))
    pack = (*PACK, "--policy-pack-config", str(config))
    with clouds.running() as cloud:
        stack = Labelled(folder / "stack", engine, cloud)
        preview = stack.fails("preview", program, *pack)
        (events := folder / "events.json").write_bytes(preview.event_log.read_bytes())
        up = stack.fails("up", program, *pack)
        made = deployed(cloud)
        stack.up(program)
        (state := folder / "state.json").write_text(stack.command("stack", "export", "--stack", NAME))
        analyze = [str(engine.pulumi), "policy", "analyze", "--file", str(state), *pack]
        done = subprocess.run(analyze, env=stack.environ, cwd=folder, capture_output=True, text=True, check=False)
        yield Ways(preview, up, made, done, events, config)


def deployed(cloud: Cloud) -> int:
    """How many models are deployed by the Deployment that is blocked; the exempted one may be there before that."""
    return sum(len(each.get("deployedModels", ())) for each in cloud.objects("endpoints") if each["displayName"] == "d")


def test_a_preview_is_blocked(ways: Ways) -> None:
    assert (ways.preview.code != 0, BLOCKED in ways.preview.output) == (True, True)


def test_a_default_label_of_the_provider_is_a_label_of_its_slices(ways: Ways) -> None:
    events = [json.loads(line) for line in ways.events.read_text().splitlines()]
    said = [each["policyEvent"] for each in events if "policyEvent" in each]

    assert {each["policyName"] for each in said} & {"production", "production-unchecked"} == set()


def test_an_exemption_is_shown_where_it_is_used(ways: Ways) -> None:
    assert "exempted until 2999-12-31 (ml-platform: a trial)" in ways.preview.output


def test_an_update_without_preview_is_blocked_before_the_resource_is_made(ways: Ways) -> None:
    assert (ways.up.code != 0, BLOCKED in ways.up.output, ways.made_by_up) == (True, True, 0)


def test_a_pack_that_the_engine_ends_leaves_no_traceback(ways: Ways) -> None:
    assert "Traceback" not in ways.preview.output + ways.up.output + ways.analyze.stdout + ways.analyze.stderr


def test_pulumi_policy_analyze_finds_it_in_a_state(ways: Ways) -> None:
    assert (ways.analyze.returncode != 0, BLOCKED in ways.analyze.stdout) == (True, True)


def test_tpuserve_policy_check_finds_it_in_the_events(ways: Ways, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["policy", "check", str(ways.events), "--config", str(ways.config)])

    out = capsys.readouterr().out
    assert code == 1
    assert [line.partition(": ")[0] for line in out.splitlines() if "machine-types " in line] == [
        "mandatory machine-types urn:pulumi:t::p::tpuserve:vertex:Deployment::d",
        "advisory machine-types urn:pulumi:t::p::tpuserve:vertex:Deployment::exempt",
    ]


def test_events_and_preview_say_the_same_of_each_resource(ways: Ways, capsys: pytest.CaptureFixture[str]) -> None:
    main(["policy", "check", str(ways.events), "--config", str(ways.config)])

    lines = capsys.readouterr().out.splitlines()
    events = [json.loads(line) for line in ways.events.read_text().splitlines()]
    said = [each["policyEvent"] for each in events if "policyEvent" in each]
    shown = sorted((each["enforcementLevel"], each["policyName"], each["resourceUrn"]) for each in said)
    of_events = sorted(tuple(line.split(": ")[0].split(" ")) for line in lines if " urn:pulumi:" in line)
    assert [each for each in of_events if each[1] in OF_RESOURCES] == [
        each for each in shown if each[1] in OF_RESOURCES
    ]
