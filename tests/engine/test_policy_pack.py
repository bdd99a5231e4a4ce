"""The policy pack in a preview of the real engine: it runs, and it alone blocks what Check allows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.program_cli import PACK, ProgramCli, policy_config
from tests.least import least
from tools.engine import Engine
from tpuserve.emulator import Emulator
from tpuserve.stack.environments import policies_of

pytestmark = pytest.mark.engine

MACHINE_TYPE = "tpu-inference:endpoint.variants.stable.machineType"
FOUR_CHIPS = {MACHINE_TYPE: "ct6e-standard-4t"}
PATH = "deployedModels.stable.dedicatedResources.machineSpec.machineType"


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator(least()).running() as running:
        yield running


@pytest.fixture(scope="module")
def program(engine: Engine, emulator: Emulator, tmp_path_factory: pytest.TempPathFactory) -> ProgramCli:
    made = ProgramCli(engine, tmp_path_factory.mktemp("program"), emulator.address)
    made.create()
    return made


def test_what_the_stack_does_not_allow_is_blocked(program: ProgramCli, tmp_path: Path) -> None:
    allowed = policy_config(tmp_path, machine_types={"allowed": ["ct6e-standard-1t"]})

    done = program.preview(FOUR_CHIPS, *allowed)

    assert (done.returncode != 0, f"{PATH}: 'ct6e-standard-4t' is not a machine type that" in done.stdout) == (
        True,
        True,
    )


def test_check_allows_it(program: ProgramCli) -> None:
    assert program.preview(FOUR_CHIPS).returncode == 0


def test_the_pack_allows_it_where_the_stack_does(program: ProgramCli, tmp_path: Path) -> None:
    allowed = policy_config(tmp_path, machine_types={"allowed": ["ct6e-standard-1t", "ct6e-standard-4t"]})

    assert program.preview(FOUR_CHIPS, *allowed).returncode == 0


def test_the_local_stack_passes_its_own_policies(program: ProgramCli) -> None:
    done = program.preview({}, *PACK, "--policy-pack-config", "stacks/policy-config.local.json")

    assert (done.returncode, "✅ tpuserve" in done.stdout) == (0, True)


def test_the_policies_of_a_new_development_stack_block_nothing(program: ProgramCli, tmp_path: Path) -> None:
    advised = policies_of("dev", "europe-west4")
    done = program.preview({}, *policy_config(tmp_path, **advised))

    assert (done.returncode, "[advisory] [severity: high]  locations " in done.stdout) == (0, True)


def test_a_machine_type_without_tpus_cannot_be_configured(program: ProgramCli, tmp_path: Path) -> None:
    done = program.preview({}, *policy_config(tmp_path, machine_types={"allowed": ["n1-standard-4"]}))

    assert done.returncode != 0
    assert "allowed.0: Does not match pattern" in done.stdout + done.stderr


def test_a_preview_asks_google_for_nothing(program: ProgramCli, emulator: Emulator) -> None:
    program.preview({}, *PACK)

    assert emulator.control.calls(mutating_only=True) == []
