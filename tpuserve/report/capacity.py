"""Chips and hosts by place, generation and plane: before the run, at most while it goes on, and after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from msgspec import Struct

from tpuserve import catalog
from tpuserve.catalog import UNLIMITED, Account, Need, QuotaLimits
from tpuserve.catalog.machines import chips as counted
from tpuserve.declared.chips import Chips, Missing
from tpuserve.declared.prices import charge_of
from tpuserve.declared.tokens import DEPLOYMENT
from tpuserve.report.declared import Side, variants
from tpuserve.report.plan import Change
from tpuserve.report.rollout import rollout

RESERVED = "reservation"


class Amount(Struct, frozen=True):
    """Chips, and the hosts that hold them."""

    chips: int = 0
    hosts: int = 0


class Capacity(Struct, frozen=True, rename="camel"):
    """What is held of one kind in one place."""

    plane: str
    """`tpu` (Cloud TPU API) or `vertex`."""
    generation: str
    place: str
    """The zone or region in which quota is counted."""
    project: str
    tier: str
    """`on-demand`, `spot` or `reservation`."""
    quota: str
    """Its id; "" where none is charged or known."""
    before: Amount
    peak: Amount
    """The most that can be held at once, however the engine interleaves its steps."""
    after: Amount
    limit: int | None = None
    """Chips; -1 for no limit, None where no limits were given."""

    @property
    def is_over(self) -> bool:
        """Whether the peak is beyond the limit, and not only because that was so before."""
        return self.limit not in (None, UNLIMITED) and self.peak.chips > max(self.limit or 0, self.before.chips)

    @property
    def changes(self) -> bool:
        """Whether it is not the same at all times."""
        return not self.before == self.peak == self.after


class Unsure(Struct, frozen=True, rename="camel"):
    """A value without which something cannot be counted."""

    urn: str
    name: str
    path: str
    reason: str


Key = tuple[str, str, str, str, str, str]
Chain = list[tuple[Key, Amount, int]]


def capacity(changes: Sequence[Change], old: Side, new: Side, limits: QuotaLimits | None) -> tuple[Capacity, ...]:
    """Every kind that is held at any time."""
    held: dict[Key, list[Amount]] = {}
    for place, side in enumerate((old, new)):
        for each in chain.from_iterable(side.chips.values()):
            key = _key(each, limits or {})
            entry = held.setdefault(key, [Amount(), Amount(), Amount()])
            entry[place * 2] = _plus(entry[place * 2], _amount(each.need), 1)
    for key, most in _growth(changes, old, new, limits or {}).items():
        entry = held.setdefault(key, [Amount(), Amount(), Amount()])
        entry[1] = most
    return tuple(_row(key, amounts, limits) for key, amounts in sorted(held.items()))


def unsure(side: Side, limits: QuotaLimits | None) -> tuple[Unsure, ...]:
    """What cannot be counted after the run."""
    found = list(side.missing)
    found += [
        answer
        for each in chain.from_iterable(side.chips.values() if limits else ())
        if isinstance(answer := charge_of(each, limits or {}), Missing)
    ]
    return tuple(Unsure(each.resource.urn, each.resource.name, each.path, each.reason) for each in found)


def over(rows: Sequence[Capacity]) -> list[str]:
    """What is said of each peak that is beyond its limit."""
    return [
        f"at the peak {counted(each.peak.chips)} of {each.generation} in {each.place}, the limit of quota "
        f"{each.quota} is {each.limit}"
        for each in rows
        if each.is_over
    ]


def given_up(change: Change, old: Side) -> list[tuple[int, str, str]]:
    """Chips, generation and place of what a resource holds before the run."""
    found = old.chips.get(change.urn, ())
    return [(each.need.chips, each.need.generation, each.need.location) for each in found]


def told(change: Change, side: Side) -> str:
    """The chips of a resource in words."""
    found = Counter(f"{each.need.reason} in {each.need.location}" for each in side.chips.get(change.urn, ()))
    return "; ".join(text if number == 1 else f"{number} times {text}" for text, number in found.items())


def _growth(changes: Sequence[Change], old: Side, new: Side, limits: QuotaLimits) -> dict[Key, Amount]:
    """By kind the most that is held beyond what is there before, each resource at its worst moment."""
    most: dict[Key, Amount] = {}
    for change in changes:
        now: dict[Key, Amount] = {}
        worst: dict[Key, Amount] = {}
        for key, amount, sign in _chain(change, old, new, limits):
            now[key] = _plus(now.get(key, Amount()), amount, sign)
            if now[key].chips > worst.get(key, Amount()).chips:
                worst[key] = now[key]
        for key, amount in worst.items():
            most[key] = _plus(most.get(key, Amount()), amount, 1)
    return most


def _chain(change: Change, old: Side, new: Side, limits: QuotaLimits) -> Chain:
    """What one resource takes and gives back, in the order in which that happens."""
    if change.action == "import":
        return []  # it is there already
    if change.type == DEPLOYMENT and (change.action == "update" or change.is_adopted):
        return _rollout(change, old, new, limits)
    had, has = _own(change, old, limits), _own(change, new, limits)
    gives = [(key, amount, -1) for key, amount in had.values()]
    takes = [(key, amount, 1) for key, amount in has.values()]
    if change.order == "create first" and not change.is_adopted:
        return [*takes, *gives]
    return [*gives, *takes]


def _rollout(change: Change, old: Side, new: Side, limits: QuotaLimits) -> Chain:
    """A Deployment adds replicas, deploys beside what runs, then anew what is undeployed first; the rest goes last."""
    had, has = _variants(change, old, limits), _variants(change, new, limits)
    way = rollout(old.resources.get(change.urn), new.resources.get(change.urn))
    kept = [each for name, former in way.kept.items() for each in _counts(had.get(former), has.get(name))]
    anew = [each for name in way.first for each in (*_each(had, [name], -1), *_each(has, [name], 1))]
    return [
        *(each for each in kept if each[1].chips > 0),
        *_each(had, way.spare, -1),
        *_each(has, way.beside, 1),
        *anew,
        *_each(had, way.retired, -1),
        *(each for each in kept if each[1].chips <= 0),
    ]


def _counts(before: tuple[Key, Amount] | None, after: tuple[Key, Amount] | None) -> Chain:
    """What a variant that runs on holds more, or less where that is negative."""
    if before and after and before[0] == after[0]:
        return [(after[0], _plus(after[1], before[1], -1), 1)]
    less = [(before[0], _plus(Amount(), before[1], -1), 1)] if before else []
    return [*([(*after, 1)] if after else []), *less]


def _each(found: Mapping[str, tuple[Key, Amount]], names: Sequence[str], sign: int) -> Chain:
    return [(*found[name], sign) for name in names if name in found]


def _variants(change: Change, side: Side, limits: QuotaLimits) -> dict[str, tuple[Key, Amount]]:
    """By the variant's name, as far as its chips are known."""
    own = _own(change, side, limits)
    names = variants(side.resources.get(change.urn))
    return {name: own[path] for name in names if (path := f"deployedModels.{name}.dedicatedResources") in own}


