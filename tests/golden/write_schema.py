"""Writes the golden schema anew, after a change that was meant: `python -m tests.golden.write_schema`."""

from __future__ import annotations

import json
from pathlib import Path

from tpuserve.provider.server import VERSION
from tpuserve.resources.schema import schema

GOLDEN = Path(__file__).with_name("schema.json")


def text() -> str:
    """The schema as it is kept: one line a value, so that a change reads well."""
    return json.dumps(schema(VERSION), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    GOLDEN.write_text(text(), encoding="utf-8")
