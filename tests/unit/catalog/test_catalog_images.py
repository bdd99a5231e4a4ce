"""Names of images and folders: which of them say what version they stand for."""
# ruff: noqa: E501 - whole messages

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN
from tpuserve.catalog.images import is_of_family

REPOSITORY = "us-docker.pkg.dev/acme/serving/digits"
DIGEST = "@sha256:" + "0123456789abcdef" * 4


@pytest.mark.parametrize("tag", ["", ":1.2.3"])
def test_an_image_named_by_its_digest_passes(tag: str) -> None:
    assert catalog.check_image_version(REPOSITORY + tag + DIGEST) is None


def test_an_image_named_by_a_tag() -> None:
    assert catalog.check_image_version(f"{REPOSITORY}:1.2.3") == snapshot(
        "'us-docker.pkg.dev/acme/serving/digits:1.2.3' names the image by the tag 1.2.3, which can move: Vertex AI takes the image once, when a version is uploaded, and does not follow; name it by its digest, ...@sha256:..."
    )


def test_an_image_without_a_tag() -> None:
    assert catalog.check_image_version("localhost:5000/digits") == snapshot(
        "'localhost:5000/digits' names the image without a tag, which can move: Vertex AI takes the image once, when a version is uploaded, and does not follow; name it by its digest, ...@sha256:..."
    )


@pytest.mark.parametrize(
    "path",
    [
        "v3",
        "digits/v3",
        "digits/2026-11-30",
        "1",
        "digits-v3",
        "digits/step-100",
        "digits@v2/weights",
        "7c9e2a1",
        "digits/v3/",
    ],
)
def test_a_folder_that_is_named_for_a_version_passes(path: str) -> None:
    assert catalog.check_artifact_version(f"gs://acme-models/{path}") is None


@pytest.mark.parametrize(
    "path", ["", "digits", "digits/latest", "llama-3-8b", "resnet50", "deadbeef", "digits/current/"]
)
def test_a_folder_that_names_no_version(path: str) -> None:
    assert catalog.check_artifact_version(f"gs://acme-v1/{path}")


def test_the_message_for_a_folder_offers_one() -> None:
    assert catalog.check_artifact_version("gs://acme/digits/") == snapshot(
        "'gs://acme/digits/' names no version: other weights put there change nothing until contentVersion changes; give each version a folder of its own, such as gs://acme/digits/v1"
    )


def test_what_is_not_known_is_no_fault() -> None:
    assert (catalog.check_image_version(UNKNOWN), catalog.check_artifact_version(UNKNOWN)) == (None, None)


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert isinstance(catalog.check_image_version(text), str | None)
    assert isinstance(catalog.check_artifact_version(text), str | None)


@pytest.mark.parametrize(
    ("image", "is_it"),
    [
        ("us-docker.pkg.dev/vertex-ai/prediction/pytorch-tpu.2-1:latest", True),
        ("gcr.io/acme/pytorch-tpu.2-1", True),
        ("us-docker.pkg.dev/acme/pytorch-tpu-mine.2-1:latest", False),
        ("docker.io/library/pytorch-tpu.2-1", False),
        (UNKNOWN, False),
        (None, False),
    ],
)
def test_an_image_is_of_the_family_that_its_name_begins_with(image: object, is_it: bool) -> None:
    assert is_of_family(image, "pytorch-tpu") is is_it
