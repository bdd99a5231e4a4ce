"""The final report, as it is printed."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from tools.local.answers import Answers
from tools.local.report import Report, Sample, print_report
from tools.local.serving import serving
from tools.local.verdict import Verdict

NODE = "projects/100000000001/locations/us-east5-b/nodes/digits-"
OUTPUTS = {
    "collection": {
        "name": "projects/100000000001/locations/us-east5-b/queuedResources/inference-0a1b2c3d4e",
        "state": "ACTIVE",
        "nodes": [
            {
                "name": f"{NODE}{number}",
                "state": "READY",
                "health": "HEALTHY",
                "network_endpoints": [{"ip_address": "127.0.0.1", "port": 41000.0 + number}],
            }
            for number in range(2)
        ],
    },
    "model": {"name": "projects/100000000001/locations/us-east5/models/inference-5f6a7b8c9d", "versionId": "1"},
    "endpoint": {
        "name": "projects/100000000001/locations/us-east5/endpoints/inference-e0f1a2b3c4",
        "location": "us-east5",
    },
    "deployment": {
        "variants": {"stable": {"id": "4815162342", "model_version_id": "1", "available_replica_count": 1.0}},
        "trafficSplit": {"stable": 100.0},
    },
}
TRUTH = [7] * 100
OFFLINE = Answers("offline", "", tuple([1] * 2 + [7] * 98))
SAMPLE = Sample(62, [0.0, 16.0] * 32, 7, 7)
VERDICTS = [Verdict(who, 98, 100, 2.4e-7, "") for who in ("endpoint", "digits-0", "digits-1")]
TIMINGS = [("environment", 0.1), ("preview", 2.5), ("up", 65.0)]
REPORT = Report(serving(OUTPUTS), VERDICTS, OFFLINE, TRUTH, SAMPLE, TIMINGS)


def printed(report: Report, **console: object) -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, width=100, **console))  # type: ignore[arg-type]
    return out.getvalue()


def lines(report: Report) -> list[str]:
    return [re.sub("  +", "  ", line).strip() for line in printed(report).splitlines()]


@pytest.mark.parametrize(
    "line",
    [
        "Collection  inference-0a1b2c3d4e  ACTIVE",
        "digits-0  READY  HEALTHY  127.0.0.1:41000  answers",
        "digits-1  READY  HEALTHY  127.0.0.1:41001  answers",
        "Model  inference-5f6a7b8c9d version 1",
        "Endpoint  inference-e0f1a2b3c4 in us-east5",
        "stable  4815162342  1  1  100 %",
        "One of the digits  number 62 of the data set",
        "the endpoint says 7, it is 7",
        "Held-out digits  100, of which the offline model reads 98",
        "endpoint  98 of 100  2.4e-07",
        "digits-1  98 of 100  2.4e-07",
        "Time  1 min 08 s",
        "up  1 min 05 s",
    ],
)
def test_report_says(line: str) -> None:
    assert line in lines(REPORT)


def test_piped_report_is_plain() -> None:
    assert "\x1b" not in printed(REPORT)


def test_report_on_a_terminal_has_colour() -> None:
    assert "\x1b[32m" in printed(REPORT, force_terminal=True, color_system="standard", _environ={"TERM": "xterm"})


def test_no_color_is_respected() -> None:
    environ = {"TERM": "xterm", "NO_COLOR": "1"}

    assert "\x1b[32m" not in printed(REPORT, force_terminal=True, color_system="standard", _environ=environ)


def test_slice_without_answer_is_told_in_its_row_and_at_the_end() -> None:
    fault = Verdict("digits-1", 0, 100, float("inf"), "[Errno 111] Connection refused")
    report = replace(REPORT, verdicts=[*VERDICTS[:2], fault])

    said = lines(report)

    assert "digits-1  READY  HEALTHY  127.0.0.1:41001  no answer" in said
    assert said[-1] == "error: digits-1: [Errno 111] Connection refused"


def test_long_names_are_never_cut() -> None:
    name = "a-very-long-model-name-" * 4

    outputs = OUTPUTS | {"model": {"name": f"projects/1/locations/us-east5/models/{name}", "versionId": "1"}}
    assert name in printed(replace(REPORT, serving=serving(outputs)))


def test_stack_without_outputs_has_nothing_to_show() -> None:
    assert serving({}).slices == ()
