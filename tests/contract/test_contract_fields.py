"""Every field of what clients send: kept and returned, or Output only and dropped, or refused. None is forgotten."""

import re
from typing import Any

import pytest
from google.api_core.exceptions import GoogleAPICallError
from google.cloud import aiplatform_v1, tpu_v2alpha1

from tests.contract.samples import fill
from tests.emulator.google import LOCATION, Google, refused


def output_only(wrapper: Any) -> set[str]:
    """The fields that Google's own description of a message calls Output only."""
    entries = re.findall(r"^ {8}(\w+) \(.*\):\n((?: {12}.*\n|\n)+)", f"{wrapper.__doc__}\n", re.MULTILINE)
    return {name for name, text in entries if "Output only" in text[:60]}


# What the emulator sets itself, whatever the caller writes there; beside Output only what nobody else can know.
OUTPUT = {
    "Endpoint": output_only(aiplatform_v1.Endpoint) | {"etag"},
    "Model": output_only(aiplatform_v1.Model) | {"name", "etag"},
    "DeployedModel": output_only(aiplatform_v1.DeployedModel),
    "Node": output_only(tpu_v2alpha1.Node) | {"health"},
    "QueuedResource": output_only(tpu_v2alpha1.QueuedResource),
}
# What cannot be sent as the sample has it: the rule that refuses it has a test of its own.
REFUSED = {
    "Endpoint": {"traffic_split", "network", "encryption_spec", "client_connection_config"},
    "Model": {"version_aliases", "encryption_spec"},
    "DeployedModel": {"automatic_resources", "shared_resources", "id", "model", "dedicated_resources"},
    "Node": {"accelerator_type", "runtime_version", "data_disks", "accelerator_config"},
    "QueuedResource": {"tpu", "reservation_name"},
}
# Input only: taken and never returned.
INPUT = {"Model": {"container_spec"}}
ROUTES = {"predict_route", "health_route", "invoke_route_prefix"}


def fields(wrapper: Any, *kinds: dict[str, set[str]]) -> list[str]:
    """The names of a message's fields that are of none of these kinds."""
    descriptor = wrapper.pb().DESCRIPTOR
    left_out = {name for kind in kinds for name in kind.get(descriptor.name, set())}
    return [field.name for field in descriptor.fields if field.name not in left_out]


def sample(wrapper: Any, field: str, **base: Any) -> tuple[Any, Any]:
    """A message with one more field, as the wrapper, and that field's value."""
    message = wrapper.pb(wrapper(base))
    message.ClearField(field)
    fill(message, message.DESCRIPTOR.fields_by_name[field])
    wrapped = wrapper.wrap(message)
    return wrapped, value(wrapped, field)


def value(message: Any, field: str) -> Any:
    """A field as plain data: messages compare by what they hold."""
    found = type(message).to_dict(message, preserving_proto_field_name=True)
    return found.get(field, found.get(field.rstrip("_")))


def created(cloud: Google, endpoint: Any) -> Any:
    return cloud.done(cloud.endpoints.create_endpoint(parent=LOCATION, endpoint=endpoint))


def uploaded(cloud: Google, model: Any) -> Any:
    response = cloud.done(cloud.models.upload_model(parent=LOCATION, model=model))
    return cloud.models.get_model(name=response.model)


def deployed(cloud: Google, model: Any) -> Any:
    operation = cloud.endpoints.deploy_model(endpoint=cloud.endpoint(), deployed_model=model)
    return cloud.done(operation).deployed_model


def model_base(cloud: Google) -> dict[str, Any]:
    resources = {"machine_spec": {"machine_type": "ct6e-standard-1t"}, "min_replica_count": 1}
    return {"model": cloud.upload(), "dedicated_resources": resources}


@pytest.mark.parametrize("field", fields(aiplatform_v1.Endpoint, OUTPUT, REFUSED))
def test_a_field_of_an_endpoint_is_kept(cloud: Google, field: str) -> None:
    endpoint, expected = sample(aiplatform_v1.Endpoint, field, display_name="serving")

    assert value(created(cloud, endpoint), field) == expected


@pytest.mark.parametrize("field", sorted(OUTPUT["Endpoint"]))
def test_a_field_of_an_endpoint_is_the_service_s(cloud: Google, field: str) -> None:
    endpoint, written = sample(aiplatform_v1.Endpoint, field, display_name="serving")

    assert value(created(cloud, endpoint), field) != written


