"""Routes: every one of the documents is found by its own path, and is the method that its name says."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve.emulator import Settings
from tpuserve.emulator.api import Api, Method
from tpuserve.emulator.core import Core
from tpuserve.emulator.rest.bindings import bound
from tpuserve.emulator.rest.documents import document
from tpuserve.emulator.rest.requests import body_field
from tpuserve.emulator.rest.routing import Router

SERVED = ("tpu.v2alpha1", "tpu.v2", "aiplatform.v1")
ROUTES = {name: {route.id: route for route in document(name).routes} for name in SERVED}
ROUTERS = {name: Router(routes.values()) for name, routes in ROUTES.items()}
IDS = [(name, identifier) for name, routes in ROUTES.items() for identifier in routes]
NAME = st.from_regex(r"[a-z0-9][A-Za-z0-9_.~@-]{0,20}", fullmatch=True)


def methods() -> dict[str, Method]:
    return Api(Core(Settings(), None, Path())).methods()


def bindings(name: str) -> dict[str, str]:
    return {identifier: method.name for identifier, method in bound(name, ROUTES[name].values(), methods()).items()}


@given(st.sampled_from(IDS), st.data())
def test_a_route_is_found_by_its_own_path(known: tuple[str, str], data: st.DataObject) -> None:
    document_name, identifier = known
    route = ROUTES[document_name][identifier]
    path = re.sub(r"\{\w+\}", lambda _: data.draw(NAME), route.flat_path)
    found = ROUTERS[document_name].found(route.http_method, path)

    assert found is not None
    assert found.route.id == identifier
    assert set(found.values) == {name for name, row in route.parameters.items() if row["location"] == "path"}


def test_every_method_of_the_api_has_a_route() -> None:
    reached = {name for document_name in SERVED for name in bindings(document_name).values()}

    assert {method.name for method in methods().values()} - reached == set()


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("endpoints.patch", "UpdateEndpoint"),
        ("endpoints.update", "UpdateEndpointLongRunning"),
        ("endpoints.predict", "Predict"),
        ("endpoints.operations.wait", "WaitOperation"),
        ("models.upload", "UploadModel"),
        ("models.listVersions", "ListModelVersions"),
        ("models.deleteVersion", "DeleteModelVersion"),
        ("models.mergeVersionAliases", "MergeVersionAliases"),
        ("operations.get", "GetOperation"),
    ],
)
def test_an_id_is_the_method_that_googles_naming_gives(identifier: str, name: str) -> None:
    assert bindings("aiplatform.v1")[f"aiplatform.projects.locations.{identifier}"] == name


@pytest.mark.parametrize("identifier", ["publishers.models.predict", "endpoints.chat.completions", "datasets.get"])
def test_a_method_of_something_else_is_not_taken_for_one(identifier: str) -> None:
    assert f"aiplatform.projects.locations.{identifier}" not in bindings("aiplatform.v1")


@pytest.mark.parametrize("of", ["", "models.", "endpoints.", "deploymentResourcePools."])
def test_operations_are_served_where_gcloud_looks_for_them(of: str) -> None:
    routes = document("aiplatform.v1beta1").routes

    assert f"aiplatform.projects.locations.{of}operations.get" in bound("aiplatform.v1beta1", routes, methods())


@pytest.mark.parametrize("name", ["datasets.operations.get", "studies.operations.list"])
def test_what_is_not_served_has_no_operations(name: str) -> None:
    assert f"aiplatform.projects.locations.{name}" not in bindings("aiplatform.v1")


@pytest.mark.parametrize("document_name", SERVED)
def test_the_body_of_every_served_method_has_a_place(document_name: str) -> None:
    found = bound(document_name, ROUTES[document_name].values(), methods())
    within = {
        identifier: body_field(ROUTES[document_name][identifier], method.request)
        for identifier, method in found.items()
    }

    assert {verb for identifier, field in within.items() if field for verb in [identifier.rpartition(".")[2]]} <= {
        "create",
        "patch",
    }
