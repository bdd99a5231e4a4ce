"""Programs of raw pulumi-gcp resources under the policy pack, on the stand-in for the bridged provider.

The programs use the installed pulumi_gcp itself, so what the pack sees is what it sends.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest

from tests.engine.harness import cloud as clouds
from tests.engine.harness.programs import variant
from tests.engine.harness.run import Run
from tests.engine.harness.stack import Stack
from tests.gcp.installed import install
from tools.engine import Engine
from tpuserve import resources

pytestmark = pytest.mark.xdist_group("raw-gcp")

ROOT = Path(__file__).parents[2]
PACK = ("--policy-pack", str(ROOT / "policies" / "analyzer"))
PLACE = {"project": "acme", "location": "us-east5"}
TENSORFLOW = "us-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-15@sha256:" + "0" * 64
OWN = "us-docker.pkg.dev/acme/serving/digits:1"
BY_HAND = ["--saved_model_tags=serve,tpu", "--disable_optimizer=true"]
NETWORK = "projects/100000000001/global/networks/n"
LATER = "ct5p-hightpu-4t"
GROUP, WORKLOAD = "cloud.google.com/gke-nodepool-group-name", "cloud.google.com/gke-workload-type"
COLLECTION = {GROUP: "digits", WORKLOAD: "HIGH_AVAILABILITY"}
REMEDIES = {
    "machine-types": "remediate",
    "production": {
        "enforcementLevel": "remediate",
        "enforced": True,
        "labels": {"env": "prod"},
        "except": ["protection", "encryption", "logging", "replicas"],
    },
}
BOUNDS = {
    "locations": {"allowed": ["us-east5"]},
    "quotas": {"limits": {"acme": {"CustomModelServingV6ETPUPerProjectPerRegion": {"us-east5": 1}}}},
    "budget": {"hourly": 0.5},
    "production": {"enforced": True},
}
"""What one stack allows itself."""
MODEL = "projects/acme/locations/us-east5/models/digits@1"


def gcp() -> Any:
    """The bridged provider's package, imported when a program runs: it takes two seconds."""
    import pulumi_gcp

    return pulumi_gcp


def garden(name: str, container: Any) -> None:
    machine = {"machine_type": "ct6e-standard-1t"}
    gcp().vertex.AiEndpointWithModelGardenDeployment(
        name,
        **PLACE,
        publisher_model_name="publishers/google/models/gemma3@gemma-3-1b-it",
        model_config={"accept_eula": True, "container_spec": container},
        deploy_config={"dedicated_resources": {"min_replica_count": 1, "machine_spec": machine}},
    )


def pool(name: str, machine_type: pulumi.Input[str], **more: Any) -> None:
    machine = {"machine_type": machine_type, **more}
    gcp().vertex.AiDeploymentResourcePool(
        name, project="acme", region="us-east5", dedicated_resources={"machine_spec": machine, "min_replica_count": 1}
    )


def endpoint(name: str, **more: Any) -> Any:
    return gcp().vertex.AiEndpoint(name, display_name=name, **PLACE, **more)


def vm(name: str = "vm", runtime: pulumi.Input[str] = "v2-alpha-tpuv6e", zone: str = "us-east5-b") -> Any:
    return gcp().tpu.V2Vm(name, zone=zone, runtime_version=runtime, accelerator_type="v6e-8")


def nodes(name: str, labels: pulumi.Input[Any]) -> None:
    gcp().container.NodePool(
        name,
        cluster="c",
        location="us-east5",
        node_count=4,
        node_config={"machine_type": "ct6e-standard-4t", "labels": labels},
        placement_policy={"type": "COMPACT", "tpu_topology": "4x4"},
    )


