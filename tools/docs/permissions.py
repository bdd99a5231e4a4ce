"""docs/permissions.md: which permission each call needs, from what the rehearsals called and the catalog's table."""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "permissions.md"
CALLS = ROOT / "tests" / "golden" / "calls.json"
TABLE = ROOT / "tpuserve" / "catalog" / "data" / "permissions.toml"
ROLES = ROOT / "tpuserve" / "catalog" / "data" / "custom_roles.toml"
HEAD = """\
# Permissions

Which IAM permissions tpuserve needs, and for what. Made by `python -m tests.golden.write_calls` from what each part of
it called in its tests, over the whole life of each resource. A test fails when this page is stale; others when a part
fails with these permissions alone, or does not name the one that is missing. The tests of the provider and the engine
run against an emulator that grants what stands here and nothing else. None of it was ever tried on Google Cloud.

What ties a method to its permission is public material, and not all of it was found:

| how known | means |
| --- | --- |
| page | the method's own page names the permission |
| answer | Google's refusal of that method, as quoted in public, names it |
| list | Google's list of the service's permissions has it, named as the method is; no page was read that ties the two |
| analogy | taken over from a method that is alike |

Sources are in `tpuserve/catalog/data/permissions.toml`, one a row.

## Roles

Sets for custom roles (`gcloud iam roles create tpuserve --project PROJECT --permissions ...`, or the component
`PipelineAccount`, which makes an account with one of them). A preview needs the first only."""
PHASES = ("preview", "up", "destroy")
SETS = {
    "Preview, refresh, import, functions, `tpuserve orphans`": ("preview",),
    "Update and destroy, `tpuserve orphans --delete`": PHASES,
}
ROLE_SETS = {"preview": ("preview",), "deploy": PHASES}
ROLES_HEAD = """\
# What an account needs that only previews stacks, and one that updates and destroys them: docs/permissions.md.
# Made by `python -m tests.golden.write_calls`; which method needs which is in permissions.toml, with sources.
"""
CLIENT = "a client that predicts"
ELSE = """\
A client of the endpoint needs `aiplatform.endpoints.predict`.

Not in these sets, since no call asks for them: `iam.serviceAccounts.actAs` on a service account that a slice or a
deployed model runs as; `roles/tpu.xpnAgent` for the TPU service agent where slices are in a Shared VPC; reading of the
image and the weights, which Vertex AI's own service agent does; and whatever the machines themselves do.

## Each permission

`preview` stands for refresh, import and listing too. Operations are of what they are about: their permission is the
resource's."""
TAIL = """\

Where a server has no WaitOperation, GetOperation is called in its place, with the same permission."""


def calls() -> dict[str, dict[str, list[str]]]:
    """What was recorded: part -> phase -> rows of the table."""
    return json.loads(CALLS.read_text(encoding="utf-8"))


def table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def needed(phases: Iterable[str], parts: Iterable[str] | None = None) -> list[str]:
    """The permissions of these phases, of all parts or of some."""
    recorded, rows, wanted = calls(), table(), set(phases)
    chosen = recorded if parts is None else {part: recorded[part] for part in parts}
    found = {row for phased in chosen.values() for phase, keys in phased.items() if phase in wanted for row in keys}
    return sorted({rows[row]["permission"] for row in found})


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_sets(), "", ELSE, *_rows(), TAIL])


def roles() -> str:
    """The whole of custom_roles.toml."""
    sets = {name: needed(phases, _parts()) for name, phases in ROLE_SETS.items()}
    rows = (
        f"\n[{name}]\npermissions = [\n" + "".join(f'    "{each}",\n' for each in found) for name, found in sets.items()
    )
    return ROLES_HEAD + "".join(f"{row}]\n" for row in rows)


def _parts() -> list[str]:
    return [part for part in calls() if part != CLIENT]


def _sets() -> Iterator[str]:
    parts = _parts()
    for title, phases in SETS.items():
        yield from ("", f"{title}:", "", "```text", *needed(phases, parts), "```")


def _rows() -> Iterator[str]:
    yield from ("", "| permission | methods | needed by | how known |", "| --- | --- | --- | --- |")
    rows, users = table(), _users()
    by_permission: dict[str, list[str]] = defaultdict(list)
    for key in users:
        by_permission[rows[key]["permission"]].append(key)
    for permission in sorted(by_permission):
        keys = sorted(by_permission[permission], key=list(rows).index)
        methods = ", ".join(dict.fromkeys(key.split("/")[0] for key in keys))
        parts: dict[str, list[str]] = defaultdict(list)
        for key in keys:
            for part, phase in users[key]:
                parts[part] += [phase] if phase not in parts[part] else []
        by = "; ".join(f"{part} ({', '.join(phases)})" for part, phases in parts.items())
        known = ", ".join(dict.fromkeys(f"{rows[key]['basis']}" for key in keys))
        yield f"| `{permission}` | {methods} | {by} | {known} |"


def _users() -> dict[str, list[tuple[str, str]]]:
    """Row of the table -> the parts that call it, each with its phase."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for part, phases in calls().items():
        for phase, keys in phases.items():
            for key in keys:
                found[key].append((part, phase))
    return found
