"""`make down` where `make up` never ran."""

from pathlib import Path

from tests.make import clone as clones
from tools.engine import Engine


def test_down_in_a_clone_that_never_ran_needs_no_engine(tmp_path: Path) -> None:
    clone = clones.make(tmp_path, Engine(tmp_path / "nowhere" / "pulumi", tmp_path))

    ran = clone.run("down")

    assert ran == clones.Ran(0, "stack local: there is none\nemulator: does not run\n")
