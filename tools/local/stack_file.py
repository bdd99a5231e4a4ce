"""The clone's own stack file: the committed one, this clone's owner id, and the emulator's address."""

import secrets
import string
from pathlib import Path
from typing import Any

import yaml

from tools.local.emulator import Running
from tools.local.layout import Layout, write_whole

ENDPOINTS = "tpuserve:endpoints"
SERVED = ("tpu", "aiplatform", "tpuRest")
"""Endpoints that the emulator has, the last one where REST is installed."""
OWNER_LENGTH = 20
OWNER_LETTERS = string.ascii_lowercase + string.digits


def write(layout: Layout, running: Running) -> dict[str, str]:
    """Make `.tpuserve/Pulumi.local.yaml` anew from the committed file; what was set in it stays. The endpoints."""
    stack = _load(layout.committed_stack_file)
    config: dict[str, Any] = stack.get("config") or {}
    own: dict[str, Any] = {"tpuserve:ownerId": owner_id(layout), ENDPOINTS: endpoints(running)}
    changed = _changed(layout)
    if isinstance(given := changed.pop(ENDPOINTS, None), dict):  # the emulator's are never another's
        changed[ENDPOINTS] = {key: url for key, url in given.items() if key not in SERVED} | own[ENDPOINTS]
    write_whole(layout.made_stack_file, yaml.safe_dump({"config": config | own}, sort_keys=False))
    # The engine writes the salt of this stack's passphrase when it makes the stack.
    kept = {key: value for key, value in _load(layout.stack_file).items() if key == "encryptionsalt"}
    config = config | own | changed
    write_whole(layout.stack_file, yaml.safe_dump({**kept, **stack, "config": config}, sort_keys=False))
    return config[ENDPOINTS]


def endpoints(running: Running) -> dict[str, str]:
    """The provider's endpoints: both APIs at one address, and where there is REST, that for flex-start."""
    addresses = dict(zip(SERVED, (running.address, running.address, running.rest), strict=True))
    return {name: f"http://{address}" for name, address in addresses.items() if address}


def owner_id(layout: Layout) -> str:
    """20 characters of [a-z0-9], random, made once for a clone."""
    if layout.owner.exists() and (owner := layout.owner.read_text(encoding="utf-8").strip()):
        return owner
    owner = "".join(secrets.choice(OWNER_LETTERS) for _ in range(OWNER_LENGTH))
    write_whole(layout.owner, owner + "\n")
    return owner


def _changed(layout: Layout) -> dict[str, Any]:
    """What `pulumi config set` has set since the file was made."""
    if not layout.made_stack_file.exists():
        return {}
    made = _load(layout.made_stack_file).get("config") or {}
    now = _load(layout.stack_file).get("config") or {}
    return {key: value for key, value in now.items() if key not in made or made[key] != value}


def _load(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {}
