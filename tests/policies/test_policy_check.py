"""`tpuserve policy check`: the pack on an event stream, and what a pipeline is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from tpuserve.policies import families, schema  # pyright: ignore[reportMissingImports]
from tpuserve.policies.production import RULES  # pyright: ignore[reportMissingImports]

from tests.policies.packs import DEPLOYMENT, deployment
from tpuserve.cli import main
from tpuserve.marks import UNKNOWN_STRING as UNKNOWN

URN = f"urn:pulumi:s::p::{DEPLOYMENT}::digits"
LIST = {"allowed": ["ct6e-standard-1t"]}
ONLY_1T: dict[str, Any] = {
    "all": "disabled",
    "machine-types": {**LIST, "enforcementLevel": "mandatory"},
    "machine-types-unchecked": "advisory",
}
"""One rule and its twin; the other rules have their own tests."""


class Pipeline:
    """A folder with a stream and a configuration."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys

    def check(self, machine_type: str, config: Any = None, *flags: str, end: str = "succeeded") -> tuple[int, str, str]:
        inputs = deployment(machine_type)
        metadata = {"op": "create", "urn": URN, "new": {"type": DEPLOYMENT, "urn": URN, "inputs": inputs}}
        events = [{"resourcePreEvent": {"metadata": metadata}}, {"summaryEvent": {"result": end}}]
        stream = self.folder / "events.json"
        stream.write_text("".join(json.dumps({"sequence": 0} | each) + "\n" for each in events))
        return self.run(str(stream), config, *flags)

    def run(self, stream: str, config: Any = None, *flags: str) -> tuple[int, str, str]:
        file = self.folder / "config.json"
        file.write_text(json.dumps({} if config is None else config))
        code = main(["policy", "check", stream, "--config", str(file), *flags])
        out, err = self._capsys.readouterr()
        return code, out, err


@pytest.fixture
def pipeline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Pipeline:
    return Pipeline(tmp_path, capsys)


def test_a_mandatory_violation_is_exit_code_1_and_a_line(pipeline: Pipeline) -> None:
    code, out, _ = pipeline.check("ct6e-standard-4t", ONLY_1T)

    path = "deployedModels.stable.dedicatedResources.machineSpec.machineType"
    assert code == 1
    assert out.startswith(f"mandatory machine-types {URN}: {path}: 'ct6e-standard-4t' is not a machine type")


def test_what_the_stack_allows_passes(pipeline: Pipeline) -> None:
    assert pipeline.check("ct6e-standard-1t", ONLY_1T)[:2] == (
        0,
        "1 resources: 0 mandatory, 0 advisory, 0 not checked\n",
    )


@pytest.mark.parametrize("own", [LIST, {**LIST, "enforcementLevel": "advisory"}])
def test_an_advisory_violation_passes(pipeline: Pipeline, own: dict[str, Any]) -> None:
    code, out, _ = pipeline.check("ct6e-standard-4t", {"all": "advisory", "machine-types": own})

    assert (code, f"advisory machine-types {URN}" in out) == (0, True)


def test_a_misspelled_policy_of_an_exemption_is_told_with_the_nearest(pipeline: Pipeline) -> None:
    wrong = {"policy": "machine-typs", "resource": "d", "owner": "o", "reason": "r", "expires": "2026-12-31"}
    _, _, err = pipeline.check("ct6e-standard-4t", {"exemptions": {"list": [wrong]}})

    assert err.endswith("did you mean machine-types?\n")


def test_all_has_a_level_and_no_configuration(pipeline: Pipeline) -> None:
    code, _, err = pipeline.check("ct6e-standard-4t", {"all": LIST})

    assert (code, "all.allowed: there is no such key" in err) == (2, True)


def test_the_policys_own_level_comes_before_that_of_all(pipeline: Pipeline) -> None:
    own = {"machine-types": {**LIST, "enforcementLevel": "mandatory"}}

    assert pipeline.check("ct6e-standard-4t", {"all": "advisory"} | own)[0] == 1


