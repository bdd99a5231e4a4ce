"""A key of the customer's own, for whatever takes one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Required, TypedDict

from tpuserve import catalog
from tpuserve.catalog.faults import Fault
from tpuserve.resources.fields import Field, Input


class EncryptionSpecArgs(TypedDict, total=False):
    """A customer-managed encryption key."""

    kms_key_name: Annotated[
        Required[Input[str]], Field(is_name=True, check=partial(catalog.check_resource_id, "kmsKeyName"))
    ]
    """`projects/P/locations/L/keyRings/R/cryptoKeys/K`, in the region of what it protects."""


def key_location_faults(inputs: Mapping[str, Any]) -> Iterator[Fault]:
    """Source: EncryptionSpec.kms_key_name, "The key needs to be in the same region"."""
    spec, location = inputs.get("encryptionSpec"), inputs.get("location")
    key = spec.get("kmsKeyName") if isinstance(spec, Mapping) else None
    if not isinstance(key, str) or not isinstance(location, str) or catalog.check_resource_id("kmsKeyName", key):
        return
    region = key.split("/")[3]
    if region != location:
        message = f"{key!r} is a key in {region!r}; give one in {location!r}, where this is"
        yield Fault("encryptionSpec.kmsKeyName", message)
