"""What a configuration without a fault becomes."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stack.stack import NAMESPACE, PROVIDER, config, faults, read
from tpuserve.stack.config import WITHHELD, StackConfigError, read_stack

ROOT = Path(__file__).parents[3]
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=5,
)


def test_a_configuration_without_a_fault_is_read() -> None:
    collection = read({}).settings.collection

    assert collection
    assert collection.slices == 3


def test_an_empty_configuration_is_refused() -> None:
    with pytest.raises(StackConfigError, match="tpu-inference: declares nothing"):
        read_stack({"tpuserve:zone": "us-east5-b"}, NAMESPACE, Path())


def test_one_section_is_enough() -> None:
    assert read({"model": None, "endpoint": None}).settings.endpoint is None


def test_other_namespaces_are_left_alone() -> None:
    others = {"aws:region": "x", "gcp:ownerId": "y"}

    assert read_stack(config({}) | others, NAMESPACE, Path()) == read({})


def test_the_sections_own_place_wins() -> None:
    assert read({"endpoint.location": "us-west1"}).location == "us-west1"


def test_a_place_that_is_left_to_the_environment_is_no_fault() -> None:
    own = {key: value for key, value in config({}).items() if key not in PROVIDER}

    assert read_stack(own, NAMESPACE, Path()).location is None


def test_a_startup_script_is_read_from_the_project(tmp_path: Path) -> None:
    (tmp_path / "startup.sh").write_text("true\n")

    assert read({"collection.startupScript": "startup.sh"}, root=tmp_path).startup_script == "true\n"


def test_no_value_of_a_section_with_a_secret_is_shown() -> None:
    shown = faults({"model.port": "hunter2", "model.predictRoute": "hunter2"}, secrets=("model",))

    assert shown == [f"tpu-inference:model.port: {WITHHELD}", f"tpu-inference:model.predictRoute: {WITHHELD}"]


def test_a_section_with_a_secret_is_remembered() -> None:
    assert read({}, secrets=("model",)).secret_sections == {"model"}


def test_a_fault_in_one_value_hides_no_fault_in_another() -> None:
    shown = faults({"collection.slices": [], "collection.zone": "us-west4-a", "endpoint.variants.stable": 3})

    assert [fault.split(":")[1] for fault in shown] == [
        "collection.slices",
        "endpoint.variants.stable",
        "collection.zone",
    ]


@given(st.sampled_from(["collection", "model", "endpoint", "limits", "labels"]), JSON)
def test_any_section_is_read_or_refused(section: str, value: object) -> None:
    assert all(fault.startswith("tpu-inference:") for fault in faults({section: value or 0}))


@given(st.sampled_from(["collection.slices", "endpoint.variants", "endpoint.trafficSplit", "model.env"]), JSON)
def test_any_value_is_read_or_refused(path: str, value: object) -> None:
    assert all(fault.startswith("tpu-inference:") for fault in faults({path: value or 0}))


def test_stack_local_is_without_a_fault() -> None:
    loaded = yaml.safe_load((ROOT / "stacks" / "Pulumi.local.yaml").read_text())["config"]
    handed = {key: value if isinstance(value, str) else json.dumps(value) for key, value in loaded.items()}

    assert read_stack(handed, NAMESPACE, ROOT).settings.limits
