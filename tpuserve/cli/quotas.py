"""`tpuserve quotas fetch`: the limits that Google grants, in the form of the policy configuration."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from tpuserve import catalog
from tpuserve.cli import sources
from tpuserve.cli.errors import UserError
from tpuserve.google import CloudError, Google
from tpuserve.provider import config, errors

FAMILY, LIMITS, FETCHED = "quotas", "limits", "fetched"
Limits = dict[str, dict[str, int]]
"""Of one project: chips by quota and place."""


def run(options: sources.Options, projects: Sequence[str], output: Path | None, today: date | None = None) -> int:
    """Fetch, then print or write. Raises UserError, and then nothing is written."""
    before = {} if output is None else _read(output)
    settings, wanted = _checked(sources.named_configuration(options), projects)
    limits = asyncio.run(fetch(settings, wanted, options))
    text = json.dumps(merged(before, limits, today or date.today()), indent=2) + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        _write(output, text)
        sys.stdout.write(f"{output}: limits of {', '.join(wanted)}\n")
    return 0


async def fetch(
    settings: config.ProviderConfig, projects: Sequence[str], options: sources.Options
) -> dict[str, Limits]:
    """The limits of each project. Raises UserError."""
    google = Google(settings.endpoints, settings.access)
    try:
        return {project: await _of_project(google, project, options) for project in projects}
    except CloudError as error:
        raise UserError(errors.explain("reading quotas", error)) from None
    finally:
        await google.close()


async def _of_project(google: Google, project: str, options: sources.Options) -> Limits:
    found = {}
    for quota in catalog.quotas().values():
        places = options.zones if quota.dimension == "zone" else options.locations
        try:
            info = await google.quota_info(project, quota.service, quota.id)
        except CloudError as error:
            if error.code != "NOT_FOUND":
                raise
            sys.stderr.write(f"note: Cloud Quotas has no {quota.id} in {project}; its limit is taken to be 0\n")
        else:
            found[quota.id] = catalog.granted(quota, info, places)
    return {name: places for name, places in found.items() if places}


def merged(before: Mapping[str, Any], limits: Mapping[str, Limits], today: date) -> dict[str, Any]:
    """The policy configuration with these limits in it; what else it says stays."""
    family = _family(before)
    return {**before, FAMILY: {**family, LIMITS: {**family[LIMITS], **limits}, FETCHED: today.isoformat()}}


def _family(given: Mapping[str, Any]) -> dict[str, Any]:
    """What a policy configuration says of `quotas`; a word alone is the level."""
    found = given.get(FAMILY, {})
    return {LIMITS: {}, **({"enforcementLevel": found} if isinstance(found, str) else found)}


def _checked(given: Mapping[str, Any], projects: Sequence[str]) -> tuple[config.ProviderConfig, Sequence[str]]:
    """The configuration, with every fault at once, and the projects to read."""
    settings = config.parse(given)
    wanted = tuple(dict.fromkeys(projects or filter(None, [settings.project])))
    faults = [f"tpuserve:{fault}" for fault in config.faults(given)]
    faults += [f"--project: {fault}" for fault in map(_project_fault, projects) if fault]
    if not wanted:
        faults.append("no project: give --project, or --stack or --config-file with tpuserve:project")
    if faults:
        raise UserError(*faults)
    return settings, wanted


def _project_fault(project: str) -> str | None:
    return catalog.check_resource_id("project", project)


def _read(output: Path) -> dict[str, Any]:
    """The policy configuration that is there."""
    if not output.exists():
        return {}
    found = sources.read_json("--output", output)
    try:
        _ = {**_family(found)[LIMITS]}
    except (AttributeError, TypeError):
        raise UserError(
            f"--output {output}: is no policy configuration: an object of policies, `{FAMILY}` a level or an object, "
            f"`{FAMILY}.{LIMITS}` an object"
        ) from None
    return found


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"--output {output}: {error}") from None
