"""Where Pulumi keeps the states of stacks, and the key that encrypts their secrets."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, TypedDict

import pulumi

from tpuserve import catalog

from .encryption_key import EncryptionKey
from .gcp import LATER, common_faults, gcp, let_in
from .inputs import check_arguments, picked
from .model_bucket import bucket_args

if TYPE_CHECKING:
    from pulumi_gcp import storage
else:
    storage = LATER

TYPE = "tpuserve:components:StateStore"


class StateStoreArgs(TypedDict, total=False):
    """Arguments of a store. One store an environment keeps who deploys to one from reading another's states."""

    project: Required[pulumi.Input[str]]
    """Project id."""
    location: Required[pulumi.Input[str]]
    """Region, such as `us-east5`."""
    bucket_name: Required[pulumi.Input[str]]
    """Name of the bucket, one of all in the world."""
    writers: Mapping[str, pulumi.Input[str]]
    """Who updates stacks, by a name of your own: `{"apply": "serviceAccount:..."}`."""
    readers: Mapping[str, pulumi.Input[str]]
    """Who previews them, by a name of your own."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of bucket and key."""


class StateStore(pulumi.ComponentResource):
    """A bucket with versions and a key. Children: `<name>-key` (an EncryptionKey), `<name>-bucket`,
    `<name>-<writer>-writer`, `<name>-<reader>-reader`. The bucket is protected: it holds what everything else is
    known by."""

    key: EncryptionKey
    """The key: of the bucket's objects, and of the secrets in them."""
    bucket: "storage.Bucket"
    """The bucket itself."""
    grants: Mapping[str, "storage.BucketIAMMember"]
    """The right to use it, by the end of its name, such as `apply-writer`."""
    backend_url: pulumi.Output[str]
    """What `pulumi login` takes, or PULUMI_BACKEND_URL."""
    secrets_provider: pulumi.Output[str]
    """What `pulumi stack init --secrets-provider` takes."""

    def __init__(self, name: str, args: StateStoreArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("StateStore", name, StateStoreArgs, args, common_faults(args))
        child = pulumi.ResourceOptions(parent=self)
        self.key = EncryptionKey(f"{name}-key", key_args(args), child)  # pyright: ignore[reportArgumentType]
        wanted = bucket_args({**args, "kms_key_name": self.key.key_name})
        kept = pulumi.ResourceOptions(parent=self, protect=True)
        self.bucket = gcp("storage").Bucket(f"{name}-bucket", **wanted, opts=kept)

        def grant(end: str, member: Any) -> "storage.BucketIAMMember":
            role = catalog.role_of(f"state-{end.rpartition('-')[2]}")
            bucket = self.bucket.name
            return gcp("storage").BucketIAMMember(f"{name}-{end}", bucket=bucket, role=role, member=member, opts=child)

        self.grants = {
            **let_in(args.get("writers"), "writer", grant),
            **let_in(args.get("readers"), "reader", grant),
        }
        self.backend_url = self.bucket.name.apply(lambda known: f"gs://{known}")
        self.secrets_provider = self.key.key_name.apply(lambda known: f"gcpkms://{known}")
        self.register_outputs({"backendUrl": self.backend_url, "secretsProvider": self.secrets_provider})


def key_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-key`: whoever has a state to do with needs what is secret in it."""
    people = {"users": args.get("writers") or {}, "readers": args.get("readers") or {}}
    return picked(args, "project", "location", "labels") | {"services": ["storage"], **people}
