"""What a customer has: the wheel alone, in an environment and a folder that know nothing of this clone."""

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.customers import customer
from tests.customers.customer import ROOT, SOURCES, Environment, Project
from tests.docs.pages import README, blocks
from tests.engine.harness import cloud as clouds
from tests.engine.harness.cloud import LOCATION, PROJECT, ZONE
from tools.engine import Engine

pytestmark = [pytest.mark.xdist_group("customers"), pytest.mark.timeout(240)]
NOT_PACKAGED = {"policies/analyzer"}  # starts the pack of a clone


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return customer.build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def environment(wheel: Path) -> Iterator[Environment]:
    with tempfile.TemporaryDirectory(prefix="customer-") as folder:
        yield customer.install(wheel, Path(folder) / "env")


def test_everything_that_is_no_test_and_no_tool_is_in_the_wheel(wheel: Path) -> None:
    files = [path.relative_to(ROOT) for source in SOURCES for path in (ROOT / source).rglob("*") if path.is_file()]
    wanted = {str(path) for path in files if "__pycache__" not in path.parts} - NOT_PACKAGED
    packed = set(zipfile.ZipFile(wheel).namelist())

    assert {path for path in wanted if str(_packaged(path)) not in packed} == set()


def _packaged(path: str) -> Path:
    return Path(path) if path.startswith("tpuserve/") else Path("tpuserve") / path


def test_the_package_says_that_it_is_typed(wheel: Path) -> None:
    assert "tpuserve/py.typed" in zipfile.ZipFile(wheel).namelist()


def test_the_library_of_the_environment_is_the_wheels(environment: Environment) -> None:
    places = environment.says(
        "import tpuserve, tpuserve.components, tpuserve.policies as p; "
        "print(tpuserve.__file__, tpuserve.components.__file__, p.__file__)"
    )

    assert [place for place in places.split() if not place.startswith(str(environment.folder))] == []


def test_the_schema_can_be_made_of_the_wheel(environment: Environment) -> None:
    """It reads docstrings from sources."""
    code = "from tpuserve.resources.schema import schema; print(len(schema('1')['resources']))"

    assert environment.says(code) == "4"


@pytest.mark.engine
def test_the_readmes_program_runs_in_an_empty_project(environment: Environment, engine: Engine, tmp_path: Path) -> None:
    [program] = blocks(README, "python")
    project = Project(tmp_path, environment, engine)
    project.write(program)
    with clouds.running() as cloud:
        project.run("tpuserve", "stack", "new", "dev", "--project", PROJECT, "--location", LOCATION, "--zone", ZONE)
        url = f"http://{cloud.address}"
        project.set("dev", {"tpuserve:endpoints": {"tpu": url, "aiplatform": url}})
        project.run("pulumi", "stack", "init", "dev")

        said = project.run("pulumi", "up", "--yes", "--skip-preview", "--stack", "dev", "--color=never")

        assert f"using pulumi-resource-tpuserve from $PATH at {environment.bin}/pulumi-resource-tpuserve" in said
        assert (len(cloud.objects("nodes")), list(cloud.traffic().values())) == (3, [100])
        assert str(ROOT) not in said
