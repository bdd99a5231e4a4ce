"""What a zone offers: accelerator types and runtime versions, listed and one by one."""

import pytest

from tests.emulator.google import LOCATION, THERE, ZONE, Google, refused
from tpuserve.emulator.catalog_data import names

KINDS = ("accelerator_type", "runtime_version")


def test_accelerator_types_of_a_zone_are_those_of_its_generations(cloud: Google) -> None:
    found = {item.type_ for item in cloud.tpu.list_accelerator_types(parent=f"{LOCATION}-a")}
    here = [generation for generation, zones in names("zones").items() if "us-east5-a" in zones]

    assert found == {name for name, row in names("accelerator_types").items() if row["generation"] in here}


def test_an_accelerator_type_has_its_shape(cloud: Google) -> None:
    found = cloud.tpu.get_accelerator_type(name=f"{ZONE}/acceleratorTypes/v6e-16")

    assert (found.name, found.type_) == (f"{THERE}/acceleratorTypes/v6e-16", "v6e-16")
    assert [(config.type_.name, config.topology) for config in found.accelerator_configs] == [("V6E", "4x4")]


def test_a_runtime_version_by_its_name(cloud: Google) -> None:
    found = cloud.tpu.get_runtime_version(name=f"{ZONE}/runtimeVersions/v2-alpha-tpuv6e")

    assert found.version == "v2-alpha-tpuv6e"


def test_every_runtime_version_that_is_listed_can_be_got(cloud: Google) -> None:
    listed = list(cloud.tpu.list_runtime_versions(parent=ZONE))

    assert listed == [cloud.tpu.get_runtime_version(name=item.name) for item in listed] != []


@pytest.mark.parametrize("kind", KINDS)
def test_a_zone_that_no_source_names_offers_nothing(cloud: Google, kind: str) -> None:
    assert list(getattr(cloud.tpu, f"list_{kind}s")(parent=f"{LOCATION[:-8]}us-west9-a")) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_goes_over_pages(cloud: Google, kind: str) -> None:
    listing = getattr(cloud.tpu, f"list_{kind}s")
    whole = [item.name for item in listing(parent=ZONE)]

    assert [item.name for item in listing(request={"parent": ZONE, "page_size": 1})] == whole


def test_an_accelerator_type_of_another_generation_is_not_found(cloud: Google) -> None:
    with refused("NOT_FOUND", "v6e-8"):
        cloud.tpu.get_accelerator_type(name=f"{LOCATION[:-8]}us-west9-a/acceleratorTypes/v6e-8")


@pytest.mark.parametrize("field", ["filter", "order_by"])
def test_filter_and_order_are_refused(cloud: Google, field: str) -> None:
    with refused("INVALID_ARGUMENT", field):
        cloud.tpu.list_accelerator_types(request={"parent": ZONE, field: "type=v6e-8"})


def test_a_region_is_no_zone(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "us-east5"):
        cloud.tpu.list_runtime_versions(parent=LOCATION)
