"""google-cloud-tpu, both versions: v2alpha1 over gRPC, v2 over gRPC and REST."""

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.api_core.exceptions import GoogleAPICallError, NotFound
from google.auth.credentials import AnonymousCredentials
from google.cloud import tpu_v2, tpu_v2alpha1
from google.cloud.tpu_v2.services.tpu.transports import TpuGrpcTransport as V2Grpc
from google.cloud.tpu_v2alpha1.services.tpu.transports import TpuGrpcTransport as V2alpha1Grpc

from tests.emulator.google import HERE, ZONE
from tpuserve.emulator import Emulator

POOL = f"{ZONE}/queuedResources/pool"
FACES = ("v2alpha1 gRPC", "v2 gRPC", "v2 REST")


@pytest.fixture
def channel(emulator: Emulator) -> Iterator[Any]:
    emulator.control.reset()
    emulator.control.set("queued_resource_operation_ends", "ACTIVE")
    with grpc.insecure_channel(emulator.addresses.grpc) as opened:
        yield opened


@pytest.fixture
def newer(channel: Any) -> Any:
    return tpu_v2alpha1.TpuClient(transport=V2alpha1Grpc(channel=channel))


@pytest.fixture
def older(channel: Any) -> Any:
    return tpu_v2.TpuClient(transport=V2Grpc(channel=channel))


@pytest.fixture(params=FACES)
def tpu(request: pytest.FixtureRequest, emulator: Emulator, newer: Any, older: Any) -> Any:
    options = {"api_endpoint": f"http://{emulator.addresses.rest}"}
    rest = tpu_v2.TpuClient(transport="rest", client_options=options, credentials=AnonymousCredentials())
    return dict(zip(FACES, (newer, older, rest), strict=True))[request.param]


def collection(client: Any, **params: Any) -> dict[str, Any]:
    """A request for two slices, in the words of the client's version."""
    field = "multi_node_params" if isinstance(client, tpu_v2alpha1.TpuClient) else "multislice_params"
    node = {"runtime_version": "v2-alpha-tpuv6e", "accelerator_type": "v6e-8"}
    spec = {"parent": ZONE, field: {"node_count": 2, **params}, "node": node}
    return {"parent": ZONE, "queued_resource_id": "pool", "queued_resource": {"tpu": {"node_spec": [spec]}}}


def test_a_request_becomes_active(tpu: Any) -> None:
    made = tpu.create_queued_resource(request=collection(tpu)).result(timeout=20)

    assert (made.name, made.state.state.name) == (POOL.replace(ZONE, f"{HERE}-b"), "ACTIVE")


def test_its_nodes_are_listed(tpu: Any) -> None:
    tpu.create_queued_resource(request=collection(tpu)).result(timeout=20)

    assert [node.name.rpartition("/")[2] for node in tpu.list_nodes(parent=ZONE)] == ["pool-0", "pool-1"]


def test_it_is_deleted_by_force_alone(tpu: Any) -> None:
    tpu.create_queued_resource(request=collection(tpu)).result(timeout=20)
    with pytest.raises(GoogleAPICallError, match="without force"):  # over REST a client knows the HTTP status alone
        tpu.delete_queued_resource(name=POOL)
    tpu.delete_queued_resource(request={"name": POOL, "force": True}).result(timeout=20)

    with pytest.raises(NotFound):
        tpu.get_queued_resource(name=POOL)


def test_what_is_offered_is_listed(tpu: Any) -> None:
    assert "v6e-8" in {found.type_ for found in tpu.list_accelerator_types(parent=ZONE)}
    assert "v2-alpha-tpuv6e" in {found.version for found in tpu.list_runtime_versions(parent=ZONE)}


def test_a_collection_is_seen_through_v2_without_its_workload_type(newer: Any, older: Any) -> None:
    request = collection(newer, workload_type="AVAILABILITY_OPTIMIZED")
    newer.create_queued_resource(request=request).result(timeout=20)
    (spec,) = older.get_queued_resource(name=POOL).tpu.node_spec

    assert (spec.multislice_params.node_count, hasattr(spec.multislice_params, "workload_type")) == (2, False)


def test_an_operation_keeps_the_messages_of_the_version_that_began_it(newer: Any, older: Any) -> None:
    operation = older.create_queued_resource(request=collection(older)).operation
    found = newer.get_operation({"name": operation.name})

    assert found.metadata.TypeName() == "google.cloud.tpu.v2.OperationMetadata"


def test_v2_has_no_method_that_its_package_does_not_have(older: Any, emulator: Emulator) -> None:
    with grpc.insecure_channel(emulator.addresses.grpc) as opened, pytest.raises(grpc.RpcError) as refused:
        opened.unary_unary("/google.cloud.tpu.v2.Tpu/GetMaintenanceInfo", bytes, bytes)(b"")

    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED  # pyright: ignore[reportAttributeAccessIssue]
