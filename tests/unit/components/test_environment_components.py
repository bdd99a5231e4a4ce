"""What is around stacks in a program whose engine is mocked: providers and parents of every child."""

from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks
from tpuserve.components import (  # pyright: ignore[reportMissingImports]
    EncryptionKey,
    ModelBucket,
    PipelineAccount,
    ServingEnvironment,
)
from tpuserve.components.gcp import gcp  # pyright: ignore[reportMissingImports]

from tests.unit.components.test_components import Recorder, output_of

PLACE = {"project": "acme-serving", "location": "us-east5"}
PEOPLE = {"ci": "serviceAccount:ci@acme.iam.gserviceaccount.com"}
REPOSITORY = {"project": "acme-images", "location": "us-east5", "repository": "serving"}
ENVIRONMENT: Any = {
    **PLACE,
    "environment": "prod",
    "project_number": "123456789012",
    "deployers": PEOPLE,
    "trainers": PEOPLE,
    "analysts": PEOPLE,
    "repository": REPOSITORY,
}


class Asked(Recorder):
    """Answers Google's functions as well, and remembers by whom each was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.providers: dict[str, str] = {}

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        id_, outputs = super().new_resource(args)
        return id_, {"name": args.name, "email": "e", "member": "serviceAccount:e"} | outputs

    def call(self, args: mocks.MockCallArgs) -> Any:
        self.providers[args.token] = args.provider
        return {"member": f"serviceAccount:{args.token}"}


@pytest.fixture
def asked() -> Asked:
    return Asked()


def with_provider() -> pulumi.Output[Any]:
    provider = gcp("provider").Provider("acme", project="acme-serving")
    made = ServingEnvironment("prod", ENVIRONMENT, pulumi.ResourceOptions(providers=[provider]))
    return pulumi.Output.all(
        made.encryption.key_name, made.log.output_uri, *(each.id for each in made.readers.values())
    )


def test_an_explicit_provider_reaches_every_child(asked: Asked) -> None:
    output_of(asked, with_provider)

    children = [each for each in asked.registered.values() if each.typ.startswith("gcp:")]
    assert len(children) > 20
    assert [each.name for each in children if "::acme::" not in (each.provider or "")] == []


def test_an_explicit_provider_asks_for_google_s_accounts(asked: Asked) -> None:
    output_of(asked, with_provider)

    assert len(asked.providers) == 2
    assert [token for token, provider in asked.providers.items() if "::acme::" not in provider] == []


def test_children_are_named_after_their_component(asked: Asked) -> None:
    output_of(asked, with_provider)

    assert [name for name in asked.registered if not name.startswith(("prod", "acme"))] == []


def test_every_child_is_below_its_component(asked: Asked) -> None:
    def build() -> pulumi.Output[Any]:
        made = ModelBucket("models", {**PLACE, "readers": PEOPLE})
        return pulumi.Output.all(made.bucket.urn, made.grants["ci-reader"].urn)

    urns = output_of(asked, build)

    assert ["tpuserve:components:ModelBucket$gcp:storage/" in urn for urn in urns] == [True, True]


def test_one_who_reads_and_writes_has_two_grants(asked: Asked) -> None:
    def build() -> pulumi.Output[Any]:
        return pulumi.Output.from_input(list(ModelBucket("m", {**PLACE, "readers": PEOPLE, "writers": PEOPLE}).grants))

    assert output_of(asked, build) == ["ci-reader", "ci-writer"]


def test_a_key_is_named_when_its_grants_are_there(asked: Asked) -> None:
    key: Any = {**PLACE, "services": ["storage"], "users": PEOPLE}

    output_of(asked, lambda: EncryptionKey("k", key).key_name)

    assert {"k-storage-grant", "k-ci-user"} <= set(asked.registered)


def test_every_fault_of_an_environment_is_told_at_once(asked: Asked) -> None:
    wrong: Any = {**PLACE, "location": "us", "environment": "prod", "bucket": "b"}

    with pytest.raises(pulumi.RunError) as error:
        output_of(asked, lambda: ServingEnvironment("prod", wrong).account.email)

    told = [line.split(":")[0].strip() for line in str(error.value).split("\n")[1:]]
    assert told == ["bucket", "project_number", "location"]


def test_a_pipeline_s_jobs_act_as_its_account(asked: Asked) -> None:
    job = "principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/subject/s"
    args: Any = {"project": "acme-serving", "account_id": "tpu-deploy", "does": "deploy", "jobs": {"main": job}}

    output_of(asked, lambda: PipelineAccount("deploy", args).jobs["main-federation"].urn)

    found = asked.registered["deploy-main-federation"].inputs
    assert (found["member"], found["role"]) == (job, "roles/iam.workloadIdentityUser")