def deployment(name: str, on: Any, *variants: str) -> None:
    share = {each: 100 // len(variants) for each in variants}
    declared = {each: variant(MODEL) for each in variants}
    args: Any = {"endpoint": on.id, "deployed_models": declared, "traffic_split": share}
    resources.Deployment(name, args)


def good() -> None:
    """Every type that the pack looks at, as it should be."""
    vm()
    node = {"runtime_version": "v2-alpha-tpuv6e", "accelerator_type": "v6e-8"}
    parent = "projects/acme/locations/us-east5-b"
    gcp().tpu.V2QueuedResource("slice", zone="us-east5-b", tpu={"node_specs": [{"parent": parent, "node": node}]})
    gcp().container.NodePool(
        "nodes", cluster="c", location="us-east5", node_count=1, node_config={"machine_type": "ct6e-standard-8t"}
    )
    nodes("replica-0", COLLECTION)
    nodes("replica-1", COLLECTION)
    pool("pool", "ct6e-standard-4t")
    garden("garden", {"image_uri": TENSORFLOW, "args": BY_HAND})
    deployment("shared", endpoint("shared-endpoint", traffic_split='{"1": 40, "2": 60}'), "stable", "canary")
    deployment("private", endpoint("private-endpoint", network=NETWORK), "stable")


def bad() -> None:
    """Each rule broken once, by a resource named for it; and what cannot be checked."""
    pool("machine-types", "ct5p-hightpu-4t")
    pool("machine-types-unchecked", (one := vm()).state)
    vm("shapes", "v2-alpha-tpuv5-lite")
    vm("shapes-unchecked", one.state)
    nodes("collections-gke", {WORKLOAD: "HIGH_AVAILABILITY"})
    nodes("collections-gke-unchecked", {GROUP: "letters", WORKLOAD: one.state})
    endpoint("traffic", traffic_split='{"1": 40, "2": 50}')
    garden("containers", {"image_uri": TENSORFLOW, "args": BY_HAND[:1]})
    garden("containers-unchecked", {"image_uri": TENSORFLOW, "commands": ["/serve"]})
    garden("containers-own", {"image_uri": OWN})
    deployment("traffic-private", endpoint("private-endpoint", network=NETWORK), "stable", "canary")


def beyond() -> None:
    """More than the stack allows itself: another region, four chips and their price, an endpoint for a try."""
    vm("locations", zone="us-central2-b")
    vm("spent")
    pool("pool", "ct6e-standard-4t")
    endpoint("production")


def to_be_mended() -> None:
    """Accelerator fields beside a TPU machine type, and an endpoint with a secret and without a label."""
    pool("pool", "ct6e-standard-1t", accelerator_type="TPU_V5_LITEPOD", accelerator_count=1)
    endpoint("endpoint", description=pulumi.Output.secret("hush"))


def known_later() -> None:
    """A machine type that is known when the slice is there."""
    pool("machine-types", vm().state.apply(lambda _state: LATER))


def refused() -> None:
    """What the stand-in, as the bridged provider, does not know."""
    args = {"zone": "us-east5-b", "runtimeVersion": "v2-alpha-tpuv6e", "multiNodeParams": {}}
    pulumi.CustomResource("gcp:tpu/v2Vm:V2Vm", "vm", args)


@pytest.fixture(scope="module")
def stack(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with clouds.running() as cloud:
        made = Stack(tmp_path_factory.mktemp("raw") / "stack", engine, cloud)
        install(made.folder / "gcp")
        yield made
        made.stop()


def run(stack: Stack, program: Any, verb: str = "preview", *flags: str) -> Run:
    path = os.pathsep.join([str(stack.folder / "gcp"), stack.environ["PATH"]])
    pack = () if verb == "destroy" else PACK
    return stack.begin(verb, program, *pack, *flags, PATH=path).wait()


def held(stack: Stack) -> list[dict[str, Any]]:
    """What the state has."""
    return stack.export()["deployment"].get("resources", [])


def emptied(stack: Stack) -> None:
    """As the other tests find it, in whichever order they come."""
    ended = run(stack, None, "destroy")
    assert ended.code == 0, ended.output


def reported(found: Run) -> set[tuple[str, str, str]]:
    """What the pack said: policy, name of the resource, level."""
    events = [event["policyEvent"] for event in found.events if "policyEvent" in event]
    return {(each["policyName"], each["resourceUrn"].rpartition("::")[2], each["enforcementLevel"]) for each in events}


@pytest.fixture(scope="module")
def passed(stack: Stack) -> Run:
    return run(stack, good)


@pytest.fixture(scope="module")
def denied(stack: Stack) -> Run:
    return run(stack, bad)


def test_a_program_as_it_should_be_passes(passed: Run) -> None:
    no_source = {("locations-listed", name, "advisory") for name in ("garden", "shared", "private", "pool")}
    no_limits = ("quotas-unchecked", "p-t", "advisory")
    nodes = ("locations-unchecked", "locations-listed-unchecked", "quotas-unchecked")
    of_gke = {(rule, name, "advisory") for rule in nodes for name in ("nodes", "replica-0", "replica-1")}

    assert (passed.code, reported(passed)) == (0, {*no_source, no_limits, *of_gke})


def test_a_program_that_breaks_rules_is_denied(denied: Run) -> None:
    assert denied.code != 0


@pytest.mark.parametrize(
    "rule", ["machine-types", "shapes", "collections-gke", "traffic", "traffic-private", "containers"]
)
def test_a_rule_blocks_the_resource_that_breaks_it(denied: Run, rule: str) -> None:
    assert (rule, rule, "mandatory") in reported(denied)


@pytest.mark.parametrize("rule", ["containers-routes", "containers-versions", "containers-memlock"])
def test_a_rule_advises_the_resource_that_breaks_it(denied: Run, rule: str) -> None:
    assert (rule, "containers-own", "advisory") in reported(denied)


@pytest.mark.parametrize(
    "rule", ["machine-types-unchecked", "shapes-unchecked", "collections-gke-unchecked", "containers-unchecked"]
)
def test_what_cannot_be_checked_is_said(denied: Run, rule: str) -> None:
    assert (rule, rule, "advisory") in reported(denied)


def test_no_other_resource_is_blocked(denied: Run) -> None:
    blocked = {(rule, name) for rule, name, level in reported(denied) if level == "mandatory"}

    assert {rule for rule, name in blocked if rule != name} == set()


def test_what_the_bridged_provider_does_not_have_is_refused(stack: Stack) -> None:
    found = run(stack, refused)

    assert (found.code != 0, "not a property of gcp:tpu/v2Vm:V2Vm" in found.output) == (True, True)


def test_what_no_preview_could_check_is_denied_before_it_is_created(stack: Stack) -> None:
    found = run(stack, known_later, "up")

    created = [each["type"] for each in held(stack) if each["type"].startswith("gcp:")]
    emptied(stack)
    assert (reported(found), created) == ({("machine-types", "machine-types", "mandatory")}, ["gcp:tpu/v2Vm:V2Vm"])


@pytest.fixture(scope="module")
def mended(stack: Stack) -> dict[str, Any]:
    """Inputs by name, as an update with remedies made them."""
    (config := stack.folder / "remedies.json").write_text(json.dumps(REMEDIES))
    found = run(stack, to_be_mended, "up", "--policy-pack-config", str(config))
    assert found.code == 0, found.output
    inputs = {each["urn"].rpartition("::")[2]: each.get("inputs") for each in held(stack)}
    emptied(stack)
    return inputs


def test_a_remedy_takes_out_what_must_not_be_there(mended: dict[str, Any]) -> None:
    assert mended["pool"]["dedicatedResources"]["machineSpec"] == {"machineType": "ct6e-standard-1t"}


def test_a_remedy_adds_what_is_missing(mended: dict[str, Any]) -> None:
    assert mended["endpoint"]["labels"] == {"env": "prod"}


def test_a_secret_beside_a_remedy_stays_one(mended: dict[str, Any]) -> None:
    assert "ciphertext" in mended["endpoint"]["description"]


@pytest.fixture(scope="module")
def bounded(stack: Stack) -> Run:
    (config := stack.folder / "bounds.json").write_text(json.dumps(BOUNDS))
    return run(stack, beyond, "preview", "--policy-pack-config", str(config))


@pytest.mark.parametrize(
    ("rule", "name"), [("locations", "locations"), ("production", "production"), ("quotas", "p-t"), ("budget", "p-t")]
)
def test_what_the_stack_allows_itself_holds_for_raw_resources(bounded: Run, rule: str, name: str) -> None:
    assert (rule, name, "mandatory") in reported(bounded)
