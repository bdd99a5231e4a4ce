"""The clone's own stack file: the committed one, this clone's owner id, and the emulator's address."""

import secrets
import string
from pathlib import Path
from typing import Any

import yaml

from tools.local.layout import Layout, write_whole

OWNER_LENGTH = 20
OWNER_LETTERS = string.ascii_lowercase + string.digits


def write(layout: Layout, address: str) -> None:
    """Make `.tpuserve/Pulumi.local.yaml` anew from the committed file; what the engine keeps in it stays."""
    stack = _load(layout.committed_stack_file)
    config: dict[str, Any] = stack.get("config") or {}
    config["tpuserve:ownerId"] = owner_id(layout)
    config["tpuserve:endpoints"] = endpoints(address)
    # The engine writes the salt of this stack's passphrase when it makes the stack.
    kept = {key: value for key, value in _load(layout.stack_file).items() if key == "encryptionsalt"}
    write_whole(layout.stack_file, yaml.safe_dump({**kept, **stack, "config": config}, sort_keys=False))


def endpoints(address: str) -> dict[str, str]:
    """The provider's endpoints: both APIs at one address."""
    return dict.fromkeys(("tpu", "aiplatform"), f"http://{address}")


def owner_id(layout: Layout) -> str:
    """20 characters of [a-z0-9], random, made once for a clone."""
    if layout.owner.exists() and (owner := layout.owner.read_text(encoding="utf-8").strip()):
        return owner
    owner = "".join(secrets.choice(OWNER_LETTERS) for _ in range(OWNER_LENGTH))
    write_whole(layout.owner, owner + "\n")
    return owner


def _load(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {}
