"""List prices of TPU chips, from a dated table."""

from dataclasses import dataclass

from tpuserve.catalog.places import region_of
from tpuserve.catalog.tables import table

HOURS_A_MONTH = 730


@dataclass(frozen=True, slots=True)
class Price:
    """USD per chip and hour."""

    amount: float
    source: str
    date: str


def list_price(generation: str, location: str, *, spot: bool) -> Price | None:
    """What Cloud TPU charges in the region of `location`, a zone or a region; none where no source says."""
    row = table("prices").get(generation, {}).get(region_of(location), {})
    amount = row.get("spot" if spot else "on_demand")
    return None if amount is None else Price(amount, row["source"], row["date"])
