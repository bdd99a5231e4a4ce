"""Endpoints: their traffic as a bar, their deployed models with replicas."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from tpuserve.emulator.console.markup import Markup, element, join
from tpuserve.emulator.console.parts import Share, badge, bar, button, name, note, table

Object = Mapping[str, Any]


def endpoints(objects: Mapping[str, list[Any]]) -> Markup:
    """A card an endpoint."""
    if not objects["endpoints"]:
        return note("No endpoint.")
    return join(*(_card(endpoint) for endpoint in objects["endpoints"]))


def _card(endpoint: Object) -> Markup:
    shown = endpoint["displayName"]
    told = element("p", shown) if shown != endpoint["name"].rpartition("/")[2] else None
    head = element("header", element("h3", name(endpoint["name"])), told)
    models = endpoint["deployedModels"]
    split = endpoint["trafficSplit"]
    shares = [Share(found["id"], split.get(found["id"], 0)) for found in models]
    traffic = ", ".join(f"{share.percent:g} % to {share.label}" for share in shares if share.percent)
    rows = [_row(index, endpoint, found, split.get(found["id"], 0)) for index, found in enumerate(models)]
    heads = ["Traffic", "Deployed model", "Serves", "Replicas", ""]
    return element(
        "article", head,
        bar(shares, f"Traffic: {traffic or 'none'}"),
        table(f"Deployed models of {endpoint['name'].rpartition('/')[2]}", heads, rows, "No deployed model."),
    )  # fmt: skip


def _row(index: int, endpoint: Object, found: Object, share: int) -> list[Markup]:
    full = f"{endpoint['name']}/deployedModels/{found['id']}"
    version = f"{found['model'].rpartition('/')[2]}@{found['modelVersionId']}"
    replicas = found.get("replicas", [])
    # a builtin writes no log
    logged = any("pid" in replica for replica in replicas)
    log = element("a", "Log", href=f"/logs?{urlencode({'name': full})}", aria_label=f"Log of {found['id']}")
    kill = button("Kill", "kill", {"name": full}, f"Kill the processes of {found['id']}")
    return [
        element("b", element("i", class_=f"key part{index % 6}", aria_hidden="true"), f"{share} %"),
        join(name(full), element("small", found["displayName"])),
        element("code", version),
        _replicas(found, replicas),
        element("div", log if logged else None, kill if replicas else None, class_="actions"),
    ]


def _replicas(found: Object, replicas: list[Object]) -> Markup:
    """How many the API tells of, and the state of each that has a process."""
    states = (_replica(replica) for replica in replicas)
    return join(
        element("span", f"{found['availableReplicaCount']} available"), element("span", *states, class_="states")
    )


def _replica(replica: Object) -> Markup:
    restarts = f", {replica['restarts']} restarts" if replica["restarts"] else ""
    ended = f"; it {replica['ended']}" if "ended" in replica else ""
    return element("span", badge(replica["state"]), title=f"{replica['name'].rpartition('/')[2]}{restarts}{ended}")
