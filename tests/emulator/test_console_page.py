"""The console's server: who may ask, what is answered, what is escaped."""

import http.client
import json
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.emulator.google import Google, google
from tpuserve.emulator import Control, Emulator, Settings
from tpuserve.emulator.console.console import COMMANDS
from tpuserve.emulator.console.markup import Markup, element
from tpuserve.emulator.console.parts import TONES, Share, bar


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Google, str]]:
    with Emulator(Settings(clock="virtual"), console_port=0).running() as emulator, google(emulator) as cloud:
        yield cloud, emulator.console.removeprefix("http://").rstrip("/")


@pytest.fixture
def shown(served: tuple[Google, str]) -> tuple[Google, str]:
    served[0].control.reset()
    return served


def asked(address: str, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection(address, timeout=10)
    try:
        connection.request(method, path, body or None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())
    finally:
        connection.close()


def posted(address: str, command: str, **fields: str) -> tuple[int, str]:
    status, _, headers = asked(address, "POST", f"/control/{command}", urlencode(fields))
    return status, headers.get("Location", "")


def test_the_page_holds_what_there_is(shown: tuple[Google, str]) -> None:
    cloud, address = shown
    cloud.active("digits")
    status, text, _ = asked(address, "GET", "/")

    assert (status, "digits-2" in text, "collection, 3 x v6e-8, 3 ready" in text) == (200, True, True)


def test_the_page_loads_nothing_from_elsewhere(shown: tuple[Google, str]) -> None:
    texts = [asked(shown[1], "GET", path)[1] for path in ("/", "/style.css", "/script.js")]

    assert [text for text in texts if "https://" in text or "//cdn" in text] == []


def test_a_name_that_merely_resolves_to_this_machine_is_refused(shown: tuple[Google, str]) -> None:
    assert asked(shown[1], "GET", "/", Host="evil.example")[0] == 403


def test_a_form_on_another_site_s_page_is_refused(shown: tuple[Google, str]) -> None:
    status, _, _ = asked(shown[1], "POST", "/control/reset", Origin="http://evil.example")

    assert status == 403


def test_a_request_without_a_name_of_this_server_is_refused(shown: tuple[Google, str]) -> None:
    assert asked(shown[1], "POST", "/control/reset", Origin="null")[0] == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS"])
def test_other_methods_are_refused(shown: tuple[Google, str], method: str) -> None:
    assert asked(shown[1], method, "/")[0] == 400


def test_a_form_that_is_too_long_is_refused(shown: tuple[Google, str]) -> None:
    connection = http.client.HTTPConnection(shown[1], timeout=10)
    connection.putrequest("POST", "/control/reset")
    connection.putheader("Content-Length", str(1 << 20))
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()

    assert status == 400


def test_a_head_that_is_too_long_is_refused(shown: tuple[Google, str]) -> None:
    assert asked(shown[1], "GET", "/", **{"X-Long": "a" * 60_000})[0] == 400


@pytest.mark.parametrize("path", ["/nothing", "/../settings.json", "/control/fail"])
def test_there_is_one_page(shown: tuple[Google, str], path: str) -> None:
    assert asked(shown[1], "GET", path)[0] == 404


@pytest.mark.parametrize("command", ["shutdown", "set", "calls"])
def test_a_command_without_a_form_is_not_served(shown: tuple[Google, str], command: str) -> None:
    assert asked(shown[1], "POST", f"/control/{command}")[0] == 404


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_page_is_one_of_the_control_api(command: str) -> None:
    assert callable(getattr(Control, command))


def test_a_command_leads_back_to_the_page(shown: tuple[Google, str]) -> None:
    assert posted(shown[1], "hold", kind="deploy_model") == (303, "/")


def test_a_command_is_carried_out(shown: tuple[Google, str]) -> None:
    cloud, address = shown
    posted(address, "fail", name="GetModel", code="ABORTED", times="-1")

    assert [(rule["name"], rule["code"], rule["times"]) for rule in cloud.control.rules()] == [
        ("GetModel", "ABORTED", -1)
    ]


def test_an_operation_is_told_to_fail(shown: tuple[Google, str]) -> None:
    cloud, address = shown
    posted(address, "fail_operation", name="upload_model", code="ABORTED")

    assert cloud.wait(cloud.begin_upload()).error.code == 10


def test_the_clock_is_advanced(shown: tuple[Google, str]) -> None:
    cloud, address = shown
    before = cloud.control.status()["time"]
    posted(address, "advance", seconds="90.5")

    assert cloud.control.status()["time"] - before == pytest.approx(90.5)


@pytest.mark.parametrize(
    ("command", "fields", "word"),
    [
        ("hold", {"kind": "nothing"}, "deploy_model"),
        ("fail", {"name": "GetModel", "code": "ABORTED", "times": "many"}, "many"),
        ("fail", {"name": "GetModel", "code": "NONE"}, "ABORTED"),
        ("kill", {"name": "nodes/none"}, "served"),
        ("hold", {"wrong": "field"}, "hold"),
    ],
)
def test_what_was_wrong_is_shown_on_the_page(
    shown: tuple[Google, str], command: str, fields: dict[str, str], word: str
) -> None:
    _, location = posted(shown[1], command, **fields)
    _, text, _ = asked(shown[1], "GET", location)
    alert = text.partition('role="alert"')[2].partition("</p>")[0]

    assert word in alert


def test_a_display_name_is_text(shown: tuple[Google, str]) -> None:
    cloud, address = shown
    cloud.endpoint("serving", display_name="<script>alert(1)</script>")

    assert "<script>alert" not in asked(address, "GET", "/")[1]


def test_the_first_event_holds_every_section(shown: tuple[Google, str]) -> None:
    connection = http.client.HTTPConnection(shown[1], timeout=10)
    connection.request("GET", "/events")
    answer = connection.getresponse()
    line = answer.readline().decode()
    connection.close()

    assert sorted(json.loads(line.removeprefix("data: "))) == sorted(
        ["collections", "endpoints", "operations", "requests", "quotas", "faults"]
    )


def test_a_log_that_is_not_there_is_told(shown: tuple[Google, str]) -> None:
    status, text, _ = asked(shown[1], "GET", "/logs?name=nodes/none")

    assert (status, "has no log" in text) == (404, True)


def test_there_is_no_console_that_was_not_asked_for() -> None:
    with Emulator(Settings()).running() as emulator:
        assert emulator.console == ""


@given(st.text())
def test_text_is_escaped(text: str) -> None:
    inside = element("p", text, title=text).removeprefix("<p title=").removesuffix("</p>")

    assert "<" not in inside
    assert inside.count('"') == 2


def test_markup_stays() -> None:
    assert element("p", Markup("<b>a</b>"), "<") == "<p><b>a</b>&lt;</p>"


@given(st.lists(st.integers(1, 100), min_size=1, max_size=9).filter(lambda shares: sum(shares) <= 100))
def test_the_parts_of_a_bar_lie_side_by_side(shares: list[int]) -> None:
    picture = bar([Share(str(share), share) for share in shares], "")
    begins = [sum(shares[:index]) for index in range(len(shares))]

    assert [f'x="{begin}" y="0" width="{share}"' in picture for begin, share in zip(begins, shares, strict=True)] == [
        True
    ] * len(shares)


def test_tones_are_those_of_the_style_sheet() -> None:
    assert {*TONES.values()} == {"good", "warn", "bad"}
