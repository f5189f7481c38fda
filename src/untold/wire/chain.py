"""Keys that follow one another: each key has named its successor's hash before that one was known, and nothing else is followed.

    link = (key, SHA-256 of the next key, the key's signature over both)

A collector publishes the links of all its keys, the last one of the key that signs now. Whoever trusts one of them comes to the
last one: every link is signed by its key, and every key has the hash that the link before it names. A thief of a signing key
cannot name another successor to those who know the first, and does not have the one that was named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from untold.errors import UntrustedPlan

WORD = b"untold successor 1"
LONGEST = 256  # links
HEX = re.compile("[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True)
class Link:
    """What a key says of its successor."""

    key: str  # raw public key, in hex
    next: str  # SHA-256 of the raw public key that may follow it, in hex
    signature: str  # in hex

    @classmethod
    def sign(cls, seed: bytes, following: bytes) -> Link:
        """By the private key that these 32 bytes stand for; `following` is the raw public key of its successor."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        private = Ed25519PrivateKey.from_private_bytes(seed)
        key, hashed = private.public_key().public_bytes_raw(), sha256(following).digest()
        return cls(key.hex(), hashed.hex(), private.sign(WORD + key + hashed).hex())

    @property
    def holds(self) -> bool:
        """Whether the key has signed it."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        if not (HEX.fullmatch(self.key.lower()) and HEX.fullmatch(self.next.lower())):
            return False
        try:
            key, hashed = bytes.fromhex(self.key), bytes.fromhex(self.next)
            Ed25519PublicKey.from_public_bytes(key).verify(bytes.fromhex(self.signature), WORD + key + hashed)
        except (InvalidSignature, ValueError):
            return False
        return True

    def leads_to(self, key: str) -> bool:
        """Whether a key is the one that it names."""
        return HEX.fullmatch(key) is not None and sha256(bytes.fromhex(key)).hexdigest() == self.next.lower()


def public_key(seed: bytes) -> bytes:
    """The raw public key of 32 bytes that stand for a private one."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def reach(chain: Sequence[Link], trusted: str, named: str | None, signer: str) -> tuple[str, str | None]:
    """The key that who trusts `trusted` trusts now, and the hash of its successor. `named` is the successor that was known before.

    Without a link of the trusted key it stays what it was; whoever signs by another one is refused elsewhere.
    """
    keys = [each.key.lower() for each in chain]
    if trusted.lower() not in keys:
        return trusted, named
    at = keys.index(trusted.lower())
    if len(set(keys)) < len(keys) or len(keys) > LONGEST or keys[-1] != signer.lower():
        raise _broken("it does not end with the key that signed the plan")
    if named is not None and chain[at].next.lower() != named.lower():
        raise _broken("the key that this device trusts has named two successors. One of them is a thief's")
    for i, each in enumerate(chain[at:], at):
        if not each.holds or (i + 1 < len(chain) and not each.leads_to(keys[i + 1])):
            raise _broken(f"key {each.key[:12]}... has not named the one after it")
    return keys[-1], chain[-1].next.lower()


def _broken(why: str) -> UntrustedPlan:
    return UntrustedPlan(
        f"the collector's chain of keys does not hold: {why}. Nothing was reported.\n"
        "Hint: tell the operator of the collector."
    )
