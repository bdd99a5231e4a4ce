"""What one environment of a platform team has around its stacks: identity, weights, keys, logs, access to images."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog import Fault

from .encryption_key import EncryptionKey
from .gcp import IDENTIFIERS, LATER, common_faults, gcp
from .inputs import check_arguments, given, merged, picked
from .model_bucket import ModelBucket
from .request_log import RequestLog
from .serving_account import ServingAccount

if TYPE_CHECKING:
    from pulumi_gcp import artifactregistry, projects
else:
    artifactregistry = LATER
    projects = LATER

TYPE = "tpuserve:components:ServingEnvironment"
APIS = ("aiplatform", "bigquery", "cloudkms", "compute", "iam", "storage", "tpu")
KEY_OF = ("aiplatform", "bigquery", "compute", "storage")
LABEL = "environment"


class RepositoryArgs(TypedDict, total=False):
    """A repository of images that is there already."""

    project: Required[str]
    """Project id."""
    location: Required[str]
    """Region."""
    repository: Required[str]
    """Id of the repository."""


class ServingEnvironmentArgs(TypedDict, total=False):
    """Arguments of an environment. Who is granted what, and from which source that is known: docs/environments.md."""

    environment: Required[str]
    """Its name, such as `prod`: the label `environment` of everything in it."""
    project: Required[pulumi.Input[str]]
    """Project id of what is served."""
    project_number: Required[pulumi.Input[str]]
    """Number of that project: Google names the agent for boot disks by it."""
    location: Required[pulumi.Input[str]]
    """Region of models and endpoints, such as `us-east5`."""
    account_id: pulumi.Input[str]
    """What the address of the serving account begins with; `tpu-serving-<environment>` where left out."""
    bucket_name: pulumi.Input[str]
    """Name of the model bucket, one of all in the world; made from the component's name where left out."""
    dataset_id: pulumi.Input[str]
    """Id of the request log; `request_log_<environment>` where left out, with underscores for hyphens."""
    keep_days: pulumi.Input[int]
    """Days that the request log keeps a partition; for ever where left out."""
    deployers: Mapping[str, pulumi.Input[str]]
    """Who deploys, by a name of your own: `{"ci": "serviceAccount:..."}`."""
    trainers: Mapping[str, pulumi.Input[str]]
    """Who adds weights to the model bucket, by a name of your own."""
    analysts: Mapping[str, pulumi.Input[str]]
    """Who reads the request log, by a name of your own."""
    repository: RepositoryArgs
    """Images of the environment, such as a `RegistryContract` of another stack: the serving account and Vertex AI are
    let in to read."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of everything that has any, beside `environment`."""


