"""The verbs of the Makefile."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "Makefile").read_text()
VERBS = [
    "help",
    "up",
    "down",
    "pulumi",
    "test",
    "check",
    "crash",
    "bench",
    "generated",
    "requests",
    "mutate",
    "lock",
    "clean",
]


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_verb_is_there_and_none_is_a_file() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", TEXT, re.MULTILINE)

    assert phony
    assert phony[1].split() == VERBS


def test_make_alone_tells_every_verb() -> None:
    told = [line.split()[0] for line in make().stdout.splitlines()]

    assert told == VERBS


@pytest.mark.parametrize("verb", ["up", "down", "test", "check", "crash", "bench", "generated", "requests", "mutate"])
def test_verb_prepares_the_environment_first(verb: str) -> None:
    assert re.search(r"tools/find-python\).*-m tools\.environment (up|test) -m tools\.", make("-n", verb).stdout)


@pytest.mark.parametrize("verb", ["up", "down", "pulumi"])
def test_main_job_needs_nothing_of_the_tests(verb: str) -> None:
    assert "tools.environment up " in make("-n", verb).stdout


def test_arguments_reach_the_tests() -> None:
    assert make("-n", "test", "ARGS=tests/unit -k zone").stdout.rstrip().endswith("tools.prove test tests/unit -k zone")


def test_ci_runs_the_tests_whatever_folder_it_is_called_in() -> None:
    script = (ROOT / ".ci" / "run").read_text()

    assert script.rstrip().endswith("exec make test")
    assert 'cd "$(dirname "${BASH_SOURCE[0]}")/.."' in script
