"""Where Pulumi keeps the states of stacks, with a key for the secrets of each environment."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, TypedDict

import pulumi

from tpuserve import catalog

from .encryption_key import EncryptionKey
from .gcp import LATER, common_faults, gcp, let_in
from .inputs import check_arguments, given, picked
from .model_bucket import bucket_args

if TYPE_CHECKING:
    from pulumi_gcp import storage
else:
    storage = LATER

TYPE = "tpuserve:components:StateStore"


class StateEnvironmentArgs(TypedDict, total=False):
    """Who has to do with the stacks of one environment."""

    writers: Mapping[str, pulumi.Input[str]]
    """Who updates them, by a name of your own: `{"deploy": "serviceAccount:..."}`."""
    readers: Mapping[str, pulumi.Input[str]]
    """Who previews them, by a name of your own."""


class StateStoreArgs(TypedDict, total=False):
    """Arguments of a store. Stacks read one another's outputs within one bucket only; what keeps environments apart in
    it are the keys: whoever updates one can read and change the states of another, and none of its secrets."""

    project: Required[pulumi.Input[str]]
    """Project id."""
    location: Required[pulumi.Input[str]]
    """Region, such as `us-east5`."""
    bucket_name: Required[pulumi.Input[str]]
    """Name of the bucket, one of all in the world."""
    environments: Required[Mapping[str, StateEnvironmentArgs]]
    """Each environment by its name, such as `prod`."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of bucket and keys."""


class StateStore(pulumi.ComponentResource):
    """A bucket with versions, and keys. Children: `<name>-key` and `<name>-<environment>-key` (EncryptionKeys),
    `<name>-bucket`, `<name>-<environment>-<writer>-writer`, `<name>-<environment>-<reader>-reader`. The bucket is
    protected: it holds what everything else is known by."""

    key: EncryptionKey
    """The key of the bucket's objects."""
    secrets: Mapping[str, EncryptionKey]
    """The key of the secrets in them, by environment."""
    bucket: "storage.Bucket"
    """The bucket itself."""
    grants: Mapping[str, "storage.BucketIAMMember"]
    """The right to use it, by the end of its name, such as `prod-deploy-writer`."""
    backend_url: pulumi.Output[str]
    """What `pulumi login` takes, or PULUMI_BACKEND_URL."""
    secrets_providers: Mapping[str, pulumi.Output[str]]
    """What `pulumi stack init --secrets-provider` takes, by environment."""

    def __init__(self, name: str, args: StateStoreArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("StateStore", name, StateStoreArgs, args, common_faults(args))
        for environment, each in args["environments"].items():
            check_arguments("StateStore", f"{name}, environment {environment}", StateEnvironmentArgs, each)
        keys: Any = keys_args(args)
        child = pulumi.ResourceOptions(parent=self)
        self.key = EncryptionKey(f"{name}-key", keys[""], child)
        self.secrets = {each: EncryptionKey(f"{name}-{each}-key", keys[each], child) for each in args["environments"]}
        wanted = bucket_args({**args, "kms_key_name": self.key.key_name})
        kept = pulumi.ResourceOptions(parent=self, protect=True)
        self.bucket = gcp("storage").Bucket(f"{name}-bucket", **wanted, opts=kept)
        self.grants = self._grants(name, args["environments"], child)
        self.backend_url = self.bucket.name.apply(lambda known: f"gs://{known}")
        self.secrets_providers = {
            each: pulumi.Output.concat("gcpkms://", key.key_name) for each, key in self.secrets.items()
        }
        self.register_outputs({"backendUrl": self.backend_url, "secretsProviders": self.secrets_providers})

    def _grants(
        self, name: str, environments: Mapping[str, Any], child: pulumi.ResourceOptions
    ) -> dict[str, "storage.BucketIAMMember"]:
        def grant(end: str, member: Any) -> "storage.BucketIAMMember":
            role, bucket = catalog.role_of(f"state-{end.rpartition('-')[2]}"), self.bucket.name
            return gcp("storage").BucketIAMMember(f"{name}-{end}", bucket=bucket, role=role, member=member, opts=child)

        found: dict[str, Any] = {}
        for environment, each in environments.items():
            for noun in ("writer", "reader"):
                people = {f"{environment}-{who}": member for who, member in (each.get(f"{noun}s") or {}).items()}
                found |= let_in(people, noun, grant)
        return found


def keys_args(args: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The arguments of each child `-key` by environment, and by "" of the bucket's own."""
    shared = picked(args, "project", "location", "labels")
    secrets = {
        name: shared | {"services": []} | given({"users": each.get("writers"), "readers": each.get("readers")})
        for name, each in args["environments"].items()
    }
    return {"": shared | {"services": ["storage"]}, **secrets}