class ServingEnvironment(pulumi.ComponentResource):
    """The surroundings of stacks. Children: `<name>-<api>-api`, `<name>-encryption` (an EncryptionKey),
    `<name>-account` (a ServingAccount), `<name>-models` (a ModelBucket), `<name>-log` (a RequestLog),
    `<name>-account-reader` and `<name>-aiplatform-reader` of the repository."""

    apis: Mapping[str, "projects.Service"]
    """The APIs that are enabled, by name; they stay enabled when they leave the program."""
    encryption: EncryptionKey
    """The key of everything in it."""
    account: ServingAccount
    """What containers and slices run as."""
    models: ModelBucket
    """Where weights are."""
    log: RequestLog
    """Where requests are logged."""
    readers: Mapping[str, "artifactregistry.RepositoryIamMember"]
    """The right to read images, by `account` and `aiplatform`."""
    outputs: Mapping[str, pulumi.Input[Any]]
    """What a program exports so that other stacks find it: an `EnvironmentContract`, less network and log share."""

    def __init__(self, name: str, args: ServingEnvironmentArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("ServingEnvironment", name, ServingEnvironmentArgs, args, environment_faults(args))
        self.apis = self._apis(name, args)
        child = pulumi.ResourceOptions(parent=self, depends_on=list(self.apis.values()))
        plan: Any = environment_plan(args)
        self.encryption = EncryptionKey(f"{name}-encryption", plan["encryption"], child)
        key = {"kms_key_name": self.encryption.key_name}
        self.account = ServingAccount(f"{name}-account", plan["account"], child)
        readers = {"readers": {"serving": self.account.member}}
        models: Any = plan["models"] | key | readers
        self.models = ModelBucket(f"{name}-models", models, child)
        log: Any = plan["log"] | key
        self.log = RequestLog(f"{name}-log", log, child)
        self.readers = self._readers(name, args)
        self.outputs = {
            "serviceAccount": self.account.email,
            "modelBucket": self.models.url,
            "kmsKeyName": self.encryption.key_name,
            "requestLog": self.log.output_uri,
            "labels": plan["models"]["labels"],
            **given({"repositoryUrl": repository_url(args.get("repository"))}),
        }
        self.register_outputs(dict(self.outputs))

    def _apis(self, name: str, args: Mapping[str, Any]) -> dict[str, "projects.Service"]:
        child, project = pulumi.ResourceOptions(parent=self), args["project"]
        return {
            api: gcp("projects").Service(f"{name}-{api}-api", project=project, **api_args(api), opts=child)
            for api in APIS
        }

    def _readers(self, name: str, args: Mapping[str, Any]) -> dict[str, "artifactregistry.RepositoryIamMember"]:
        if not args.get("repository"):
            return {}
        agent = catalog.service_agents()["aiplatform"]
        agent_member = pulumi.Output.from_input(args["project_number"]).apply(agent.member)
        made = pulumi.ResourceOptions(parent=self, depends_on=[self.encryption])  # which brings the agent about
        make, where = gcp("artifactregistry").RepositoryIamMember, args["repository"]
        roles = {"account": catalog.role_of("repository-reader"), "aiplatform": catalog.role_of("repository-agent")}
        members = {"account": self.account.member, "aiplatform": agent_member}
        return {
            who: make(f"{name}-{who}-reader", **where, role=roles[who], member=member, opts=made)
            for who, member in members.items()
        }


def environment_faults(args: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with the arguments, as far as it can be known."""
    yield from common_faults(args)
    if not isinstance(environment := args.get("environment"), str):
        return
    if faults := [Fault("environment", fault) for _, fault in catalog.check_labels({LABEL: environment})]:
        yield from faults
        return
    for name, made in made_of(environment).items():
        if args.get(name) is None and (fault := catalog.check_resource_id(IDENTIFIERS[name], made)):
            yield Fault(name, f"{fault}; it was made of the environment's name, so give one")


def made_of(environment: str) -> dict[str, str]:
    """The ids that are left out, made of an environment's name."""
    return {
        "account_id": f"tpu-serving-{environment}",
        "dataset_id": f"request_log_{environment.replace('-', '_')}",
    }


def environment_plan(args: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The arguments of the components within, by the end of their names, less what one takes from another."""
    environment, place = args["environment"], picked(args, "project", "location")
    labels = merged(args.get("labels"), {LABEL: environment})
    deployers = given({"users": args.get("deployers")})
    ids = made_of(environment) | picked(args, "account_id", "dataset_id")
    return {
        "encryption": {**place, "services": KEY_OF, "project_number": args["project_number"], "labels": labels},
        "account": {"project": args["project"], **picked(ids, "account_id"), **deployers},
        "models": {
            **place,
            **picked(args, "bucket_name"),
            **given({"writers": args.get("trainers")}),
            "labels": labels,
        },
        "log": {
            **place,
            **picked(ids, "dataset_id"),
            **picked(args, "keep_days"),
            "readers": args.get("analysts"),
            "labels": labels,
        },
    }


def api_args(api: str) -> dict[str, Any]:
    """The arguments of a child `-api`, less the project."""
    return {"service": f"{api}.googleapis.com", "disable_on_destroy": False}


def repository_url(repository: Mapping[str, Any] | None) -> str | None:
    """What the name of an image in it begins with."""
    return (
        None
        if repository is None
        else f"{repository['location']}-docker.pkg.dev/{repository['project']}/{repository['repository']}"
    )
