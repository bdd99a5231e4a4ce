"""Outcomes outlive an interrupted run, and only as long as the code is the same."""

from pathlib import Path

from tests.crash.boundaries import Boundary
from tests.crash.case import VICTIMS, Case, Outcome
from tests.crash.continuations import CONTINUATIONS
from tests.crash.coverage import table
from tests.crash.draw import drawn, every
from tests.crash.results import TRIES, Results, fingerprint
from tests.crash.scenarios import SCENARIOS

BOUNDARIES = {name: [Boundary("DeployModel", 1, "before"), Boundary("DeployModel", 1, "after")] for name in SCENARIOS}
CASES = every(BOUNDARIES.__getitem__)


def results(folder: Path, code: str = "one") -> Results:
    found = Results(folder / "outcomes.jsonl", code)
    found.load()
    return found


def test_the_next_run_goes_on_where_the_last_was_interrupted(tmp_path: Path) -> None:
    results(tmp_path).add(Outcome(CASES[0], faults=["lost"]))

    resumed = results(tmp_path)

    assert resumed.left(CASES) == CASES[1:]
    assert resumed.outcomes[CASES[0]].faults == ["lost"]


def test_other_code_begins_anew(tmp_path: Path) -> None:
    results(tmp_path).add(Outcome(CASES[0]))

    assert results(tmp_path, "two").left(CASES) == CASES


def test_what_passed_may_be_kept_when_the_code_changes(tmp_path: Path) -> None:
    before = results(tmp_path)
    for outcome in (Outcome(CASES[0], faults=["lost"]), Outcome(CASES[1])):
        before.add(outcome)

    found = Results(before.file, "two")
    found.load(keep_passed=True)

    assert [(outcome.case, outcome.code) for outcome in found.outcomes.values()] == [(CASES[1], "one")]
    assert results(tmp_path, "two").left(CASES) == [CASES[0], *CASES[2:]]


def test_the_code_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text("one")
    before = fingerprint(tmp_path, ["a"])

    (tmp_path / "a" / "b.py").write_text("two")

    assert fingerprint(tmp_path, ["a"]) != before


def test_a_boundary_that_was_not_met_is_tried_again_a_few_times(tmp_path: Path) -> None:
    found = results(tmp_path)

    kept = [found.add(Outcome(CASES[0], met=False)) for _ in range(TRIES)]

    assert kept == [False] * (TRIES - 1) + [True]


def test_every_boundary_meets_every_continuation_once() -> None:
    cells = {(case.scenario, case.boundary, case.continuation) for case in CASES}

    assert len(cells) == len(CASES) == len(SCENARIOS) * 2 * 7


def test_a_seed_draws_the_same_case_each_time() -> None:
    assert drawn(3, BOUNDARIES.__getitem__) == drawn(3, BOUNDARIES.__getitem__)


def test_ten_seeds_meet_every_scenario_victim_and_continuation() -> None:
    cases = [drawn(seed, BOUNDARIES.__getitem__) for seed in range(10)]

    met = {case.scenario for case in cases}, {case.victim for case in cases}, {case.continuation for case in cases}

    assert met == (set(SCENARIOS), set(VICTIMS), set(CONTINUATIONS))


def test_the_coverage_shows_victim_and_end_of_each_case() -> None:
    case = Case("create", BOUNDARIES["create"][0], "engine", "same")

    shown = table([case], {case: Outcome(case, faults=["lost"])})

    assert list(shown.columns[2].cells) == ["E FAILED"]
