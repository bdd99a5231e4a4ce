"""A certificate authority of a test's own, and what it certifies: servers on this machine, and keys of accounts."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


@dataclass
class Authority:
    """Certificates are for a name, `localhost` and 127.0.0.1."""

    folder: Path

    @cached_property
    def _key(self) -> ec.EllipticCurvePrivateKey:
        return ec.generate_private_key(ec.SECP256R1())

    @cached_property
    def _certificate(self) -> x509.Certificate:
        limits = x509.BasicConstraints(ca=True, path_length=0)
        return _certificate("authority", self._key, "authority", self._key.public_key(), limits)

    @cached_property
    def bundle(self) -> str:
        """The path of the file that makes a client trust this authority."""
        path = self.folder / "authority.pem"
        path.write_bytes(_pem(self._certificate))
        return str(path)

    def server(self, name: str = "localhost") -> tuple[Path, Path]:
        """Paths of a server's key and certificate."""
        key = ec.generate_private_key(ec.SECP256R1())
        limits = x509.BasicConstraints(ca=False, path_length=None)
        certificate = _certificate("authority", self._key, name, key.public_key(), limits)
        paths = self.folder / f"{name}.key", self.folder / f"{name}.pem"
        paths[0].write_bytes(key_text(key))
        paths[1].write_bytes(_pem(certificate))
        return paths


def account_key() -> str:
    """A private key as it stands in a service account's JSON."""
    return key_text(rsa.generate_private_key(public_exponent=65537, key_size=2048)).decode()


def key_text(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _certificate(
    issuer: str,
    signer: ec.EllipticCurvePrivateKey,
    name: str,
    key: ec.EllipticCurvePublicKey,
    limits: x509.BasicConstraints,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName(name), x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    builder = (
        x509.CertificateBuilder()
        .issuer_name(_named(issuer))
        .subject_name(_named(name))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(limits, critical=True)
    )
    return builder.sign(signer, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
