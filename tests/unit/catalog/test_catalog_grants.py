"""Who must be allowed what around a stack, and the table of docs/environments.md."""

import re
from pathlib import Path

import pytest

from tools.docs import permissions
from tpuserve import catalog

PAGE = (Path(__file__).parents[3] / "docs" / "environments.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("grant", catalog.grants().values(), ids=lambda each: each.name)
def test_how_a_grant_is_known_is_said(grant: catalog.Grant) -> None:
    assert grant.known in ("page", "code", "assumed")
    assert grant.source.startswith("assumed") <= (grant.known == "assumed")


@pytest.mark.parametrize("grant", catalog.grants().values(), ids=lambda each: each.name)
def test_a_grant_is_no_basic_role_and_no_administrator_s(grant: catalog.Grant) -> None:
    assert re.fullmatch(r"roles/[a-z]+\.[a-zA-Z]+", grant.role)
    assert "dmin" not in grant.role


@pytest.mark.parametrize("agent", catalog.service_agents().values(), ids=lambda each: each.name)
def test_an_agent_is_named_by_the_project_s_number(agent: catalog.ServiceAgent) -> None:
    assert re.fullmatch(r"serviceAccount:\w+-123@[a-z-]+\.iam\.gserviceaccount\.com", agent.member("123"))


@pytest.mark.parametrize("grant", catalog.grants().values(), ids=lambda each: each.name)
def test_every_grant_has_its_row(grant: catalog.Grant) -> None:
    assert f"| {grant.who} | `{grant.role}` | {grant.on} | {grant.why} | {grant.known} |" in PAGE


@pytest.mark.parametrize("agent", catalog.service_agents().values(), ids=lambda each: each.name)
def test_every_agent_has_its_row(agent: catalog.ServiceAgent) -> None:
    assert f"| {agent.name} | {agent.title} | `{agent.email.replace('{number}', 'NUMBER')}` |" in PAGE


def test_no_row_is_of_a_grant_that_is_not_in_the_catalog() -> None:
    rows = re.findall(r"^\| [a-z ]+ \| `(roles/[\w.]+)` \|", PAGE, flags=re.MULTILINE)

    assert sorted(rows) == sorted(grant.role for grant in catalog.grants().values())


def test_the_custom_roles_are_not_stale() -> None:
    written = permissions.ROLES.read_text(encoding="utf-8")

    assert written == permissions.roles(), "run `.venv/bin/python -m tests.golden.write_calls`"
