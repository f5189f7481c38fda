"""A plan that carries its signature: Ed25519 over the very bytes of the frozen text."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from untold.errors import PlanError, UntrustedPlan
from untold.plan import Plan


@dataclass(frozen=True)
class SignedPlan:
    """The frozen text of a plan, who signed it, and the signature."""

    text: str
    key: str  # raw public key, in hex
    signature: str  # in hex

    @classmethod
    def sign(cls, text: str, seed: bytes) -> SignedPlan:
        """Sign with the private key that these 32 bytes stand for."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        private = Ed25519PrivateKey.from_private_bytes(seed)
        public = private.public_key().public_bytes_raw()
        return cls(text, public.hex(), private.sign(text.encode()).hex())

    @property
    def id(self) -> str:
        """The plan's id: SHA-256 of its text."""
        return sha256(self.text.encode()).hexdigest()

    def open(self, key: str | None = None, plan_id: str | None = None) -> Plan:
        """The plan, if `key` signed it (any key if None) and it is the wanted one; else an UntrustedPlan that says why."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        if key is not None and key.lower() != self.key.lower():
            raise UntrustedPlan(
                f"the plan is signed by key {self.key[:12]}..., this device trusts {key[:12]}... alone. Nothing was reported.\n"
                "Hint: if the collector's key was changed on purpose, give the new one to the client."
            )
        try:
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key)).verify(
                bytes.fromhex(self.signature), self.text.encode()
            )
        except (InvalidSignature, ValueError) as error:
            raise UntrustedPlan(
                "the signature of the plan does not fit: it was changed after signing, or damaged. Nothing was reported.\n"
                "Hint: fetch it again; if that does not help, tell the operator of the collector."
            ) from error
        if plan_id is not None and plan_id != self.id:
            raise UntrustedPlan(
                f"the collector offers plan {self.id[:12]}..., this device was given {plan_id[:12]}... Nothing was reported.\n"
                "Hint: update the app if the plan was changed on purpose."
            )
        try:
            return Plan.from_json(self.text)
        except (
            PlanError,
            LookupError,
            TypeError,
            ValueError,
            ArithmeticError,
            AttributeError,
            RecursionError,
        ) as error:
            raise UntrustedPlan(
                f"the signed text cannot be read as a plan: {error}\nNothing was reported. Hint: update untold."
            ) from error