def _own(change: Change, side: Side, limits: QuotaLimits) -> dict[str, tuple[Key, Amount]]:
    found = side.chips.get(change.urn, ())
    return {each.path: (_key(each, limits), _amount(each.need)) for each in found}


def _key(each: Chips, limits: QuotaLimits) -> Key:
    charge = charge_of(each, limits)
    if isinstance(charge, Missing):  # of which project is not known, but of which quota may be
        charge = catalog.charge_of(each.need, each.project, each.resource.name)
    tier = RESERVED if each.reserved else "spot" if each.need.preemptible else "on-demand"
    account = charge.account if charge else None
    place = account.place if account else each.need.location
    project = account.project if account else each.project or ""
    return (each.need.plane, each.need.generation, place, project, tier, account.quota if account else "")


def _amount(need: Need) -> Amount:
    return Amount(need.chips, need.count * _hosts(need))


def _hosts(need: Need) -> int:
    if need.plane == "tpu":
        kind = catalog.accelerator_type(need.kind)
        return kind.hosts if kind else 1
    machine = catalog.machine_type(need.kind.partition(" as ")[0])
    return need.each // machine.chips if machine else 1


def _plus(one: Amount, other: Amount, sign: int) -> Amount:
    return Amount(one.chips + sign * other.chips, one.hosts + sign * other.hosts)


def _row(key: Key, amounts: Sequence[Amount], limits: QuotaLimits | None) -> Capacity:
    before, growth, after = amounts
    plane, generation, place, project, tier, quota = key
    most = max(_plus(before, growth, 1), after, before, key=lambda each: each.chips)
    limit = catalog.limit_of(Account(project, quota, place), limits) if limits is not None and quota else None
    return Capacity(plane, generation, place, project, tier, quota, before, most, after, limit)
