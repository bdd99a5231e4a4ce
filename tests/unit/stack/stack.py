"""A configuration without a fault, and the same with values changed."""

import json
from pathlib import Path
from typing import Any

from tpuserve.stack.config import StackConfig, StackConfigError, read_stack

NAMESPACE = "tpu-inference"
SECTIONS: dict[str, Any] = {
    "collection": {
        "slices": 3,
        "acceleratorType": "v6e-8",
        "runtimeVersion": "v2-alpha-tpuv6e",
        "nodePrefix": "digits",
    },
    "model": {"displayName": "digits", "imageUri": "us-east5-docker.pkg.dev/p/serving/digits:1", "port": 8080},
    "endpoint": {
        "displayName": "digits",
        "variants": {"stable": {"machineType": "ct6e-standard-1t"}},
        "trafficSplit": {"stable": 100},
    },
}
PROVIDER = {"tpuserve:zone": "us-east5-b", "tpuserve:location": "us-east5"}


def config(changes: dict[str, Any], **provider: str) -> dict[str, str]:
    """The configuration as the engine hands it over; a change is named by its path, `collection.slices`."""
    sections = json.loads(json.dumps(SECTIONS))
    for path, value in changes.items():
        *above, last = path.split(".")
        place = sections
        for key in above:
            place = place.setdefault(key, {})
        if value is None:
            place.pop(last)
        else:
            place[last] = value
    own = {f"{NAMESPACE}:{key}": json.dumps(section) for key, section in sections.items()}
    return PROVIDER | own | {f"tpuserve:{key}": value for key, value in provider.items()}


def read(changes: dict[str, Any], root: Path = Path(), secrets: tuple[str, ...] = ()) -> StackConfig:
    """The stack read from that configuration."""
    return read_stack(config(changes), NAMESPACE, root, [f"{NAMESPACE}:{section}" for section in secrets])


def faults(changes: dict[str, Any], **more: Any) -> list[str]:
    """Each fault of that configuration as it is shown."""
    try:
        read(changes, **more)
    except StackConfigError as error:
        return [str(fault) for fault in error.faults]
    return []
