"""Laws that hold for every argument, shown on examples that together hold all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.provider.test_check_unknowns import check
from tests.wire import programs
from tests.wire.examples import EXAMPLES
from tests.wire.programs import changed
from tpuserve.provider.server import LIFECYCLES
from tpuserve.resources.diff import changes
from tpuserve.resources.fields import Effect
from tpuserve.resources.same import canonical

NUMBERS = {"p": "123", "host-project": "456", "tpuserve-local": "100000000001", "vpc-project": "1234"}
IDS = {number: project for project, number in NUMBERS.items()}
PROJECT = re.compile(r"projects/([a-z][a-z-]*)/(locations|zones|regions|global)/")
NUMBER = re.compile(r"projects/([0-9]+)/(locations|zones|regions|global)/")


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each value that has no others in it, with its dotted path."""
    items = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else None
    if items is None:
        yield path.rstrip("."), value
        return
    for key, item in items:
        yield from leaves(item, f"{path}{key}.")


LEAVES = [
    (token, args, path, value)
    for token, examples in EXAMPLES.items()
    for args in examples
    for path, value in leaves(args)
]
# What may be any text, as far as its characters go: words for people, what the container gets, ids that Google does
# not describe (metrics, scopes, system labels).
FREE = re.compile(
    r".*(description|versionDescription|displayName|recreate|contentVersion|metadata\.a|systemLabels\.a|scope\.0|"
    r"metricName|command\.0|args\.0|env\.0\.value|httpGet\.host|tcpSocket\.host|grpc\.service|"
    r"httpHeaders\.0\.(name|value))",
    re.IGNORECASE,
)
BOUND = [
    row
    for row in LEAVES
    if isinstance(row[3], (str, int)) and not isinstance(row[3], bool) and not FREE.fullmatch(row[2])
]
LONGEST = {
    "displayName": 128,
    "tpu.nodeSpec.0.node.description": 512,
    "deployedModels.stable.displayName": 91,
}
"""Characters; Node.description, Endpoint.display_name and Model.display_name, of a variant's 128 less our mark's."""
LONG = [row for row in LEAVES if row[2] in LONGEST]
NAMES = [row for row in LEAVES if isinstance(row[3], str) and PROJECT.match(row[3])]
NUMBERED = [row for row in LEAVES if isinstance(row[3], str) and NUMBER.match(row[3])]


def ids(rows: list[Any]) -> list[str]:
    return [f"{row[0].rpartition(':')[2]}.{row[2]}" for row in rows]


@pytest.mark.parametrize("row", NAMES, ids=ids(NAMES))
def test_project_by_its_number_is_no_change(row: tuple[str, dict[str, Any], str, str]) -> None:
    token, args, path, name = row
    shape = LIFECYCLES[token].definition.shape
    by_number = PROJECT.sub(lambda found: f"projects/{NUMBERS[found[1]]}/{found[2]}/", name)

    old, new = (canonical(shape, each, NUMBERS) for each in (args, changed(args, {path: by_number})))

    assert list(changes(shape, old, new)) == []


@pytest.mark.parametrize("row", NUMBERED, ids=ids(NUMBERED))
def test_project_told_by_its_id_is_no_change(row: tuple[str, dict[str, Any], str, str]) -> None:
    token, args, path, name = row
    shape = LIFECYCLES[token].definition.shape
    told = NUMBER.sub(lambda found: f"projects/{IDS[found[1]]}/{found[2]}/", name)

    old, new = (canonical(shape, each, NUMBERS) for each in (changed(args, {path: told}), args))

    assert list(changes(shape, old, new)) == []


@pytest.mark.parametrize("row", BOUND, ids=ids(BOUND))
def test_what_it_cannot_be_is_refused_where_it_stands(row: tuple[str, dict[str, Any], str, Any]) -> None:
    token, args, path, value = row
    nonsense = "no \n way!" if isinstance(value, str) else -7

    _, faults = check(token, changed(args, {path: nonsense}))

    assert any(path.startswith(fault.path.replace("[", ".").replace("]", "")) for fault in faults), faults


def test_zone_is_refused_for_its_form_before_what_it_offers() -> None:
    _, faults = check(programs.QUEUED_RESOURCE, programs.collection(zone="us-east5"))

    assert [(fault.path, "a region and a zone in it" in fault.message) for fault in faults] == [("zone", True)]


@pytest.mark.parametrize("row", LONG, ids=ids(LONG))
def test_a_text_has_an_end(row: tuple[str, dict[str, Any], str, Any]) -> None:
    token, args, path, _ = row
    longest = LONGEST[path]

    assert check(token, changed(args, {path: "a" * longest}))[1] == []
    [fault] = check(token, changed(args, {path: "a" * (longest + 1)}))[1]
    assert fault.path.replace("[", ".").replace("]", "") == path


def test_a_variant_that_moves_into_a_pool_is_deployed_anew() -> None:
    alone, with_pool = EXAMPLES[programs.DEPLOYMENT]
    pooled = {**with_pool, "deployedModels": {"stable": with_pool["deployedModels"]["pooled"]}}
    alone = {**alone, "deployedModels": {"stable": alone["deployedModels"]["canary"]}}
    shape = LIFECYCLES[programs.DEPLOYMENT].definition.shape

    found = {change.path: change.effect for change in changes(shape, alone, pooled)}

    assert {name: found[f"deployedModels.stable.{name}"] for name in ("dedicatedResources", "sharedResources")} == {
        "dedicatedResources": Effect.REDEPLOY,
        "sharedResources": Effect.REDEPLOY,
    }
