"""The quotas that TPUs are charged to: their names, which are the catalog's data, and which of them is charged."""

from typing import NamedTuple

from tpuserve.emulator.catalog_data import names

TPU = "tpu.googleapis.com"


class Quota(NamedTuple):
    """One quota of a project. Its unit is the chip, which has one core in both generations."""

    service: str
    id: str
    metric: str
    title: str
    dimension: str
    """`zone` or `region`: what a limit is given for."""


QUOTAS = {
    name: Quota(row["service"], name, row["metric"], row["title"], row["dimension"])
    for name, row in names("quotas").items()
}

# Which of them a slice is charged to: by generation, by whether it is preemptible, and of v5e by whether it has several
# hosts: v5litepod-1, -4 and -8 are "for serving" (marin-community/marin#6198).
OF_SLICES = {
    ("v6e", False, False): "TPUV6EPerProjectPerZoneForTPUAPI",
    ("v6e", False, True): "TPUV6EPerProjectPerZoneForTPUAPI",
    ("v6e", True, False): "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI",
    ("v6e", True, True): "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI",
    ("v5e", False, False): "TPUV5sLitepodServingPerProjectPerZoneForTPUAPI",
    ("v5e", False, True): "TPUV5sLitepodPerProjectPerZoneForTPUAPI",
    ("v5e", True, False): "TPUV5sPreemptibleLitepodServingPerProjectPerZoneForTPUAPI",
    ("v5e", True, True): "TPUV5sPreemptibleLitepodPerProjectPerRegionForTPUAPI",
}
# The same of a deployed model's replicas: by generation and by whether they are Spot VMs.
OF_REPLICAS = {
    ("v5e", False): "CustomModelServingV5ETPUPerProjectPerRegion",
    ("v5e", True): "CustomModelServingPreemptibleV5ETPUPerProjectPerRegion",
    ("v6e", False): "CustomModelServingV6ETPUPerProjectPerRegion",
    ("v6e", True): "CustomModelServingPreemptibleV6ETPUPerProjectPerRegion",
}
GENERATIONS = {"V6E": "v6e", "V5LITE_POD": "v5e"}  # by AcceleratorConfig.Type
FAMILIES = {"ct6e": "v6e", "ct5lp": "v5e"}  # by the first word of a machine type
