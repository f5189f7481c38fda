"""Tokens: who may do what. Every one is an HMAC under the collector's secret; those of an earlier one may be good as well."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from functools import cached_property

from untold.wire.layout import KINDS

KEY_KINDS = KINDS[:2]
ROLES = ("gateway", "analyst", "operator", "relay")


@dataclass(frozen=True)
class Tokens:
    """Makes and checks tokens. A device's token is a function of its user key alone: it adds no link between reports."""

    secret: bytes
    earlier: tuple[bytes, ...] = ()

    def role(self, name: str) -> str:
        """The token of one of ROLES."""
        return self._roles.get(name) or self._sign(name.encode())

    def device(self, kind: str, user: str) -> str:
        """The token of one user; `kind` is "text" or "integer", integers are given in decimal."""
        return self._sign(b"\0".join((b"device", kind.encode(), user.encode())))

    def is_role(self, name: str, token: str) -> bool:
        """Whether a token is the one of a role; takes as long for a wrong one."""
        here = hmac.compare_digest(self.role(name).encode(), token.encode())
        return here or any(each.is_role(name, token) for each in self._before)

    def is_device(self, kind: str, user: str, token: str) -> bool:
        """Whether a token is the one of this user; takes as long for a wrong one."""
        here = hmac.compare_digest(self.device(kind, user).encode(), token.encode())
        return here or any(each.is_device(kind, user, token) for each in self._before)

    @cached_property
    def _before(self) -> tuple[Tokens, ...]:
        return tuple(map(Tokens, self.earlier))

    @cached_property
    def _roles(self) -> dict[str, str]:
        return {name: self._sign(name.encode()) for name in ROLES}

    @cached_property
    def _begun(self) -> hmac.HMAC:
        return hmac.new(self.secret, digestmod="sha256")

    def _sign(self, words: bytes) -> str:
        signed = self._begun.copy()  # half the price of beginning anew
        signed.update(words)
        return signed.hexdigest()
