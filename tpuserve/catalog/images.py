"""Container images and folders of weights by their names: what is Google's own, and what says which version it is."""

import re

from tpuserve.catalog.faults import Unknown

_IMAGE = re.compile(
    r"(?:[a-z0-9-]+-docker\.pkg\.dev|(?:[a-z]+\.)?gcr\.io)/(?:[a-z0-9._:-]+/)+(?P<name>[a-z0-9._-]+)"
    r"(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?"
)
_DIGEST = re.compile(r".+@sha256:[0-9a-f]{64}")
_VERSION = re.compile(
    r"(?:v|ver|version|r|rev|rel|release|build|step|epoch|ckpt|checkpoint)?[-_=.]?\d[\w.+-]*"  # v3, 2026-11-30
    r"|.+[-_@.]v\d[\w.+-]*"  # digits-v3
    r"|(?=.*\d)[0-9a-f]{7,64}",  # a commit, a digest
    re.IGNORECASE,
)
"""A part of a path that says which version it is; a rule of this project."""


def is_of_family(image: object, family: str) -> bool:
    """Whether the image's name, in any registry of Google's, begins with `<family>.`."""
    found = _IMAGE.fullmatch(image) if isinstance(image, str) else None
    return bool(found and found["name"].startswith(f"{family}."))


def check_image_version(image: str | Unknown) -> str | None:
    """Why nobody can tell from its name which image is meant.

    Source: ModelContainerSpec.image_uri: the image is ingested at upload, and its URI not used again.
    """
    if isinstance(image, Unknown) or _DIGEST.fullmatch(image):
        return None
    tag = image.rpartition("/")[2].partition("@")[0].partition(":")[2]
    named = f"by the tag {tag}" if tag else "without a tag"
    return (
        f"{image!r} names the image {named}, which can move: Vertex AI takes the image once, when a version is "
        "uploaded, and does not follow; name it by its digest, ...@sha256:..."
    )


def check_artifact_version(uri: str | Unknown) -> str | None:
    """Why nobody can tell from its path which weights are meant: no folder below the bucket is named for a version."""
    if isinstance(uri, Unknown):
        return None
    _, *folders = uri.removeprefix("gs://").strip("/").split("/")
    if any(_VERSION.fullmatch(folder) for folder in folders):
        return None
    return (
        f"{uri!r} names no version: other weights put there change nothing until contentVersion changes; give each "
        f"version a folder of its own, such as {uri.rstrip('/')}/v1"
    )
