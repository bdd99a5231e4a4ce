"""Quotas of TPU chips: which one is charged, how much, and the most that is held at once while things change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tpuserve.catalog.machines import chips
from tpuserve.catalog.places import region_of
from tpuserve.catalog.tables import table

ANY = "*"
UNLIMITED = -1
"""The limit of a quota that has none, as Cloud Quotas writes it (assumed)."""
QuotaLimits = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Chips by project, quota id and place; `*` stands for every project or place that is not named."""


@dataclass(frozen=True, slots=True)
class Quota:
    """One quota of a project, a row of `data/quotas.toml`."""

    id: str
    """As Cloud Quotas names it."""
    title: str
    """As the console shows it."""
    service: str
    metric: str
    plane: str
    generation: str
    preemptible: bool
    hosts: str
    """`single`, `multi` or `any`: the slices and replicas that are charged to it."""
    dimension: str
    """`zone` or `region`."""
    source: str
    date: str


@dataclass(frozen=True, slots=True, order=True)
class Account:
    """What a charge is counted in: one quota of one project in one place."""

    project: str
    quota: str
    place: str


@dataclass(frozen=True, slots=True)
class Charge:
    """Chips that one declaration is charged for."""

    account: Account
    chips: int
    reason: str
    """What asks for them, such as `digits: 3 slices of v6e-8`."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change, in the order in which it is made: what it gives back and what it takes."""

    gives: Sequence[Charge] = ()
    takes: Sequence[Charge] = ()
    at_once: bool = False
    """Whether it takes before it gives back, as a variant that is deployed beside the old one does."""


@dataclass(frozen=True, slots=True)
class Use:
    """Chips of one account before the first step, at the most, and after the last."""

    before: int
    peak: int
    after: int


@cache
def quotas() -> dict[str, Quota]:
    """Every quota, by id."""
    return {name: Quota(id=name, **row) for name, row in table("quotas").items()}


def quota_of(plane: str, generation: str, *, preemptible: bool, multi_host: bool) -> Quota | None:
    """The quota that is charged; none for a generation that the table does not know."""
    found = (each for each in quotas().values() if each.plane == plane and each.generation == generation)
    hosts = ("any", "multi" if multi_host else "single")
    return next((each for each in found if each.preemptible == preemptible and each.hosts in hosts), None)


def place_of(quota: Quota, location: str) -> str:
    """The zone or region that the quota counts in, of what is in `location`."""
    return region_of(location) if quota.dimension == "region" else location


def limit_of(account: Account, limits: QuotaLimits) -> int:
    """Its limit; 0 where none is given, as Google has it."""
    for project in (account.project, ANY):
        places = limits.get(project, {}).get(account.quota, {})
        for place in (account.place, ANY):
            if place in places:
                return places[place]
    return 0


def only_project(limits: QuotaLimits) -> str:
    """The project that is charged where none is named: that of the limits if it is one, which may be `*`; else ""."""
    return next(iter(limits)) if len(limits) == 1 else ""


def check_quotas(charges: Iterable[Charge], limits: QuotaLimits) -> list[tuple[Account, str]]:
    """Each account that is charged beyond its limit, with the message."""
    groups = by_account(charges)
    asked = {account: sum(charge.chips for charge in groups[account]) for account in sorted(groups)}
    return [
        (account, _beyond(account, groups[account], limit_of(account, limits)))
        for account, total in asked.items()
        if total > limit_of(account, limits) != UNLIMITED
    ]


def by_account(charges: Iterable[Charge]) -> dict[Account, list[Charge]]:
    """The charges of each account, in an order that does not depend on the one they came in."""
    groups: dict[Account, list[Charge]] = {}
    for charge in sorted(charges, key=lambda each: (each.account, each.reason, each.chips)):
        groups.setdefault(charge.account, []).append(charge)
    return groups


def peak(steps: Iterable[Step], held: Iterable[Charge] = ()) -> dict[Account, Use]:
    """The use of each account over `steps`, made one after the other, beside what is `held` when they begin."""
    now: dict[Account, int] = {}
    _book(held, now, 1)
    before, most = dict(now), dict(now)
    for step in steps:
        for charges, sign in _bookings(step):
            _book(charges, now, sign)
            for account, count in now.items():
                most[account] = max(most.get(account, 0), count)
    return {account: Use(before.get(account, 0), most[account], now[account]) for account in sorted(now)}


def _bookings(step: Step) -> list[tuple[Sequence[Charge], int]]:
    taken_first = [(step.takes, 1), (step.gives, -1)]
    return taken_first if step.at_once else taken_first[::-1]


def _book(charges: Iterable[Charge], now: dict[Account, int], sign: int) -> None:
    for charge in charges:
        now[charge.account] = now.get(charge.account, 0) + sign * charge.chips


def _beyond(account: Account, group: Sequence[Charge], limit: int) -> str:
    quota, asked = quotas()[account.quota], sum(charge.chips for charge in group)
    parts = "; ".join(f"{charge.reason} = {chips(charge.chips)}" for charge in group)
    project = "the project" if account.project == ANY else f"project {account.project}"
    return (
        f"{chips(asked)} asked for ({parts}), the limit of quota {quota.title!r} ({quota.id}) in {account.place} of "
        f"{project} is {limit}; declare {chips(asked - limit)} fewer, or ask Google for {asked} in the "
        f"console (IAM & Admin > Quotas & System Limits, filter: {quota.metric})"
    )
