"""TLS for clients that speak nothing else: an authority of the emulator's own, made at its start, for this machine."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

import grpc
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

_LASTS = timedelta(days=30)
_ADDRESS, _HOST = "127.0.0.1", "localhost"


class Certificates(NamedTuple):
    """What a client has to trust, and what the server shows."""

    authority: bytes
    certificate: Path
    key: Path

    def http(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context

    def grpc(self) -> grpc.ServerCredentials:
        return grpc.ssl_server_credentials([(self.key.read_bytes(), self.certificate.read_bytes())])


def made(folder: Path) -> Certificates:
    """Writes `ca.pem`, `server.pem` and `server.key`; the authority's own key is kept nowhere."""
    above, own = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())
    root = _name("tpuserve emulator")
    authority = _signed(root, above, above, x509.BasicConstraints(ca=True, path_length=0))
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(_ADDRESS)), x509.DNSName(_HOST)])
    certificate = _signed(_name(_ADDRESS), own, above, names)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ca.pem").write_bytes(authority)
    (folder / "server.pem").write_bytes(certificate)
    key = folder / "server.key"
    key.touch(mode=0o600)
    key.write_bytes(own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return Certificates(authority, folder / "server.pem", key)


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common)])


def _signed(
    subject: x509.Name, key: EllipticCurvePrivateKey, above: EllipticCurvePrivateKey, extension: x509.ExtensionType
) -> bytes:
    """A certificate of the subject's key by the authority's key, as PEM."""
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(_name("tpuserve emulator"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _LASTS)
        .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
    )
    return builder.sign(above, SHA256()).public_bytes(Encoding.PEM)
