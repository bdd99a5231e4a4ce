"""What a rollout refuses before it changes anything, each with what to do instead (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve import catalog
from tpuserve.catalog.faults import Fault
from tpuserve.provider.deployment import shares
from tpuserve.provider.deployment.deployed_model import Live, Wanted
from tpuserve.provider.deployment.plan import Plan
from tpuserve.provider.endpoint.view import View


@dataclass(frozen=True, slots=True)
class Case:
    """One endpoint as it is, and what is to become of it."""

    view: View
    plan: Plan
    wanted: Mapping[str, Wanted]
    inputs: Mapping[str, Any]
    ours: frozenset[str]
    """Ids that the state lists or that carry this Deployment's mark."""

    @property
    def split(self) -> Mapping[str, int] | None:
        return self.inputs.get("trafficSplit")

    @property
    def foreign(self) -> list[Live]:
        """What is not of this Deployment, and does not become its own."""
        own = self.ours | set(self.plan.matched.values())
        return [item for item in self.view.live if item.id not in own]


def refusals(case: Case) -> list[str]:
    """Every reason not to begin."""
    rules = (_strangers, taking, _occupied_ids, _private, _outages)
    return [message for rule in rules for message in rule(case)]


def _strangers(case: Case) -> Iterator[str]:
    """Keys of digits that are no deployed model of others."""
    names = {key: name for name, key in case.plan.matched.items()}
    foreign = {item.id for item in case.foreign}
    for key, share in (case.split or {}).items():
        if key in case.wanted or key in foreign:
            continue
        if key in names:
            yield str(own_id(key, names[key]))
        elif key in case.view.by_id():
            yield f"trafficSplit: {key!r} belongs to no variant any more and is undeployed: remove it"
        elif share:
            there = ", ".join(repr(each) for each in sorted(foreign)) or "there is none"
            yield (
                f"trafficSplit: the endpoint has no deployed model {key!r} (any more): remove it, and give its "
                f"{share} % to another; deployed models of others: {there}"
            )


def taking(case: Case) -> Iterator[str]:
    for item in shares.taken_from(case.split, case.foreign):
        if not case.view.is_private:
            yield (
                f"trafficSplit: {item.share} % of the endpoint's requests go to deployed model {item.id} "
                f"({item.display_name!r}), which is not of this Deployment: name {item.id!r} in trafficSplit with the "
                "share that it keeps, 0 to take it"
            )


def _occupied_ids(case: Case) -> Iterator[str]:
    live = case.view.by_id()
    for name in case.plan.deploy:
        key = case.wanted[name].id
        if key not in live or case.plan.first.get(name) == key:
            continue
        if key in {item.id for item in case.foreign}:
            yield (
                f"deployedModels.{name}.id: {key!r} is a deployed model that is not of this Deployment "
                f"({live[key].display_name!r}) and is not what is declared here: declare it as it is to take it over, "
                "or give another id"
            )
        else:
            yield (
                f"deployedModels.{name}.id: {key!r} is what runs now, and a variant deployed beside it needs another: "
                "leave id out, give another one, or set strategy to UNDEPLOY_FIRST"
            )


def _private(case: Case) -> Iterator[str]:
    if not case.view.is_private:
        return
    for argument, message in catalog.check_private_traffic(case.wanted, case.split, case.view.name):
        yield f"{argument}: {message}"
    what = f"{case.view.name} is reached by private services access"
    for item in case.foreign:
        yield f"endpoint: {what} and serves {item.id} ({item.display_name!r}), which is not of this Deployment"
    for name in case.plan.deploy:
        if case.plan.retire and not case.wanted[name].undeploys_first:
            yield (
                f"deployedModels.{name}: {what}, where nothing can be deployed beside what runs: set strategy to "
                "UNDEPLOY_FIRST and allowOutage to true, or deploy to another endpoint"
            )


def _outages(case: Case) -> Iterator[str]:
    if case.inputs.get("allowOutage"):
        return
    parts = shares.by_variant(case.split, case.wanted)
    serving = {key for key, share in case.view.shares.items() if share}
    up = {name for name in case.wanted if parts.get(name) and name not in case.plan.first}
    for name in shares.outages(serving, up, sorted(case.plan.first.items())):
        yield str(outage(name))


def outage(name: str) -> Fault:
    """Why a variant is not undeployed first."""
    return Fault(
        f"deployedModels.{name}",
        "strategy UNDEPLOY_FIRST undeploys the only model that serves before the new one is up, an outage: set "
        "allowOutage to true to agree, or strategy to BESIDE",
    )


def own_id(key: str, name: str) -> Fault:
    """Why a key of the split that is the id of one of its own variants is not taken."""
    return Fault("trafficSplit", f"{key!r} is the id of variant {name}: write {name!r} in its place")


def unready(plan: Plan, view: View, wanted: Mapping[str, Wanted], split: Mapping[str, int] | None) -> Iterator[str]:
    """Variants that are not there, or that get their first requests and lack required replicas."""
    for name in sorted(set(wanted) - set(plan.matched)):
        yield (f"deployedModels.{name}: Google reported it deployed, and the endpoint does not have it: run it again")
    live, named = view.by_id(), shares.by_variant(split, wanted)
    for name, key in plan.matched.items():
        required, available = wanted[name].required_replicas, live[key].available_replicas
        begins = bool(named.get(name)) and not live[key].share
        if begins and available is not None and available < required:
            yield (
                f"deployedModels.{name}: {available} of {required} required replicas are available: run it again when "
                "more are up, or require fewer"
            )
