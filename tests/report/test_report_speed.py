"""A report of 1,000 changed resources: processor time and memory of a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.report.goldens import HERE

COUNT = 1_000
PROGRAM = """
import sys, time
from pathlib import Path
from tpuserve.report import effects, events, markdown
from tpuserve.report.report import report
effects.effect("tpuserve:vertex:Model", "labels")  # the SDK, once a process
began = time.process_time()
with Path(sys.argv[1]).open(encoding="utf-8") as lines:
    made = report(events.read(lines), {"quotas": {"limits": {}}})
text = markdown.render(made)
spent = time.process_time() - began
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(len(made.changes), spent, int(peak.split()[1]) / 1024)
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[float, float, float]:
    """How many changes, seconds, and MB; the best of two."""
    given = [json.loads(line) for line in (HERE / "recorded" / "update.jsonl").read_text(encoding="utf-8").splitlines()]
    steps = [json.dumps(each) for each in given if "refresh" not in str(each)[:120] and _changes(each)]
    path = tmp_path_factory.mktemp("many") / "events.jsonl"
    copies = [each.replace("::ranker-", f"::ranker-{n}-") for n in range(COUNT // 3 + 1) for each in steps]
    path.write_text("\n".join(copies), encoding="utf-8")
    return min(_run(path), _run(path), key=lambda each: each[1])


def _changes(event: dict[str, dict[str, dict[str, str]]]) -> bool:
    step = event.get("resourcePreEvent")
    return bool(step) and step["metadata"]["op"] not in ("same", "refresh")


def _run(path: Path) -> tuple[float, float, float]:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True)
    changes, spent, memory = map(float, done.stdout.split())
    return changes, spent, memory


def test_there_are_that_many(measured: tuple[float, float, float]) -> None:
    assert measured[0] >= COUNT


def test_within_a_second_of_the_processor(measured: tuple[float, float, float]) -> None:
    assert measured[1] < 1


def test_within_150_mb(measured: tuple[float, float, float]) -> None:
    assert measured[2] < 150
