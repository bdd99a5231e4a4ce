"""Compute Engine reservations that the machines of a deployed model may be drawn from."""

import re
from collections.abc import Sequence
from typing import Literal

from tpuserve.catalog.faults import Unknown

RESERVATION_NAME_KEY = "compute.googleapis.com/reservation-name"
_FULL_NAME = re.compile(r"projects/[^/]+/zones/[^/]+/reservations/[^/]+")
Which = Literal["key", "values"]


def check_reservation_affinity(
    kind: str | Unknown, key: str | Unknown | None, values: Sequence[str | Unknown] | Unknown | None
) -> list[tuple[Which, str]]:
    """What is wrong with a reservation affinity; None stands for an argument that is left out.

    Source: ReservationAffinity: SPECIFIC_RESERVATION takes the key of a reservation's name and full names, the others
    take neither.
    """
    if isinstance(kind, Unknown):
        return []
    if kind != "SPECIFIC_RESERVATION":
        given: list[tuple[Which, object]] = [("key", key), ("values", values)]
        message = f"is for SPECIFIC_RESERVATION alone; leave it out beside {kind}"
        return [(name, message) for name, value in given if value not in (None, "", [])]
    return _check_key(key) + _check_values(values)


def _check_key(key: str | Unknown | None) -> list[tuple[Which, str]]:
    if isinstance(key, Unknown) or key == RESERVATION_NAME_KEY:
        return []
    found = "was not given" if key is None else f"is {key!r}"
    return [("key", f"{found}; SPECIFIC_RESERVATION takes {RESERVATION_NAME_KEY!r}")]


def _check_values(values: Sequence[str | Unknown] | Unknown | None) -> list[tuple[Which, str]]:
    if isinstance(values, Unknown):
        return []
    shape = "projects/PROJECT/zones/ZONE/reservations/NAME"
    if not values:
        return [("values", f"was not given; SPECIFIC_RESERVATION takes full names: {shape}")]
    given = [value for value in values if not isinstance(value, Unknown)]
    wrong = [value for value in given if not (isinstance(value, str) and _FULL_NAME.fullmatch(value))]
    return [("values", f"{value!r} is not the full name of a reservation; give {shape}") for value in wrong]
