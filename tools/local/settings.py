"""The emulator's settings for stack `local`, from stacks/emulator.local.json, with this machine's paths put in."""

import hashlib
import json
import sys
from typing import Any

from tools.local.layout import STACK, Layout


def settings(layout: Layout, python: str = sys.executable) -> str:
    """The settings as JSON.

    In the committed file `{python}` stands for `python` and `{root}` for the clone, and a key of
    `scripts` is the path of a startup script: the emulator knows a script by its SHA-256 alone, and never runs it.
    """
    text = (layout.root / "stacks" / f"emulator.{STACK}.json").read_text(encoding="utf-8")
    value: dict[str, Any] = _filled(json.loads(text), {"{python}": python, "{root}": str(layout.root)})
    scripts = value.get("scripts", {})
    value["scripts"] = {_sha256(layout, path): command for path, command in scripts.items()}
    return json.dumps(value, indent=2)


def _sha256(layout: Layout, path: str) -> str:
    return hashlib.sha256((layout.root / path).read_bytes()).hexdigest()


def _filled(value: Any, places: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(item, places) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, places) for item in value]
    if isinstance(value, str):
        for place, text in places.items():
            value = value.replace(place, text)
    return value
