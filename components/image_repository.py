"""A repository of Artifact Registry for container images, whose tags do not move."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, TypedDict

import pulumi

from tpuserve import catalog

from .gcp import LATER, common_faults, gcp, let_in
from .inputs import check_arguments, picked

if TYPE_CHECKING:
    from pulumi_gcp import artifactregistry
else:
    artifactregistry = LATER

TYPE = "tpuserve:components:ImageRepository"


class ImageRepositoryArgs(TypedDict, total=False):
    """Arguments of a repository."""

    project: Required[pulumi.Input[str]]
    """Project id."""
    location: Required[pulumi.Input[str]]
    """Region, such as `us-east5`."""
    repository_id: Required[pulumi.Input[str]]
    """Id of the repository: part of each image's name."""
    kms_key_name: pulumi.Input[str]
    """Key of the images, such as an `EncryptionKey`'s `key_name`; Google's where left out. Fixed once given."""
    readers: Mapping[str, pulumi.Input[str]]
    """Who pulls images, by a name of your own: `{"prod": "serviceAccount:..."}`."""
    writers: Mapping[str, pulumi.Input[str]]
    """Who pushes images, by a name of your own."""
    mutable_tags: pulumi.Input[bool]
    """Whether a tag may be moved to another image; false where left out."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of the repository."""


class ImageRepository(pulumi.ComponentResource):
    """A repository. Children: `<name>-repository`, `<name>-<reader>-reader`, `<name>-<writer>-writer`."""

    repository: "artifactregistry.Repository"
    """The repository itself."""
    grants: Mapping[str, "artifactregistry.RepositoryIamMember"]
    """The right to use it, by the end of its name, such as `ci-writer`."""
    url: pulumi.Output[str]
    """`LOCATION-docker.pkg.dev/PROJECT/REPOSITORY`, what the name of an image begins with."""

    def __init__(self, name: str, args: ImageRepositoryArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("ImageRepository", name, ImageRepositoryArgs, args, common_faults(args))
        child = pulumi.ResourceOptions(parent=self)
        self.repository = gcp("artifactregistry").Repository(f"{name}-repository", **repository_args(args), opts=child)
        where = picked(args, "project", "location") | {"repository": self.repository.repository_id}

        def grant(end: str, member: Any) -> "artifactregistry.RepositoryIamMember":
            role = catalog.role_of(f"repository-{end.rpartition('-')[2]}")
            registry = gcp("artifactregistry")
            return registry.RepositoryIamMember(f"{name}-{end}", **where, role=role, member=member, opts=child)

        self.grants = {
            **let_in(args.get("readers"), "reader", grant),
            **let_in(args.get("writers"), "writer", grant),
        }
        parts = (args["location"], args["project"], self.repository.repository_id)
        self.url = pulumi.Output.format("{0}-docker.pkg.dev/{1}/{2}", *parts)
        self.register_outputs({"url": self.url})


def repository_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-repository`."""
    wanted = picked(args, "project", "location", "repository_id", "kms_key_name", "labels")
    fixed = {} if args.get("mutable_tags") is True else {"docker_config": {"immutable_tags": True}}
    return wanted | {"format": "DOCKER"} | fixed
