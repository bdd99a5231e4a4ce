"""One report of several stacks: what is not the same in all of them, and a comment that fits."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from tests.report.goldens import all_made, printed
from tests.report.hostility import HUGE, TAGS, TEXT, VALUE, read, report_of
from tests.report.streams import DEPLOYMENT, ENDPOINT, deployment, end_of, slices, step, told, variant
from tpuserve.cli import main
from tpuserve.report import comment
from tpuserve.report.budget import LIMIT
from tpuserve.report.markdown import MARKER
from tpuserve.report.report import Report
from tpuserve.report.stacks import Reports, alike, together

RECORDED = Path(__file__).parent / "recorded"
NOTHING, UPDATE, REPLACE = (str(RECORDED / f"{name}.jsonl") for name in ("nothing", "update", "replace"))


def of(**stacks: Report) -> Reports:
    return together([replace(each, title=title) for title, each in stacks.items()])


def labelled(label: str, name: str = "web") -> Report:
    diff = {"labels.a": "update"}
    return told(step("update", ENDPOINT, name, {"labels": {"a": "x"}}, {"labels": {"a": label}}, diff=diff))


def rows(given: Reports) -> list[tuple[str, str, list[str]]]:
    """Name, path, and of each stack what the resource or the property becomes."""
    return [
        (each.name, each.path, [(cell.difference.new.text if cell.difference else cell.action) for cell in each.cells])
        for each in given.differences
    ]


def test_what_is_the_same_in_every_stack_is_no_difference() -> None:
    assert alike(of(dev=labelled("y"), prod=labelled("y")))


def test_a_property_that_becomes_another_is_a_difference() -> None:
    assert rows(of(dev=labelled("y"), prod=labelled("z"))) == [("web", "labels.a", ["y", "z"])]


def test_a_resource_that_changes_in_one_stack_alone_is_a_difference() -> None:
    assert rows(of(dev=labelled("y"), prod=told())) == [("web", "", ["update", ""])]


def test_a_stack_in_which_the_property_stays_is_told_of_beside_those_that_change_it() -> None:
    told_of = of(dev=labelled("y"), test=labelled("z"), prod=told())

    assert rows(told_of) == [("web", "", ["update", "update", ""]), ("web", "labels.a", ["y", "z", ""])]


def served(project: str, replicas: int) -> Report:
    args = {**deployment(), "endpoint": f"projects/{project}/locations/us-east5/endpoints/e"}
    return told(step("create", DEPLOYMENT, "d", new={**args, "deployedModels": {"a": variant(replicas)}}))


def test_a_stack_s_own_project_is_no_difference() -> None:
    assert rows(of(dev=served("acme-dev", 1), prod=served("acme-prod", 1))) == []


def test_of_what_is_created_the_property_within_is_named() -> None:
    path = "deployedModels.a.dedicatedResources.minReplicaCount"

    assert rows(of(dev=served("acme-dev", 1), prod=served("acme-prod", 3))) == [("d", path, ["1", "3"])]


def test_an_id_that_the_provider_makes_is_no_difference() -> None:
    made = [told(step("create", ENDPOINT, "e", new={"endpointId": f"e-{end_of(n)}"})) for n in "ab"]

    assert rows(of(dev=made[0], prod=made[1])) == []


@pytest.mark.parametrize(
    ("stacks", "code"), [(("nothing", "update"), 2), (("nothing", "nothing"), 0), (("update", "refused"), 1)]
)
def test_the_exit_code_is_that_of_the_worst(stacks: tuple[str, str], code: int) -> None:
    assert main(["report", *(f"s{number}={RECORDED}/{name}.jsonl" for number, name in enumerate(stacks))]) == code


def test_where_nothing_changes_the_comment_is_one_line() -> None:
    assert comment.render(all_made("unchanged")) == f"{MARKER}### ✅ 2 stacks: nothing changes\n"


def test_a_stack_in_which_nothing_changes_has_a_row_and_no_more() -> None:
    text = comment.render(all_made("stacks"))

    assert "| ✅&nbsp;dev | nothing changes |" in text
    assert "<b>✅" not in text


def test_json_names_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    main(["report", f"dev={NOTHING}", f"prod={UPDATE}", "--format", "json"])

    assert json.loads(capsys.readouterr().out)["schema"] == "tpuserve.reports/1"


def test_limits_of_one_stack_are_not_those_of_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path := tmp_path / "config.json").write_text('{"quotas": {"limits": {"*": {}}}}')

    main(["report", f"dev={UPDATE}", f"prod={UPDATE}", "--limits", f"prod={path}"])

    assert "2 stacks: 1 blocked (prod); 1 changing (dev)" in capsys.readouterr().out


WRONG = [
    ([], "no events are given"),
    ([UPDATE, NOTHING], f"{UPDATE}: of several stacks, give the name as well: NAME={UPDATE}"),
    ([f"dev={UPDATE}", f"dev={NOTHING}"], "events of stack 'dev' are given 2 times"),
    ([f"dev={UPDATE}", "--limits", "prod=c.json"], "--limits prod=c.json: there are no events of a stack 'prod'"),
    ([f"dev={UPDATE}", "--stack-title", "production"], "--stack-title and NAME=FILE say two things"),
    (["a=-", "b=-"], "standard input is of one stack"),
    ([UPDATE, "--limits", "a.json", "--limits", "b.json"], "--limits of all stacks are given 2 times"),
    ([UPDATE, "--formt", "json"], "--formt: there is no such option"),
]


@pytest.mark.parametrize(("arguments", "fault"), WRONG, ids=[fault for _, fault in WRONG])
def test_a_fault_of_the_arguments_is_named(
    arguments: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", *arguments]) == 3
    assert fault in capsys.readouterr().err


def test_a_file_whose_name_has_an_equals_sign_is_a_file(tmp_path: Path) -> None:
    (path := tmp_path / "a=b.jsonl").write_text(Path(NOTHING).read_text(encoding="utf-8"), encoding="utf-8")

    assert main(["report", str(path)]) == 0


@settings(max_examples=40, deadline=None)
@given(TEXT, TEXT, VALUE, TEXT)
def test_no_text_is_markup_in_the_comment_on_several_stacks(name: str, path: str, value: Any, message: str) -> None:
    one, other = report_of(name, path, value, message), report_of(name, path, {path: value}, message)
    made = together([replace(one, title=f"{name}1"), replace(other, title=f"{name}2"), replace(one, title=message)])
    text = comment.render(made)

    reader = read(text)
    assert (reader.open, reader.broken, reader.seen - TAGS - {"b"}) == ([], False, set())
    assert len(text) <= LIMIT
    assert printed(made)


@pytest.mark.parametrize("count", [2, 40, 400])
def test_however_many_stacks_leave_a_comment_that_fits(count: int) -> None:
    one = report_of("web", "a", {"a": HUGE}, HUGE)
    text = comment.render(together([replace(one, title=f"stack {number}") for number in range(count)]))

    reader = read(text)
    assert len(text) <= LIMIT
    assert (reader.open, reader.broken) == ([], False)
    assert text.startswith(f"{MARKER}### 🛑 {count} stacks: {count} blocked (stack 0, ")


def test_stacks_that_find_no_room_are_counted() -> None:
    one = report_of("web", "a", {"a": HUGE}, HUGE)
    text = comment.render(together([replace(one, title=f"stack {number}") for number in range(40)]))

    shown = text.count("<summary><b>🛑 stack")
    assert f"_Stacks left out: {40 - shown} more, which `--format json` has._" in text


def test_a_short_stack_is_told_whole_beside_a_long_one() -> None:
    steps = (
        step("update", ENDPOINT, f"w{n}", {"a": "x"}, {"a": "y|" * 60}, diff={"a": "update"}) for n in range(2_000)
    )
    text = comment.render(
        of(long=told(*steps), short=told(step("create", new={}), step("create", "x:y:Z", "z", new=slices(2))))
    )

    assert len(text) <= LIMIT
    assert "left out" not in text[text.index("<b>🔷 short") :]


def test_a_text_of_brackets_is_compared_as_a_text() -> None:
    text = "[" * 1_900 + "]" * 1_900
    made = [told(step("create", ENDPOINT, "e", new={"description": each})) for each in (text, "x")]

    assert rows(of(dev=made[0], prod=made[1])) == [("e", "description", [text, "x"])]
