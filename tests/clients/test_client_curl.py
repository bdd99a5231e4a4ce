"""curl, where it is installed, plain and with TLS."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.emulator.rest.http_client import ENDPOINTS
from tpuserve.emulator import Emulator

CURL = shutil.which("curl")
pytestmark = pytest.mark.skipif(CURL is None, reason="curl is not installed")


def curl(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(CURL), "-sS", *arguments], capture_output=True, text=True, timeout=20, check=False)


def test_it_creates_and_reads(emulator: Emulator) -> None:
    emulator.control.reset()
    here = f"http://{emulator.addresses.rest}{ENDPOINTS}"
    curl("-X", "POST", "--json", '{"displayName": "serving"}', f"{here}?endpointId=serving")

    assert json.loads(curl(f"{here}/serving").stdout)["displayName"] == "serving"


def test_tls_is_trusted_by_the_authority_it_is_given(emulator: Emulator, authority: Path) -> None:
    here = f"https://{emulator.addresses.rest_tls}{ENDPOINTS}"

    assert "error" not in json.loads(curl("--cacert", str(authority), here).stdout)


def test_tls_is_not_trusted_without_it(emulator: Emulator) -> None:
    assert "certificate" in curl(f"https://{emulator.addresses.rest_tls}{ENDPOINTS}").stderr


def test_http_2_is_declined_for_http_1(emulator: Emulator) -> None:
    assert (
        curl("--http2", "-o", "/dev/null", "-w", "%{http_version}", f"http://{emulator.addresses.rest}/").stdout
        == "1.1"
    )


def test_a_large_body_is_waited_for(emulator: Emulator, tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    large.write_text(json.dumps({"displayName": "x" * 2**21}))
    here = f"http://{emulator.addresses.rest}{ENDPOINTS}"
    answer = curl("--json", f"@{large}", here)

    assert json.loads(answer.stdout)["error"]["status"] == "INVALID_ARGUMENT"
