"""REST and TLS where they are asked for and installed; gRPC always."""

from pathlib import Path

import pytest

from tests.emulator.google import LOCATION, google
from tpuserve.emulator import Emulator, rest


def test_without_its_packages_there_is_grpc_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "NEEDED", ("a_package_that_nobody_has",))
    with Emulator().running() as emulator, google(emulator) as cloud:
        assert (emulator.addresses.rest, list(cloud.models.list_models(parent=LOCATION))) == ("", [])


def test_without_a_folder_there_is_no_tls() -> None:
    with Emulator().running() as emulator:
        assert (emulator.addresses.grpc_tls, emulator.addresses.rest_tls) == ("", "")


def test_the_servers_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    with Emulator(tls=tmp_path / "tls").running():
        assert (tmp_path / "tls" / "server.key").stat().st_mode & 0o077 == 0


def test_the_authoritys_key_is_not_kept(tmp_path: Path) -> None:
    with Emulator(tls=tmp_path / "tls").running():
        assert sorted(path.name for path in (tmp_path / "tls").iterdir()) == ["ca.pem", "server.key", "server.pem"]
