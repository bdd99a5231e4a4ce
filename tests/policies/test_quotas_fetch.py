"""`tpuserve quotas fetch` against the emulator: the policy then judges as Google refuses."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import ResourceExhausted
from tpuserve.policies.quotas import FAMILY  # pyright: ignore[reportMissingImports]

from tests.emulator.google import LOCATION, PROJECT, Google, google
from tests.policies.packs import stack_violations
from tests.policies.stacks import deployed, slices, variant
from tpuserve.cli import main
from tpuserve.emulator import Emulator, Settings

RULE, TWIN = FAMILY.policies()
V6E, V6E_SPOT = "TPUV6EPerProjectPerZoneForTPUAPI", "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI"
SERVING = "TPUV5sLitepodServingPerProjectPerZoneForTPUAPI"
PODS = "TPUV5sLitepodPerProjectPerZoneForTPUAPI"
SPOT_PODS = "TPUV5sPreemptibleLitepodPerProjectPerRegionForTPUAPI"
VERTEX = "CustomModelServingV6ETPUPerProjectPerRegion"
ENDPOINT = f"{LOCATION}/endpoints/serving"


class Cloud:
    """The emulator, and the command that reads its quotas."""

    def __init__(self, emulator: Emulator, clients: Google, capsys: pytest.CaptureFixture[str]) -> None:
        self.clients, self._capsys = clients, capsys
        self._url = f"http://{emulator.addresses.rest}"
        self.err = ""

    def limit(self, limits: dict[str, dict[str, int]]) -> None:
        self.clients.control.set("quotas", limits)

    def run(self, *options: str, code: int = 0) -> str:
        """What the command prints."""
        assert main(["quotas", "fetch", "--cloudquotas-endpoint", self._url, *options]) == code
        out, self.err = self._capsys.readouterr()
        return out

    def fetched(self, *options: str) -> dict[str, Any]:
        return json.loads(self.run("--project", PROJECT, *options))["quotas"]


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator(Settings()).running() as emulator:
        yield emulator


@pytest.fixture
def cloud(emulator: Emulator, capsys: pytest.CaptureFixture[str]) -> Iterator[Cloud]:
    emulator.control.reset()
    with google(emulator) as clients:
        yield Cloud(emulator, clients, capsys)


# --- the same verdict --------------------------------------------------------------------------------------------

V5E = {"node": {"runtime_version": "v2-alpha-tpuv5-lite"}, "params": {"workload_type": "THROUGHPUT_OPTIMIZED"}}


def is_refused(call: Any, *given: Any, **more: Any) -> bool:
    try:
        call(*given, **more)
    except ResourceExhausted:
        return True
    return False


@pytest.mark.parametrize(
    ("kind", "spot", "limits"),
    [
        ("v6e-8", False, {V6E: {"us-east5-b": 24}}),
        ("v6e-8", False, {V6E: {"us-east5-b": 23}}),
        ("v6e-8", False, {V6E: {"us-east5-a": 99}}),
        ("v6e-8", False, {V6E: {"*": 24}}),
        ("v6e-8", False, {V6E: {"*": 99, "us-east5-b": 0}}),
        ("v6e-8", True, {V6E: {"us-east5-b": 99}, V6E_SPOT: {}}),
        ("v6e-8", True, {V6E: {}}),
        ("v5litepod-8", False, {PODS: {"*": 999}, SERVING: {"*": 4}}),
        ("v5litepod-8", False, {PODS: {}, SERVING: {"*": 24}}),
        ("v5litepod-16", True, {SPOT_PODS: {"us-east5": 48}}),
        ("v5litepod-16", True, {SPOT_PODS: {"us-east5": 47, "us-east1": 48}}),
    ],
)
def test_slices_are_judged_as_they_are_refused(
    cloud: Cloud, kind: str, spot: bool, limits: dict[str, dict[str, int]]
) -> None:
    cloud.limit(limits)
    more: dict[str, Any] = {"spot": {}} if spot else {}
    violations = stack_violations(RULE, slices(kind=kind, project=PROJECT, **more), config=cloud.fetched())

    own = V5E if kind.startswith("v5") else {}
    node = {**own.get("node", {}), "accelerator_type": kind}
    request = {"params": own.get("params", {}), "node": node, "queued": more}
    assert bool(violations) == is_refused(cloud.clients.begin_request, **request)


@pytest.mark.parametrize("machine", [{"machineType": "ct6e-standard-4t", "tpuTopology": "4x4"}, {}])
@pytest.mark.parametrize("limit", [0, 3, 4, 15, 16])
def test_replicas_are_judged_as_they_are_refused(cloud: Cloud, machine: dict[str, str], limit: int) -> None:
    cloud.limit({VERTEX: {"us-east5": limit}})
    spec = {"machineType": "ct6e-standard-1t", **machine}
    most = 1 if machine else 4
    own = variant(least=1, most=most)
    own["dedicatedResources"]["machineSpec"] = spec
    violations = stack_violations(RULE, deployed(endpoint=ENDPOINT, a=own), config=cloud.fetched())

    wire = {"machine_type": spec["machineType"], "tpu_topology": spec.get("tpuTopology", "")}
    endpoint, model = cloud.clients.endpoint(), cloud.clients.upload()
    resources = {"max_replica_count": most}
    refused = is_refused(cloud.clients.begin_deploy, endpoint, model, machine=wire, resources=resources)
    assert bool(violations) == refused


# --- the command -------------------------------------------------------------------------------------------------


def test_places_that_are_named_are_the_only_ones(cloud: Cloud) -> None:
    cloud.limit({V6E: {"*": 8, "us-east5-b": 24}, VERTEX: {"us-east5": 4, "us-west1": 2}})
    limits = cloud.fetched("--zone", "us-east5-b", "--zone", "us-east1-d", "--location", "us-west1")["limits"][PROJECT]

    assert (limits[V6E], limits[VERTEX]) == ({"us-east1-d": 8, "us-east5-b": 24}, {"us-west1": 2})


def test_the_day_is_told_beside_the_limits(cloud: Cloud) -> None:
    assert cloud.fetched()["fetched"] == date.today().isoformat()


def test_a_violation_names_the_day_of_the_limits(cloud: Cloud) -> None:
    cloud.limit({V6E: {}})
    ((_, message),) = stack_violations(RULE, slices(project=PROJECT), config=cloud.fetched())

    assert message.endswith(f"the limits were read on {date.today().isoformat()}, by `tpuserve quotas fetch`")


def test_a_policy_configuration_keeps_what_else_it_says(cloud: Cloud, tmp_path: Path) -> None:
    file = tmp_path / "policy-config.prod.json"
    other = {"elsewhere": {V6E: {"*": 1}}}
    file.write_text(json.dumps({"strict": "mandatory", "quotas": {"limits": {PROJECT: {}, **other}}}))
    cloud.limit({V6E: {"us-east5-b": 24}})
    said = cloud.run("--project", PROJECT, "--output", str(file))
    written = json.loads(file.read_text())

    assert said == f"{file}: limits of {PROJECT}\n"
    assert (written["strict"], written["quotas"]["limits"]["elsewhere"]) == ("mandatory", other["elsewhere"])
    assert written["quotas"]["limits"][PROJECT][V6E] == {"us-east5-b": 24}


def test_a_level_alone_stays_the_level(cloud: Cloud, tmp_path: Path) -> None:
    file = tmp_path / "policy-config.prod.json"
    file.write_text(json.dumps({"quotas": "advisory"}))
    cloud.run("--project", PROJECT, "--output", str(file))

    assert json.loads(file.read_text())["quotas"]["enforcementLevel"] == "advisory"


def test_project_and_address_are_those_of_a_configuration_file(cloud: Cloud, tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.prod.yaml"
    file.write_text(json.dumps({"config": {"tpuserve:project": PROJECT}}))

    assert list(json.loads(cloud.run("--config-file", str(file)))["quotas"]["limits"]) == [PROJECT]


def test_a_project_of_others_is_refused_and_nothing_written(cloud: Cloud, tmp_path: Path) -> None:
    file = tmp_path / "policy-config.prod.json"
    cloud.run("--project", PROJECT, "--project", "another", "--output", str(file), code=2)

    assert not file.exists()
    assert "PERMISSION_DENIED to GetQuotaInfo" in cloud.err


def test_every_fault_is_told_at_once(cloud: Cloud, tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.prod.yaml"
    file.write_text(json.dumps({"config": {"tpuserve:projekt": "p", "tpuserve:caBundle": "/none"}}))
    cloud.run("--config-file", str(file), "--project", "p/q", code=2)

    assert len(cloud.err.splitlines()) == 3


@pytest.mark.parametrize("text", ["{", "[]", '{"quotas": 3}', '{"quotas": {"limits": 3}}'])
def test_a_file_that_is_no_policy_configuration_is_left_alone(cloud: Cloud, tmp_path: Path, text: str) -> None:
    file = tmp_path / "policy-config.prod.json"
    file.write_text(text)
    cloud.run("--project", PROJECT, "--output", str(file), code=2)

    assert file.read_text() == text


def test_without_a_project_the_message_says_how_to_give_one(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    cloud.run(code=2)

    assert cloud.err.startswith("error: no project: give --project")
