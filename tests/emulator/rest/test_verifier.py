"""Over gRPC, too, requests and answers are held against Google's schemas: what does not fit is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.longrunning.operations_pb2 import GetOperationRequest, Operation

from tests.emulator.google import LOCATION, Google
from tests.misfits import none_of
from tpuserve.emulator import Emulator, Settings
from tpuserve.emulator.api import ENDPOINTS, MODELS, OPERATIONS, TPU, Api
from tpuserve.emulator.core import Core
from tpuserve.emulator.messages import tpu, vertex
from tpuserve.emulator.rest.schemas import Schemas
from tpuserve.emulator.rest.verifier import Verifier
from tpuserve.emulator.rest.violations import Violation

NO_SUCH = 4242
"""A number that no enum has."""


@pytest.fixture(scope="module")
def methods(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return Api(Core(Settings(), None, Path(tmp_path_factory.mktemp("logs")))).methods()


def misfits(methods: Any, path: str, request: Any, response: Any) -> list[str]:
    found: list[str] = []
    Verifier(methods, found)(methods[path], request, response)
    return found


def test_answer_that_does_not_fit(methods: Any) -> None:
    answer = tpu("QueuedResource")(state={"state": NO_SUCH})

    (found,) = misfits(methods, f"/{TPU}/GetQueuedResource", tpu("GetQueuedResourceRequest")(), answer)

    assert found.startswith("tpu.projects.locations.queuedResources.get: Invalid value at 'state.state'")


def test_part_of_a_request_that_is_its_body_and_does_not_fit(methods: Any) -> None:
    given = vertex("Model")(supported_deployment_resources_types=[NO_SUCH])

    (found,) = misfits(methods, f"/{MODELS}/UploadModel", vertex("UploadModelRequest")(model=given), Operation())

    assert found.startswith("aiplatform.projects.locations.models.upload: Invalid value at 'model.supported_deployment")


def test_request_that_is_a_part_of_another_document_is_not_looked_at(methods: Any) -> None:
    asked = GetOperationRequest(name="projects/p/locations/l/operations/o")

    assert misfits(methods, f"/{OPERATIONS}/GetOperation", asked, Operation(name="o", done=True)) == []


@pytest.mark.parametrize("name", ["CreateEndpoint", "DeployModel", "UndeployModel", "GetEndpoint", "ListEndpoints"])
def test_methods_are_known_to_it(methods: Any, name: str) -> None:
    assert (ENDPOINTS, name) in Verifier(methods, []).known()


def test_what_a_running_emulator_says_is_looked_at(
    cloud: Google, emulator: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Schemas, "violations", lambda *_: [Violation("", "wrong")])

    with pytest.raises(AssertionError, match="wrong"), none_of(emulator):
        cloud.models.list_models(parent=LOCATION)

    emulator.misfits.clear()
