"""Diff of new arguments of which some are not known yet."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pulumi.runtime.proto import provider_pb2

from tests.unit.provider.test_check_unknowns import TOKENS, VALID, check, paths, replaced
from tests.wire.properties import to_wire
from tests.wire.stack import urn_of
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.engine import Engine
from tpuserve.provider.server import Provider

SOME = provider_pb2.DiffResponse.DIFF_SOME
OUTPUTS = {"state": {"state": "ACTIVE"}, "retiring": [], "deployedModelStatus": {}, "versionId": "1"}


@st.composite
def partly_unknown(draw: st.DrawFn) -> tuple[str, list[str]]:
    token = draw(st.sampled_from(TOKENS))
    return token, draw(st.lists(st.sampled_from(sorted(paths(VALID[token]))), unique=True, min_size=1))


def diff(token: str, old: dict[str, Any], new: dict[str, Any]) -> Any:
    request = provider_pb2.DiffRequest(
        id="projects/p/locations/l/x/y",
        urn=urn_of(token, "r"),
        olds=to_wire(old | OUTPUTS),
        old_inputs=to_wire(old),
        news=to_wire(new),
    )
    context: Any = None
    return asyncio.run(Provider(Engine()).Diff(request, context))


@given(partly_unknown())
def test_unknown_is_a_change(case: tuple[str, list[str]]) -> None:
    token, chosen = case
    old, _ = check(token, VALID[token])
    new, _ = check(token, replaced(VALID[token], chosen, UNKNOWN))

    assert diff(token, old, new).changes == SOME


@given(partly_unknown())
def test_each_row_is_at_or_above_an_unknown_or_follows_from_it(case: tuple[str, list[str]]) -> None:
    token, chosen = case
    old, _ = check(token, VALID[token])
    new, _ = check(token, replaced(VALID[token], chosen, UNKNOWN))

    rows = {path.split(".")[0].split("[")[0] for path in diff(token, old, new).detailedDiff}

    follows = {"queuedResourceId", "modelId", "endpointId", "state"}
    assert rows <= {path.split(".")[0] for path in chosen} | follows
