"""Sealed bundles: HPKE (RFC 9180) to the collector's key, bound to plan, epoch and group. Whoever carries one cannot read it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from untold.errors import UntoldError

ENCAPSULATED, TAG = 32, 16  # bytes of the fresh public key that each bundle begins with, and of the seal
OVERHEAD = ENCAPSULATED + TAG
ID_BYTES = 16
INFO = b"untold bundle 1"


def seal(plain: bytes, key: str, plan_id: str, epoch: int, group: bytes = b"") -> bytes:
    """A bundle that only the holder of the private key opens. Sealing the same again gives other bytes: keep what was sealed."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

    sealed: bytes = _suite().encrypt(
        plain, X25519PublicKey.from_public_bytes(bytes.fromhex(key)), _info(plan_id, epoch, group)
    )
    return sealed


def bundle_id(sealed: bytes) -> str:
    """Stands for the person in the collector's tables: says nothing of them, and is another one in every epoch."""
    return sha256(sealed[:ENCAPSULATED]).digest()[:ID_BYTES].hex()


@dataclass(frozen=True)
class Opener:
    """Opens bundles with the private key that these 32 bytes stand for."""

    seed: bytes

    @cached_property
    def _private(self) -> Any:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        return X25519PrivateKey.from_private_bytes(self.seed)

    @property
    def key(self) -> str:
        """The public key, as a plan names it."""
        found: bytes = self._private.public_key().public_bytes_raw()
        return found.hex()

    def open(self, sealed: bytes, plan_id: str, epoch: int, group: bytes = b"") -> bytes | None:
        """What is inside; None if it was sealed to another key, plan, epoch or group, or changed."""
        from cryptography.exceptions import InvalidTag

        try:
            plain: bytes = _suite().decrypt(sealed, self._private, _info(plan_id, epoch, group))
        except (InvalidTag, ValueError):
            return None
        return plain


def _info(plan_id: str, epoch: int, group: bytes) -> bytes:
    return INFO + bytes.fromhex(plan_id) + struct.pack("<I", epoch) + group


def _suite() -> Any:
    try:
        from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
    except ImportError as error:
        raise UntoldError("mixing needs a newer `cryptography`.\nHint: pip install 'untold[mix]'") from error
    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM)