@pytest.mark.parametrize(("flags", "code"), [((), 0), (("--strict",), 1)])
def test_what_could_not_be_checked_blocks_in_strict_mode_alone(
    pipeline: Pipeline, flags: tuple[str, ...], code: int
) -> None:
    found, out, _ = pipeline.check(UNKNOWN, ONLY_1T, *flags)

    assert (found, "1 not checked" in out) == (code, True)


@pytest.mark.parametrize(("flags", "code"), [((), 0), (("--strict",), 1)])
def test_a_run_that_failed_is_said_and_blocks_in_strict_mode(
    pipeline: Pipeline, flags: tuple[str, ...], code: int
) -> None:
    found, out, _ = pipeline.check("ct6e-standard-1t", ONLY_1T, *flags, end="failed")

    assert (found, "not checked: the run failed or was cut off" in out) == (code, True)


def test_all_faults_of_the_configuration_are_told_at_once(pipeline: Pipeline) -> None:
    config = {
        "machine-type": "mandatory",
        "machine-types": {"allowed": ["n1"]},
        "exemptions": {"list": [{"policy": "x"}]},
    }

    code, _, err = pipeline.check("ct6e-standard-1t", config)

    assert code == 2
    assert "--config: machine-type: the pack has no such policy" in err
    assert "--config: machine-types.allowed[0]: 'n1' must match" in err
    assert "--config: exemptions.list[0]: owner is missing" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("config", [{"machine-types": "blocking"}, {"machine-types": 3}, []])
def test_a_configuration_that_is_none_is_refused(pipeline: Pipeline, config: Any) -> None:
    code, _, err = pipeline.check("ct6e-standard-1t", config)

    assert (code, err.startswith("error: --config")) == (2, True)


def test_a_file_that_is_no_event_stream_is_refused(pipeline: Pipeline) -> None:
    other = pipeline.folder / "other.json"
    other.write_text('{"steps": []}')

    code, _, err = pipeline.run(str(other))

    assert (code, "line 1 is not an event of the engine" in err) == (2, True)


def keywords(node: dict[str, Any]) -> set[str]:
    below = [*node.get("properties", {}).values(), *([node["items"]] if "items" in node else [])]
    more = node.get("additionalProperties")
    below += [more] if isinstance(more, dict) else []
    return set(node).union(*map(keywords, below))


@pytest.mark.parametrize("family", families.FAMILIES, ids=lambda family: family.name)
def test_every_keyword_of_a_schema_is_understood_without_an_engine(family: Any) -> None:
    own = family.config_schema.properties.values() if family.config_schema else ()

    assert set().union(*map(keywords, own)) - schema.KEYWORDS == set()


@pytest.mark.parametrize(("labels", "code"), [({"environment": "prod"}, 0), ({"environment": "dev"}, 1), ({}, 1)])
def test_slices_have_the_default_labels_of_their_provider_in_the_stream(
    pipeline: Pipeline, labels: dict[str, str], code: int
) -> None:
    token, urn = "tpuserve:tpu:QueuedResource", "urn:pulumi:s::p::tpuserve:tpu:QueuedResource::slices"
    kind, provider = "pulumi:providers:tpuserve", "urn:pulumi:s::p::pulumi:providers:tpuserve::default"
    settings = {"defaultLabels": json.dumps(labels)}
    made = [
        {"type": kind, "urn": provider, "inputs": settings},
        {"type": token, "urn": urn, "inputs": {"tpu": {"nodeSpec": [{"node": {}}]}}, "provider": f"{provider}::id"},
    ]
    steps = [{"op": "create", "urn": new["urn"], "new": new} for new in made]
    events = [*({"resourcePreEvent": {"metadata": step}} for step in steps), {"summaryEvent": {"result": "succeeded"}}]
    stream = pipeline.folder / "events.json"
    stream.write_text("".join(json.dumps({"sequence": 0} | each) + "\n" for each in events))
    others = [each for each in RULES if each != "labels"]
    wanted = {"enforced": True, "labels": {"environment": "prod"}, "except": others, "enforcementLevel": "mandatory"}

    assert pipeline.run(str(stream), {"all": "disabled", "production": wanted})[0] == code
