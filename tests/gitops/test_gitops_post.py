"""examples/gitops/github/scripts/post.py: one comment or issue, in the place of the last one."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.gitops.github import BOT, TOKEN, Repository

MARKER = "<!-- tpuserve:report -->\n"
Post = Callable[..., int]


@pytest.fixture
def told(post: ModuleType, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Post:
    """Runs post.py: `told("comment", text, code)`; the text has the marker before it."""

    def run(kind: str, text: str = "### 1 change\n", code: int = 2, **environ: str) -> int:
        for name, value in repository.environ(**environ).items():
            monkeypatch.setenv(name, value)
        file = tmp_path / "report.md"
        file.write_text(MARKER + text, encoding="utf-8")
        return post.main([kind, str(file), str(code)])

    return run


def test_the_first_report_is_a_new_comment(told: Post, repository: Repository) -> None:
    assert told("comment") == 0

    assert [each["body"] for each in repository.comments] == [f"{MARKER}### 1 change\n"]


def test_the_next_report_takes_its_place(told: Post, repository: Repository) -> None:
    told("comment")
    told("comment", "### 2 changes\n")

    assert [each["body"] for each in repository.comments] == [f"{MARKER}### 2 changes\n"]


def test_the_same_report_writes_nothing(told: Post, repository: Repository) -> None:
    told("comment")
    told("comment")

    assert [method for method, _ in repository.written] == ["POST"]


def test_nothing_to_tell_is_no_first_comment(told: Post, repository: Repository) -> None:
    assert told("comment", "### prod: nothing changes\n", 0) == 0

    assert repository.written == []


def test_nothing_to_tell_any_more_takes_the_place_of_what_was_told(told: Post, repository: Repository) -> None:
    told("comment")
    told("comment", "### prod: nothing changes\n", 0)

    assert [each["body"] for each in repository.comments] == [f"{MARKER}### prod: nothing changes\n"]


def test_a_comment_without_the_marker_is_left_alone(told: Post, repository: Repository) -> None:
    other = repository.add("comments", "<!-- other -->\nold")

    told("comment")

    assert (other["body"], len(repository.comments)) == ("<!-- other -->\nold", 2)


def test_somebody_elses_comment_with_the_marker_is_left_alone(told: Post, repository: Repository) -> None:
    other = repository.add("comments", f"{MARKER}approved, merge it", "mallory")

    told("comment")

    assert (other["body"], len(repository.comments)) == (f"{MARKER}approved, merge it", 2)


def test_the_comment_of_a_deleted_user_is_passed_over(told: Post, repository: Repository) -> None:
    repository.add("comments", "hello")["user"] = None

    assert told("comment") == 0


def test_a_comment_on_a_later_page_is_found(told: Post, repository: Repository) -> None:
    for _ in range(150):
        repository.add("comments", "hello", "somebody")
    last = repository.add("comments", f"{MARKER}old")

    told("comment")

    assert (last["body"], len(repository.comments)) == (f"{MARKER}### 1 change\n", 151)


def test_an_earlier_commits_preview_is_not_told(told: Post, repository: Repository) -> None:
    assert told("comment", HEAD_SHA="b" * 40) == 0

    assert repository.written == []


def test_a_report_that_is_too_long_is_its_verdict_and_where_it_is(told: Post, repository: Repository) -> None:
    told("comment", "### 1 change\n\n" + "x" * 65_530, RUN_URL="https://github.example/run/1")

    [comment] = repository.comments
    assert comment["body"] == f"{MARKER}### 1 change\n\nToo long for here: https://github.example/run/1\n"


@pytest.mark.parametrize("number", ["", "7/../8", "seven", "\u0667"])
def test_what_is_no_number_is_no_pull_request(
    number: str, told: Post, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told("comment", PULL_REQUEST=number) == 1

    assert "is no number" in capsys.readouterr().err
    assert repository.written == []


def test_githubs_refusal_is_told_without_the_token(
    told: Post, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.refuses = 403

    assert told("comment") == 1

    said = capsys.readouterr().err
    assert "GET pulls/7: GitHub answered 403: Resource not accessible by integration" in said
    assert TOKEN not in said


def test_the_token_follows_no_redirect(told: Post, repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.sends_to = "http://127.0.0.1:1/elsewhere"

    assert told("comment") == 1

    assert "answered 302" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["http://github.example", "file://127.0.0.1/etc", "ftp://127.0.0.1"])
def test_the_token_goes_over_https_alone(url: str, told: Post, capsys: pytest.CaptureFixture[str]) -> None:
    assert told("comment", GITHUB_API_URL=url) == 1

    assert "over https alone" in capsys.readouterr().err


BROKEN = [
    (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", "IncompleteRead"),
    (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 50\r\n\r\n{", "GitHub answered 403: Forbidden"),
    (b"\x00\x01\x02\r\n\r\n", "GET pulls/7: "),
]


@pytest.mark.parametrize(("answer", "words"), BROKEN)
def test_an_answer_that_is_none_is_told_in_a_line(
    answer: bytes, words: str, told: Post, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_answer, args=(server, answer))
        thread.start()

        assert told("comment", GITHUB_API_URL=f"http://127.0.0.1:{server.getsockname()[1]}") == 1

        thread.join()
    said = capsys.readouterr().err
    assert (words in said, said.count("\n")) == (True, 1)


def _answer(server: socket.socket, answer: bytes) -> None:
    """One request, answered by these bytes and no more."""
    connection, _ = server.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(answer)


def test_what_is_found_at_night_is_an_issue(told: Post, repository: Repository) -> None:
    told("issue")

    assert [(each["title"], each["body"]) for each in repository.issues] == [
        ("What is there is not what is declared", f"{MARKER}### 1 change\n")
    ]


def test_there_is_one_issue_however_many_nights(told: Post, repository: Repository) -> None:
    told("issue")
    told("issue", "### 2 changes\n")

    assert [each["body"] for each in repository.issues] == [f"{MARKER}### 2 changes\n"]


def test_the_issue_is_closed_when_nothing_is_found_any_more(told: Post, repository: Repository) -> None:
    told("issue")
    told("issue", "### prod: nothing changes\n", 0)

    assert [each["state"] for each in repository.issues] == ["closed"]


def test_a_closed_issue_is_not_opened_again(told: Post, repository: Repository) -> None:
    repository.add("issues", f"{MARKER}old", state="closed")

    told("issue")

    assert [each["state"] for each in repository.issues] == ["closed", "open"]


def test_a_pull_request_is_no_issue(told: Post, repository: Repository) -> None:
    pull = repository.add("issues", f"{MARKER}old", BOT, pull_request={})

    told("issue")

    assert pull["body"] == f"{MARKER}old"


def test_a_quiet_night_writes_nothing(told: Post, repository: Repository) -> None:
    assert told("issue", "### prod: nothing changes\n", 0) == 0

    assert repository.written == []
