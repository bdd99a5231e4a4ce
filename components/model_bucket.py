"""A bucket for weights: private, with versions, encrypted with a key of one's own."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, TypedDict

import pulumi

from tpuserve import catalog

from .gcp import LATER, common_faults, gcp, let_in
from .inputs import check_arguments, picked

if TYPE_CHECKING:
    from pulumi_gcp import storage
else:
    storage = LATER

TYPE = "tpuserve:components:ModelBucket"


class ModelBucketArgs(TypedDict, total=False):
    """Arguments of a bucket."""

    project: Required[pulumi.Input[str]]
    """Project id."""
    location: Required[pulumi.Input[str]]
    """Region, such as `us-east5`: that of the models, since weights are loaded at each start of a replica."""
    bucket_name: pulumi.Input[str]
    """Name, one of all in the world; made from the component's name where left out."""
    kms_key_name: pulumi.Input[str]
    """Key of new objects, such as an `EncryptionKey`'s `key_name`; Google's where left out."""
    readers: Mapping[str, pulumi.Input[str]]
    """Who reads objects, by a name of your own: `{"serving": "serviceAccount:..."}`."""
    writers: Mapping[str, pulumi.Input[str]]
    """Who adds objects, by a name of your own; nobody of them replaces or deletes any."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of the bucket."""


class ModelBucket(pulumi.ComponentResource):
    """A bucket. Children: `<name>-bucket`, `<name>-<reader>-reader`, `<name>-<writer>-writer`."""

    bucket: "storage.Bucket"
    """The bucket itself."""
    grants: Mapping[str, "storage.BucketIAMMember"]
    """The right to use it, by the end of its name, such as `ci-writer`."""
    name: pulumi.Output[str]
    """Its name."""
    url: pulumi.Output[str]
    """`gs://...`, the beginning of a model's `artifact_uri`."""

    def __init__(self, name: str, args: ModelBucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("ModelBucket", name, ModelBucketArgs, args, common_faults(args))
        child = pulumi.ResourceOptions(parent=self)
        self.bucket = gcp("storage").Bucket(f"{name}-bucket", **bucket_args(args), opts=child)
        self.name = self.bucket.name
        self.url = self.name.apply(lambda known: f"gs://{known}")

        def grant(end: str, member: Any) -> "storage.BucketIAMMember":
            role = catalog.role_of(f"bucket-{end.rpartition('-')[2]}")
            bucket = self.bucket.name
            return gcp("storage").BucketIAMMember(f"{name}-{end}", bucket=bucket, role=role, member=member, opts=child)

        self.grants = {
            **let_in(args.get("readers"), "reader", grant),
            **let_in(args.get("writers"), "writer", grant),
        }
        self.register_outputs({"name": self.name, "url": self.url})


def bucket_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-bucket`."""
    wanted = private_bucket(args) | picked(args, "labels")
    if args.get("kms_key_name") is not None:
        wanted["encryption"] = {"default_kms_key_name": args["kms_key_name"]}
    return wanted


def private_bucket(args: Mapping[str, Any]) -> dict[str, Any]:
    """A bucket that nobody makes public, and that keeps what is replaced."""
    named = {} if args.get("bucket_name") is None else {"name": args["bucket_name"]}
    return (
        picked(args, "project", "location")
        | named
        | {
            "uniform_bucket_level_access": True,
            "public_access_prevention": "enforced",
            "versioning": {"enabled": True},
        }
    )
