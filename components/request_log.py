"""A dataset of BigQuery for the requests and responses of an endpoint."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, TypedDict

import pulumi

from tpuserve import catalog

from .gcp import LATER, common_faults, gcp, let_in
from .inputs import check_arguments, picked

if TYPE_CHECKING:
    from pulumi_gcp import bigquery
else:
    bigquery = LATER

TYPE = "tpuserve:components:RequestLog"
DAY = 24 * 60 * 60 * 1000


class RequestLogArgs(TypedDict, total=False):
    """Arguments of a dataset. Vertex AI makes the table `request_response_logging` in it, and writes as its own agent,
    which has access to the datasets of its project (Vertex AI, "Use a custom service account")."""

    project: Required[pulumi.Input[str]]
    """Project id: that of the endpoint."""
    location: Required[pulumi.Input[str]]
    """Region, such as `us-east5`: that of the endpoint."""
    dataset_id: Required[pulumi.Input[str]]
    """Id of the dataset: letters, digits and underscores."""
    kms_key_name: pulumi.Input[str]
    """Key of new tables, such as an `EncryptionKey`'s `key_name`; Google's where left out."""
    keep_days: pulumi.Input[int]
    """Days after which a partition is deleted; never where left out. That the table is made with partitions is not
    known: where it is not, nothing is deleted."""
    readers: Mapping[str, pulumi.Input[str]]
    """Who reads it, by a name of your own: `{"ml": "group:..."}`."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of the dataset."""


class RequestLog(pulumi.ComponentResource):
    """A dataset. Children: `<name>-dataset`, `<name>-<reader>-reader`."""

    dataset: "bigquery.Dataset"
    """The dataset itself."""
    readers: Mapping[str, "bigquery.DatasetIamMember"]
    """The right to read it, by the end of its name, such as `ml-reader`."""
    output_uri: pulumi.Output[str]
    """`bq://PROJECT.DATASET`, what an endpoint's `bigquery_destination` takes."""

    def __init__(self, name: str, args: RequestLogArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("RequestLog", name, RequestLogArgs, args, common_faults(args))
        child = pulumi.ResourceOptions(parent=self)
        self.dataset = gcp("bigquery").Dataset(f"{name}-dataset", **dataset_args(args), opts=child)
        where = {"project": args["project"], "dataset_id": self.dataset.dataset_id}
        role = catalog.role_of("log-reader")
        self.readers = let_in(
            args.get("readers"),
            "reader",
            lambda end, member: gcp("bigquery").DatasetIamMember(
                f"{name}-{end}", **where, role=role, member=member, opts=child
            ),
        )
        self.output_uri = pulumi.Output.format("bq://{0}.{1}", self.dataset.project, self.dataset.dataset_id)
        self.register_outputs({"outputUri": self.output_uri})


def dataset_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-dataset`."""
    wanted = picked(args, "project", "location", "dataset_id", "labels")
    if args.get("kms_key_name") is not None:
        wanted["default_encryption_configuration"] = {"kms_key_name": args["kms_key_name"]}
    if (days := args.get("keep_days")) is not None:
        is_known = isinstance(days, int)
        kept = _milliseconds(days) if is_known else pulumi.Output.from_input(days).apply(_milliseconds)
        wanted["default_partition_expiration_ms"] = kept
    return wanted


def _milliseconds(days: Any) -> int:
    return int(days) * DAY
