"""When two names may be one object."""

import pytest

from tpuserve.orphans import Name

MODEL = Name("p", "us-east5", "models", "m")


@pytest.mark.parametrize(
    "text",
    [
        "projects/p/locations/us-east5/models/m",
        "projects/p/locations/us-east5/models/m@3",
        "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/models/m",
    ],
)
def test_every_spelling_is_one_name(text: str) -> None:
    assert Name.parse(text) == MODEL


@pytest.mark.parametrize("text", ["", "m", "projects/p/locations/us-east5/datasets/m", "projects/p/models/m", None, 3])
def test_what_is_no_name_of_ours_is_none(text: object) -> None:
    assert Name.parse(text) is None


def test_a_project_id_and_a_number_may_be_one_project() -> None:
    assert MODEL.may_be(Name("1000", "us-east5", "models", "m"))


@pytest.mark.parametrize(
    "other",
    [
        Name("q", "us-east5", "models", "m"),
        Name("p", "us-west1", "models", "m"),
        Name("p", "us-east5", "endpoints", "m"),
        Name("p", "us-east5", "models", "n"),
    ],
)
def test_another_project_place_kind_or_id_is_another_object(other: Name) -> None:
    assert not MODEL.may_be(other)


def test_two_numbers_are_two_projects() -> None:
    assert not Name("1", "l", "models", "m").may_be(Name("2", "l", "models", "m"))
