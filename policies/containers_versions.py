"""Family `containers-versions`: whether the names of image and weights say which version is served."""

from collections.abc import Iterator

from pulumi_policy import EnforcementLevel, Severity

from tpuserve import catalog
from tpuserve.catalog import Unknown

from .container import SUBJECTS, Container, answers_on
from .family import Answer, Config, Family, Passed, Resource, Unchecked, Violated


def versions(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether the image is named by its digest, and the folder of the weights for a version."""
    return answers_on(resource, lambda container: [*_image(container), *_artifact(container)])


def _image(container: Container) -> Iterator[Answer]:
    image, path = container.spec.get("imageUri"), f"{container.subject.spec}.imageUri"
    if image is None:
        return
    if isinstance(image, Unknown):
        yield Unchecked(path)
    else:
        message = catalog.check_image_version(image)
        yield Violated(path, message) if message else Passed(path)


def _artifact(container: Container) -> Iterator[Answer]:
    """A program that says by `contentVersion` when the weights have changed needs no version in their path."""
    path = container.subject.artifact
    if not path or container.artifact is None or container.versioned:
        return
    if isinstance(container.artifact, Unknown):
        yield Unchecked(path)
    else:
        message = catalog.check_artifact_version(container.artifact)
        yield Violated(path, message) if message else Passed(path)


FAMILY = Family(
    name="containers-versions",
    description="Images are named by digest, and folders of weights for their version.",
    rule=versions,
    tokens=tuple(SUBJECTS),
    remediation="Name the image as `...@sha256:...`, and put each version of the weights in a folder of its own.",
    severity=Severity.MEDIUM,
    level=EnforcementLevel.ADVISORY,
)
