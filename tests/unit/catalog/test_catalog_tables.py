"""The data files: what must hold for every row, whatever the facts are."""

import math
import re
import subprocess
import sys

import pytest

from tpuserve import catalog
from tpuserve.catalog.tables import table

FLAT = (
    "accelerator_types",
    "containers",
    "endpoint_kinds",
    "generations",
    "google_errors",
    "grants",
    "identifiers",
    "machine_types",
    "permissions",
    "runtimes",
    "service_agents",
)
BY_GENERATION = ("vertex_regions", "zones")


def rows() -> list[tuple[str, str, dict]]:
    flat = [(name, key, row) for name in FLAT for key, row in table(name).items()]
    nested = [(n, f"{g}.{k}", row) for n in BY_GENERATION for g, rows in table(n).items() for k, row in rows.items()]
    return flat + nested


@pytest.mark.parametrize(("name", "key", "row"), rows(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_row_has_a_source_and_a_date(name: str, key: str, row: dict) -> None:
    assert row["source"]
    assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", row["date"]), (name, key)


@pytest.mark.parametrize("kind", catalog.accelerator_types().values(), ids=lambda kind: kind.name)
def test_chips_are_the_product_of_the_topology(kind: catalog.AcceleratorType) -> None:
    assert math.prod(int(side) for side in kind.topology.split("x")) == kind.chips


@pytest.mark.parametrize("kind", catalog.accelerator_types().values(), ids=lambda kind: kind.name)
def test_hosts_of_a_slice_hold_its_chips(kind: catalog.AcceleratorType) -> None:
    machine = catalog.machine_type(kind.machine_type)

    assert machine
    assert kind.hosts * machine.chips == kind.chips


@pytest.mark.parametrize("kind", catalog.accelerator_types().values(), ids=lambda kind: kind.name)
def test_the_number_in_the_name_is_the_count_of_chips(kind: catalog.AcceleratorType) -> None:
    assert kind.name == f"{kind.family}-{kind.chips}"


@pytest.mark.parametrize("machine", catalog.machine_types().values(), ids=lambda machine: machine.name)
def test_the_number_in_a_machine_type_is_its_count_of_chips(machine: catalog.MachineType) -> None:
    assert machine.name.endswith(f"-{machine.chips}t")


def test_every_accelerator_type_is_of_a_generation_in_the_catalog() -> None:
    assert {kind.generation for kind in catalog.accelerator_types().values()} == set(catalog.generations())


def test_vertex_serves_on_the_six_documented_machine_types() -> None:
    assert {machine.name: machine.chips for machine in catalog.machine_types().values()} == {
        "ct6e-standard-1t": 1,
        "ct6e-standard-4t": 4,
        "ct6e-standard-8t": 8,
        "ct5lp-hightpu-1t": 1,
        "ct5lp-hightpu-4t": 4,
        "ct5lp-hightpu-8t": 8,
    }


def test_only_trillium_has_collections() -> None:
    assert [each.name for each in catalog.generations().values() if each.collections] == ["v6e"]


def test_the_region_of_the_local_stack_is_marked_assumed() -> None:
    assert table("vertex_regions")["v6e"]["us-east5"]["status"] == "assumed"


def test_every_zone_has_the_shape_of_a_zone() -> None:
    zones = [zone.name for name in catalog.generations() for zone in catalog.zones_for(name)]

    assert [zone for zone in zones if catalog.check_resource_id("zone", zone)] == []


def test_importing_the_catalog_parses_no_data_file() -> None:
    code = "import sys, tpuserve.catalog; print({'tomllib', 'pulumi', 'grpc', 'difflib'} & set(sys.modules))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"


def test_exported_names_are_sorted() -> None:
    constants = [name for name in catalog.__all__ if name.isupper()]
    classes = [name for name in catalog.__all__ if name[0].isupper() and not name.isupper()]
    functions = [name for name in catalog.__all__ if name[0].islower()]

    assert catalog.__all__ == [*sorted(constants), *sorted(classes), *sorted(functions)]
