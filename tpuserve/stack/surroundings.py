"""Whether what an environment gives can be used where a stack is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tpuserve import catalog
from tpuserve.catalog import Fault
from tpuserve.stack.config import StackConfig
from tpuserve.stack.contracts import EnvironmentContract

KEY = re.compile(r"projects/[^/]+/locations/([^/]+)/.+")
SUBNETWORK = re.compile(r"(?:.*/)?projects/[^/]+/regions/([^/]+)/.+")


def surroundings_faults(stack: StackConfig, around: EnvironmentContract) -> Iterator[Fault]:
    """What is in another region than what needs it, as far as both are known.

    Sources: a key is in the region of the resource (Vertex AI, EncryptionSpec.kms_key_name), and of a TPU VM's zone
    (Cloud TPU, "Encrypt a TPU VM boot disk"); a subnetwork is regional.
    """
    slices = stack.settings.collection and stack.zone and catalog.region_of(stack.zone)
    served = (stack.settings.model or stack.settings.endpoint) and stack.location
    if slices:
        yield from _fault("kmsKeyName", KEY, around.kms_key_name, slices, f"boot disks in {stack.zone} need a key")
        subnetwork = f"slices in {stack.zone} need a subnetwork"
        yield from _fault("subnetwork", SUBNETWORK, around.subnetwork, slices, subnetwork)
    if served:
        yield from _fault("kmsKeyName", KEY, around.kms_key_name, served, f"model and endpoint in {served} need a key")


def _fault(path: str, pattern: re.Pattern[str], name: str | None, region: str, need: str) -> Iterator[Fault]:
    found = pattern.fullmatch(name or "")
    if found and found[1] != region:
        yield Fault(path, f"{name!r} is in {found[1]}; {need} of {region}")
