"""What a slice is given that lies elsewhere: subnetwork, disks and reservation, each in the slice's own place."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tpuserve.catalog.accelerators import accelerator_type
from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.identifiers import check_resource_id
from tpuserve.catalog.numbers import whole_number
from tpuserve.catalog.places import region_of

READ_WRITE, READ_ONLY = "READ_WRITE", "READ_ONLY"


def check_subnetwork(subnetwork: str | Unknown | None, zone: str | Unknown) -> str | None:
    """Why a subnetwork that is named in full cannot be used in a zone: it is another region's."""
    region = _place("regions", subnetwork)
    if region is None or not _is_zone(zone) or region == region_of(str(zone)):
        return None
    return f"{subnetwork!r} is in {region}, and the slices are in {zone}; give a subnetwork of {region_of(str(zone))}"


def check_reservation(reservation: str | Unknown | None, zone: str | Unknown) -> str | None:
    """Why a reservation cannot be used in a zone: it is another zone's."""
    place = _place("locations", reservation)
    if place is None or not _is_zone(zone) or place == zone:
        return None
    return f"{reservation!r} is in {place}, and the slices are in {zone}; a reservation is used in its own zone"


def check_data_disks(
    disks: Iterable[Any], zone: str | Unknown, slices: int | Unknown, accelerator: str | Unknown
) -> list[tuple[int, str, str]]:
    """Disks that the hosts cannot attach: index, field and message of each.

    A disk is attached to each host; in READ_WRITE mode, the default, only one host can do so.
    """
    several = _hosts_at_least(slices, accelerator) > 1
    faults = []
    for index, disk in enumerate(disks):
        if isinstance(disk, Mapping):
            faults += [(index, *fault) for fault in _check_disk(disk, zone, several)]
    return faults


def _check_disk(disk: Mapping[str, Any], zone: str | Unknown, several: bool) -> list[tuple[str, str]]:
    faults, place = [], _place("zones", disk.get("sourceDisk"))
    if place is not None and _is_zone(zone) and place != zone:
        faults.append(("sourceDisk", f"{disk['sourceDisk']!r} is in {place}, and the slices are in {zone}"))
    if several and disk.get("mode", READ_WRITE) == READ_WRITE:
        faults.append(
            ("mode", f"{READ_WRITE} (the default) is for one host, and these slices have several; use {READ_ONLY}")
        )
    return faults


def _hosts_at_least(slices: int | Unknown, accelerator: str | Unknown) -> int:
    """Hosts of all slices; what is not known counts as one."""
    kind = accelerator_type(accelerator)
    return (whole_number(slices) or 1) * (kind.hosts if kind else 1)


def _place(collection: str, name: object) -> str | None:
    """What follows `collection` in a full name."""
    match = re.search(rf"(?:^|/){collection}/([^/]+)/", name) if isinstance(name, str) else None
    return match[1] if match else None


def _is_zone(zone: object) -> bool:
    return isinstance(zone, str) and check_resource_id("zone", zone) is None
