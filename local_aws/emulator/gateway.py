"""The certificate of the emulator, and the settings ministack reads from the environment."""

import datetime as dt
import ipaddress
import os
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from local_aws.checkout import ACCOUNT, HOST, NODE_MODULES, REGION


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """Write a self-signed certificate for the loopback address, valid for two days; return its path and the key's.

    TLS is needed because the buckets deny every request that is not encrypted.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "embedded AWS")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(HOST))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    certificate_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.touch(mode=0o600)
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate_file, key_file


def set_ministack_environment(*, port: int, certificate: Path, key: Path, folder: Path) -> None:
    """Set what ministack and moto read when they are imported; call it before importing either."""
    os.environ.update(
        GATEWAY_PORT=str(port),
        BIND_HOST=HOST,
        MINISTACK_HOST=HOST,
        MINISTACK_ACCOUNT_ID=ACCOUNT,
        MINISTACK_REGION=REGION,
        MOTO_ACCOUNT_ID=ACCOUNT,
        AUTH="true",
        USE_SSL="1",
        MINISTACK_SSL_CERT=str(certificate),
        MINISTACK_SSL_KEY=str(key),
        # What the emulator and its Lambda functions trust: this certificate and nothing else.
        AWS_CA_BUNDLE=str(certificate),
        SSL_CERT_FILE=str(certificate),
        NODE_EXTRA_CA_CERTS=str(certificate),
        NODE_PATH=str(NODE_MODULES),
        LAMBDA_EXECUTOR="local",
        # Otherwise ministack listens on every interface, port 8883, once cryptography is installed.
        IOT_MTLS_ENABLED="0",
        SFTP_ENABLED="0",
        DOCKER_HOST="unix:///nonexistent.sock",
        TMPDIR=str(folder),
        AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test",  # noqa: S106 -- ministack's own name for its root caller, not a secret
        AWS_DEFAULT_REGION=REGION,
        AWS_EC2_METADATA_DISABLED="true",
    )
