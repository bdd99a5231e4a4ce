"""The quotas that TPUs are charged to, by their ids, as Cloud Quotas names them."""

from typing import NamedTuple

TPU, VERTEX = "tpu.googleapis.com", "aiplatform.googleapis.com"


class Quota(NamedTuple):
    """One quota of a project. Its unit is the chip, which has one core in both generations."""

    service: str
    id: str
    metric: str
    title: str
    dimension: str
    """`zone` or `region`: what a limit is given for."""


# Ids as public logs and repositories quote them (marin-community/marin#87, #1612, #6198; Model Garden's samples in
# GoogleCloudPlatform/vertex-ai-samples, and gcloud 556, ai/model_garden). assumed: the metrics of Cloud TPU but
# tpu-v6e-preemptible, tpu-v5s-litepod-preemptible and tpu-v5s-litepod-serving-preemptible, the ids of Vertex AI for
# v6e, and all titles but "TPU v6e cores per project per zone": by the pattern of those that are quoted.
_ROWS = (
    (TPU, "TPUV6EPerProjectPerZoneForTPUAPI", "tpu-v6e", "TPU v6e cores per project per zone", "zone"),
    (
        TPU,
        "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI",
        "tpu-v6e-preemptible",
        "Preemptible TPU v6e cores per project per zone",
        "zone",
    ),
    (
        TPU,
        "TPUV5sLitepodServingPerProjectPerZoneForTPUAPI",
        "tpu-v5s-litepod-serving",
        "TPUv5 lite pod cores for serving per project per zone",
        "zone",
    ),
    (
        TPU,
        "TPUV5sPreemptibleLitepodServingPerProjectPerZoneForTPUAPI",
        "tpu-v5s-litepod-serving-preemptible",
        "Preemptible TPUv5 lite pod cores for serving per project per zone",
        "zone",
    ),
    (
        TPU,
        "TPUV5sLitepodPerProjectPerZoneForTPUAPI",
        "tpu-v5s-litepod",
        "TPUv5 lite pod cores per project per zone",
        "zone",
    ),
    (
        TPU,
        "TPUV5sPreemptibleLitepodPerProjectPerRegionForTPUAPI",
        "tpu-v5s-litepod-preemptible",
        "Preemptible TPUv5 lite pod cores per project per region",
        "region",
    ),
    (
        VERTEX,
        "CustomModelServingV5ETPUPerProjectPerRegion",
        "custom_model_serving_tpu_v5e",
        "Custom model serving TPU v5e cores per region",
        "region",
    ),
    (
        VERTEX,
        "CustomModelServingPreemptibleV5ETPUPerProjectPerRegion",
        "custom_model_serving_preemptible_tpu_v5e",
        "Custom model serving preemptible TPU v5e cores per region",
        "region",
    ),
    (
        VERTEX,
        "CustomModelServingV6ETPUPerProjectPerRegion",
        "custom_model_serving_tpu_v6e",
        "Custom model serving TPU v6e cores per region",
        "region",
    ),
    (
        VERTEX,
        "CustomModelServingPreemptibleV6ETPUPerProjectPerRegion",
        "custom_model_serving_preemptible_tpu_v6e",
        "Custom model serving preemptible TPU v6e cores per region",
        "region",
    ),
)
QUOTAS = {row[1]: Quota(row[0], row[1], f"{row[0]}/{row[2]}", row[3], row[4]) for row in _ROWS}

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
