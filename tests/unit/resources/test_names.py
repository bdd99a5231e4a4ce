"""Full resource names, and property paths."""

from __future__ import annotations

import pytest

from tpuserve.resources.names import check_name
from tpuserve.resources.paths import Step, join

NAME = "projects/p/locations/us-east5/endpoints/e"


@pytest.mark.parametrize(
    "name", [NAME, f"https://us-east5-aiplatform.googleapis.com/v1/{NAME}", f"//aiplatform.googleapis.com/{NAME}"]
)
def test_full_name(name: str) -> None:
    assert check_name("endpoints", name) is None


def test_name_of_a_version() -> None:
    assert check_name("models", "projects/p/locations/us-east5/models/m@champion") is None


@pytest.mark.parametrize(
    "name", ["", "e", "projects/p/endpoints/e", "projects//locations/l/endpoints/e", NAME + "/more", "a/b/c/d/e/f"]
)
def test_anything_else(name: str) -> None:
    assert check_name("endpoints", name) == (
        f"{name!r} is not a full name; give projects/PROJECT/locations/LOCATION/endpoints/ID"
    )


def test_name_of_another_kind() -> None:
    assert check_name("models", NAME) is not None


@pytest.mark.parametrize(
    ("steps", "path"),
    [
        (("a",), "a"),
        (("a", "b"), "a.b"),
        (("a", 0, "b"), "a[0].b"),
        (("labels", "a.b"), 'labels["a.b"]'),
        (("labels", "a[0]"), 'labels["a[0]"]'),
    ],
)
def test_path(steps: tuple[Step, ...], path: str) -> None:
    assert join(steps) == path
