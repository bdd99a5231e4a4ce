"""A stack whose emulator has another address now.

Before a resource is updated it is read, with the provider as the state has it. So the state has to know the address
before the run: the provider's own entry is rewritten in it, by `pulumi stack export` and `pulumi stack import`.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from tools.local import backend
from tools.local.emulator import Running
from tools.local.layout import STACK, write_whole
from tools.local.pulumi_cli import Pulumi

PROVIDER = "pulumi:providers:tpuserve"


def follow(pulumi: Pulumi, running: Running, endpoints: Mapping[str, str], say: Callable[[str], None]) -> None:
    """Make the stack's state point at the emulator, where it does not; `endpoints` are the stack's."""
    state = backend.state_file(pulumi.layout, pulumi.project).read_text(encoding="utf-8")
    # Reading the file costs nothing; the commands are for the rare case.
    if not astray(state, endpoints):
        return
    exported = json.loads(pulumi.on_stack("stack", "export", "--stack", STACK))
    repoint(exported["deployment"], endpoints)
    changed = pulumi.layout.keep / "moved.json"
    write_whole(changed, json.dumps(exported))
    pulumi.on_stack("stack", "import", "--file", str(changed), "--stack", STACK)
    changed.unlink()
    say(f"stack {STACK}: its state points at {running.address} now")


def astray(state: str, endpoints: Mapping[str, str]) -> bool:
    """Whether a state has the provider, and not with each of these endpoints: that of REST can move alone."""
    return PROVIDER in state and not all(url in state for url in endpoints.values())


def repoint(deployment: dict[str, Any], endpoints: Mapping[str, str]) -> None:
    """Put the endpoints into every entry of the provider."""
    # Configuration that is no text is JSON in a provider's entry.
    value = json.dumps(dict(endpoints), sort_keys=True, separators=(",", ":"))
    for resource in deployment.get("resources") or ():
        if resource["type"] == PROVIDER:
            _put(resource.get("inputs") or {}, value)
            _put(resource.get("outputs") or {}, value)


def _put(properties: dict[str, Any], value: str) -> None:
    if "endpoints" in properties:
        properties["endpoints"] = value
