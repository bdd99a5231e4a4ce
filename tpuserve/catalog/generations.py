"""TPU generations."""

from dataclasses import dataclass
from functools import cache

from tpuserve.catalog.tables import table


@dataclass(frozen=True, slots=True)
class Generation:
    """One TPU generation that Vertex AI serves on."""

    name: str
    title: str
    accelerator: str
    """`AcceleratorConfig.Type` of the Cloud TPU API, such as `V6E`."""
    hbm_gb_per_chip: int
    collections: bool
    """Whether collection scheduling knows this generation."""
    zones_read: list[str]
    """Prefixes of zone names for which the documented list was read whole."""
    source: str
    date: str


@cache
def generations() -> dict[str, Generation]:
    """Every generation in the catalog, by name."""
    return {name: Generation(name=name, **row) for name, row in table("generations").items()}


def generation(name: str) -> Generation | None:
    """The generation of that name, such as `v6e`."""
    return generations().get(name)