@pytest.mark.parametrize("field", fields(aiplatform_v1.Model, OUTPUT, REFUSED, INPUT))
def test_a_field_of_a_model_is_kept(cloud: Google, field: str) -> None:
    model, expected = sample(aiplatform_v1.Model, field, display_name="m", container_spec={"image_uri": "image"})

    assert value(uploaded(cloud, model), field) == expected


@pytest.mark.parametrize("field", sorted(OUTPUT["Model"]))
def test_a_field_of_a_model_is_the_service_s(cloud: Google, field: str) -> None:
    model, written = sample(aiplatform_v1.Model, field, display_name="m", container_spec={"image_uri": "image"})

    assert value(uploaded(cloud, model), field) != written


@pytest.mark.parametrize(
    "field", fields(aiplatform_v1.ModelContainerSpec, {"ModelContainerSpec": {"image_uri"} | ROUTES})
)
def test_a_field_of_a_container_is_kept(cloud: Google, field: str) -> None:
    cloud.control.set("returns_container_spec", True)
    spec, expected = sample(aiplatform_v1.ModelContainerSpec, field, image_uri="image")
    found = uploaded(cloud, {"display_name": "m", "container_spec": spec})

    assert value(found.container_spec, field) == expected


@pytest.mark.parametrize("field", sorted(ROUTES))
def test_a_route_is_a_path(cloud: Google, field: str) -> None:
    with refused("INVALID_ARGUMENT", f"container_spec.{field}"):
        uploaded(cloud, {"display_name": "m", "container_spec": {"image_uri": "image", field: "x"}})


@pytest.mark.parametrize("field", fields(aiplatform_v1.DeployedModel, OUTPUT, REFUSED))
def test_a_field_of_a_deployed_model_is_kept(cloud: Google, field: str) -> None:
    model, expected = sample(aiplatform_v1.DeployedModel, field, **model_base(cloud))

    assert value(deployed(cloud, model), field) == expected


@pytest.mark.parametrize("field", sorted(OUTPUT["DeployedModel"]))
def test_a_field_of_a_deployed_model_is_the_service_s(cloud: Google, field: str) -> None:
    model, written = sample(aiplatform_v1.DeployedModel, field, **model_base(cloud))

    assert value(deployed(cloud, model), field) != written


@pytest.mark.parametrize("field", fields(tpu_v2alpha1.Node, OUTPUT, REFUSED))
def test_a_field_of_a_node_is_kept(cloud: Google, field: str) -> None:
    base = {"runtime_version": "v2-alpha-tpuv6e", "accelerator_type": "v6e-8"}
    node, expected = sample(tpu_v2alpha1.Node, field, **base)
    cloud.active(spec={"node": node})

    assert value(cloud.tpu.get_node(name=f"{LOCATION}-b/nodes/pool-0"), field) == expected


@pytest.mark.parametrize("field", sorted(OUTPUT["Node"]))
def test_a_field_of_a_node_is_the_service_s(cloud: Google, field: str) -> None:
    base = {"runtime_version": "v2-alpha-tpuv6e", "accelerator_type": "v6e-8"}
    node, written = sample(tpu_v2alpha1.Node, field, **base)
    cloud.active(spec={"node": node})

    assert value(cloud.tpu.get_node(name=f"{LOCATION}-b/nodes/pool-0"), field) != written


@pytest.mark.parametrize("field", fields(tpu_v2alpha1.QueuedResource, OUTPUT, REFUSED))
def test_a_field_of_a_queued_resource_is_kept(cloud: Google, field: str) -> None:
    cloud.control.hold("qr_waiting")
    sampled, expected = sample(tpu_v2alpha1.QueuedResource, field)
    cloud.begin_request(queued={field: getattr(sampled, field)})

    assert value(cloud.tpu.get_queued_resource(name=f"{LOCATION}-b/queuedResources/pool"), field) == expected


@pytest.mark.parametrize("field", sorted(REFUSED["DeployedModel"]))
def test_a_sample_of_a_deployed_model_is_refused(cloud: Google, field: str) -> None:
    model, _ = sample(aiplatform_v1.DeployedModel, field, **model_base(cloud))

    with pytest.raises(GoogleAPICallError):
        deployed(cloud, model)


def test_an_enum_s_number_without_a_name_is_refused(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "accelerator_type", "999", "TPU_V5_LITEPOD"):
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), machine={"accelerator_type": 999})


def test_a_field_that_the_message_does_not_have_is_refused(cloud: Google) -> None:
    call = cloud.channel.unary_unary("/google.cloud.aiplatform.v1.ModelService/GetModel")
    unknown = b"\xf8\x3f\x01"  # field 1023, a number

    with pytest.raises(Exception, match="unknown field 1023"):
        call(unknown)
