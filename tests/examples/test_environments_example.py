"""The projects of examples/environments with every stack file that they have, in a program whose engine is mocked."""

import json
import runpy
import shutil
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from pulumi.runtime import mocks

from tests.gcp import known
from tests.unit.components.test_components import Recorder, output_of
from tpuserve.provider.values import decode, encode
from tpuserve.stack.references import READ

PROJECTS = Path(__file__).parents[2] / "examples" / "environments"
FILES = sorted(PROJECTS.glob("*/Pulumi.*.yaml"))
GIVEN = {
    "organization/tpu-network/shared": {"network": "n", "subnetwork": "s"},
    "organization/tpu-registry/shared": {"project": "acme-images", "location": "us-east5", "repository": "serving"},
}
"""What the other stacks give."""


class Surroundings(Recorder):
    """Answers what is asked of other stacks and of Google as well."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        id_, outputs = super().new_resource(args)
        if args.typ.startswith("gcp:"):
            outputs = dict.fromkeys([*known.computed(args.typ), "name"], args.name) | outputs
        return id_, outputs

    def call(self, args: mocks.MockCallArgs) -> Any:
        if args.token == READ:
            return {"outputs": GIVEN[args.args["name"]], "secretOutputNames": []}
        return {"member": f"serviceAccount:{args.token}"}


def declared(file: Path) -> dict[str, mocks.MockResourceArgs]:
    """What the program of a stack file declares, by name."""
    config = yaml.safe_load(file.read_text(encoding="utf-8"))["config"]
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in config.items()}
    recorder = Surroundings()

    def build() -> pulumi.Output[Any]:
        pulumi.runtime.set_all_config(texts)
        runpy.run_path(str(file.parent / "__main__.py"))
        return pulumi.Output.from_input("done")

    output_of(recorder, build)
    return recorder.registered


@pytest.fixture(scope="module", params=FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def resources(request: pytest.FixtureRequest) -> dict[str, mocks.MockResourceArgs]:
    """The resources of pulumi-gcp."""
    return {name: each for name, each in declared(request.param).items() if each.typ.startswith("gcp:")}


def test_every_argument_is_one_of_pulumi_gcp(resources: dict[str, mocks.MockResourceArgs]) -> None:
    found = {name: known.faults(each.typ, decode(encode(each.inputs)).values) for name, each in resources.items()}

    assert found
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_everything_that_has_labels_is_labelled(resources: dict[str, mocks.MockResourceArgs]) -> None:
    labelled = [each for each in resources.values() if "labels" in known.arguments(each.typ)]

    assert [each.name for each in labelled if each.inputs.get("labels", {}).get("team") != "ml-platform"] == []


def test_nobody_gets_a_basic_role(resources: dict[str, mocks.MockResourceArgs]) -> None:
    roles = {
        each.inputs["role"]
        for each in resources.values()
        if "role" in known.arguments(each.typ) and "member" in each.inputs
    }

    assert roles & {"roles/owner", "roles/editor", "roles/viewer"} == set()


def test_the_environments_differ_in_names_and_numbers_alone() -> None:
    kinds = [
        sorted(
            (each.typ, name.replace(stack, ""))
            for name, each in declared(PROJECTS / "serving" / f"Pulumi.{stack}.yaml").items()
        )
        for stack in ("dev", "staging", "prod")
    ]

    assert kinds[0] == kinds[1] == kinds[2]


def test_a_share_of_no_requests_is_given_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = (PROJECTS / "serving" / "Pulumi.prod.yaml").read_text(encoding="utf-8")
    (tmp_path / "Pulumi.prod.yaml").write_text(content.replace("requestLogPercent: 1\n", "requestLogPercent: 0\n"))
    shutil.copy(PROJECTS / "serving" / "__main__.py", tmp_path)
    given: dict[str, Any] = {}
    monkeypatch.setattr(pulumi, "export", given.__setitem__)

    declared(tmp_path / "Pulumi.prod.yaml")

    assert given["requestLogPercent"] == 0
