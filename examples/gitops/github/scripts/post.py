"""post.py comment|issue FILE CODE: puts a report in the place of the last one.

CODE is the exit code of `tpuserve report`: with 0, nothing to tell, no first comment is written and an issue is closed.
Environment: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, of the job; AUTHOR, whose comments and issues are its own,
github-actions[bot] where not set; RUN_URL, where all of it is. For a comment: PULL_REQUEST, its number, and HEAD_SHA,
the commit that was previewed: where the pull request has a newer one, nothing is written.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

MARKER = "<!-- tpuserve:report -->"
"""What a report begins with: it is not seen, and by it the last one is found."""
TITLE = "What is there is not what is declared"
MOST = 65_536
"""Characters of a comment, and of an issue's text, that GitHub takes."""
PAGE, PAGES = 100, 100
SECONDS = 30
CLEAN = "0"


class PostError(Exception):
    """Why nothing was written."""


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is for the API alone."""

    def redirect_request(  # noqa: PLR0917 - urllib's own
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        return None


@dataclass(frozen=True)
class GitHub:
    """One repository. Every call raises PostError where GitHub refuses it."""

    api: str
    repository: str
    token: str

    def __post_init__(self) -> None:
        url = urlsplit(self.api)
        if url.scheme != "https" and (url.scheme, url.hostname) != ("http", "127.0.0.1"):
            raise PostError(f"GITHUB_API_URL {self.api}: a token goes over https alone")

    def call(self, method: str, path: str, content: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 - its scheme was looked at
            f"{self.api}/repos/{self.repository}/{path}",
            method=method,
            data=None if content is None else json.dumps(content).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
            },
        )
        try:
            with urllib.request.build_opener(Stay).open(request, timeout=SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise PostError(f"{method} {path}: GitHub answered {error.code}: {_reason(error)}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise PostError(f"{method} {path}: {' '.join(str(error).split()) or type(error).__name__}") from None

    def all(self, path: str) -> Iterator[dict[str, Any]]:
        """Every item of a list, page by page."""
        joint = "&" if "?" in path else "?"
        for page in range(1, PAGES + 1):
            items = self.call("GET", f"{path}{joint}per_page={PAGE}&page={page}")
            yield from items
            if len(items) < PAGE:
                return
        raise PostError(f"GET {path}: more than {PAGE * PAGES:,}; the rest was not read")


@dataclass(frozen=True)
class Told:
    """What is to be said."""

    text: str
    code: str
    author: str

    @property
    def body(self) -> str:
        """Never longer than GitHub takes: else the verdict, and where all of it is."""
        if len(self.text) <= MOST:
            return self.text
        where = os.environ.get("RUN_URL", "the summary of the job")
        return f"{self.text.partition(chr(10) * 2)[0][: MOST // 2]}\n\nToo long for here: {where}\n"

    def of_last(self, items: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
        """The last one: its author counts as well, for anybody can write the marker."""
        mine = (each for each in items if (each["user"] or {}).get("login") == self.author)
        return next((each for each in mine if (each["body"] or "").startswith(MARKER)), None)


def comment(github: GitHub, told: Told, number: int, head: str) -> str:
    """One comment, written anew in its place; quiet where there was none and nothing changes."""
    if github.call("GET", f"pulls/{number}")["head"]["sha"] != head:
        return "the pull request has a newer commit; its own preview tells of that"
    last = told.of_last(github.all(f"issues/{number}/comments"))
    if last is None and told.code == CLEAN:
        return "nothing changes; no comment"
    if last is None:
        github.call("POST", f"issues/{number}/comments", {"body": told.body})
        return "commented"
    if last["body"] == told.body:
        return "the comment says so already"
    github.call("PATCH", f"issues/comments/{last['id']}", {"body": told.body})
    return "the comment is new"


def issue(github: GitHub, told: Told) -> str:
    """One open issue while there is something to tell."""
    last = told.of_last(each for each in github.all("issues?state=open") if "pull_request" not in each)
    if told.code == CLEAN:
        if last is not None:
            github.call("PATCH", f"issues/{last['number']}", {"state": "closed"})
        return "nothing found" if last is None else "nothing is found any more; the issue is closed"
    content = {"title": TITLE, "body": told.body}
    if last is None:
        github.call("POST", "issues", content)
        return "a new issue"
    github.call("PATCH", f"issues/{last['number']}", content)
    return "the issue is new"


def main(arguments: Sequence[str]) -> int:
    kind, file, code = arguments
    try:
        github = GitHub(_given("GITHUB_API_URL"), _given("GITHUB_REPOSITORY"), _given("GITHUB_TOKEN"))
        author = os.environ.get("AUTHOR", "github-actions[bot]")
        told = Told(Path(file).read_text(encoding="utf-8"), code, author)
        done = issue(github, told) if kind == "issue" else comment(github, told, _number(), _given("HEAD_SHA"))
    except PostError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{done}\n")
    return 0


def _given(name: str) -> str:
    if not (found := os.environ.get(name, "")):
        raise PostError(f"{name} is not set")
    return found


def _number() -> int:
    found = os.environ.get("PULL_REQUEST", "")
    if not (found.isascii() and found.isdigit()):
        raise PostError(f"PULL_REQUEST {found!r} is no number: the run belongs to no pull request of this repository")
    return int(found)


def _reason(error: urllib.error.HTTPError) -> str:
    """GitHub's own words."""
    try:
        return str(json.load(error)["message"])
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return str(error.reason)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
