"""Where states are kept before there is a bucket: the commands of examples/environments/README.md, by the real command
line with folders in place of the bucket and a passphrase in place of its key, on the stand-in for the bridged provider.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.gcp.installed import install
from tools.engine import Engine

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("environments")]
PROJECTS = ROOT / "examples" / "environments"
BACKEND, SECRETS = "gs://acme-pulumi-states", "gcpkms://CryptoKey/states-prod-key-key"
"""What the stack says where it is kept, and what its secrets are encrypted with."""


def script(bucket: Path) -> str:
    """The block of the page, as a script: what only Google has is taken for something that is here."""
    page = (PROJECTS / "README.md").read_text(encoding="utf-8")
    block = page.partition("```console\n")[2].partition("```")[0]
    lines = [line.strip().removeprefix("$ ") for line in block.strip().splitlines()][1:]
    moved = lines.index('pulumi login "$BACKEND"')
    here = [f'echo "told $BACKEND $SECRETS"; BACKEND={bucket.as_uri()} SECRETS=passphrase']
    return "\n".join(["set -e", *lines[:moved], *here, *lines[moved:]])


@pytest.fixture(scope="module")
def moved(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    folder = tmp_path_factory.mktemp("bootstrap")
    project = Path(shutil.copytree(PROJECTS / "bootstrap", folder / "bootstrap"))
    (bucket := folder / "bucket").mkdir()
    environ = os.environ | {
        "PATH": engine.path([install(folder / "gcp"), Path(sys.executable).parent], os.environ["PATH"]),
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_SKIP_CONFIRMATIONS": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
    command = ["sh", "-c", script(bucket)]
    return subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True, check=False)


def test_the_state_moves_and_nothing_changes(moved: subprocess.CompletedProcess[str]) -> None:
    assert moved.returncode == 0, moved.stdout + moved.stderr


def test_the_stack_says_where_states_and_secrets_belong(moved: subprocess.CompletedProcess[str]) -> None:
    assert f"told {BACKEND} {SECRETS}\n" in moved.stdout
