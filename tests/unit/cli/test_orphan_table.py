"""What a user reads about orphans."""

import io

from rich.console import Console

from tests.unit.cli.exports import ENDPOINT, MODEL, OWNER, urn
from tpuserve.orphans import Kind, Orphan
from tpuserve.orphans.state import Pending
from tpuserve.orphans.table import import_commands, show, show_left

COMPONENT = "tpuserve:index:ServingModel$tpuserve:vertex:Model"
PENDING = Pending(urn(COMPONENT, "m"), "tpuserve:vertex:Model", str(MODEL), urn("tpuserve:index:ServingModel", "s"))
DEPLOYED = Orphan(Kind.DEPLOYED_MODEL, ENDPOINT, "0 % of the requests", deployed_model_id="7")


def shown(*orphans: Orphan) -> str:
    console = Console(file=io.StringIO(), width=200)
    show(orphans, console, OWNER, "p/us-east5 (Vertex AI)")
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_nothing_left_is_said_with_where_it_was_looked_for() -> None:
    assert shown() == f"owner id {OWNER}, looked in p/us-east5 (Vertex AI)\nno orphans\n"


def test_a_deployed_model_has_its_full_name() -> None:
    assert f"{ENDPOINT}/deployedModels/7" in shown(DEPLOYED)


def test_what_is_piped_has_no_colours() -> None:
    assert "\x1b" not in shown(DEPLOYED)


def test_a_pending_create_has_the_command_that_takes_it_in() -> None:
    [command] = import_commands([Orphan(Kind.MODEL, MODEL, pending=PENDING)], ["--stack", "prod"])

    assert command == (
        f"pulumi import tpuserve:vertex:Model m {MODEL} --stack prod "
        "--parent parent=urn:pulumi:s::p::tpuserve:index:ServingModel::s --protect=false --generate-code=false"
    )


def test_one_pending_create_of_several_orphans_has_one_command() -> None:
    orphans = [Orphan(Kind.DEPLOYED_MODEL, ENDPOINT, "", PENDING, key) for key in ("1", "2")]

    assert len(import_commands(orphans)) == 1


def test_what_is_left_is_told_with_its_reason() -> None:
    console = Console(file=io.StringIO(), width=200)
    show_left([DEPLOYED], {DEPLOYED: "because"}, console)

    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == f"left: deployed model {ENDPOINT}/deployedModels/7: because\n"
