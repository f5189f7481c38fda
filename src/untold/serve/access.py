"""Who may do what, beside analysts: gateways, relays and operators by name, each with a token that can end; and users whose devices
may not report any more. Only hashes of tokens are kept, and keyed hashes of users."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from untold.errors import StoreError
from untold.serve.analysts import NAME, mark_of
from untold.store import files
from untold.store.inside import read_text
from untold.store.sealed import sealed, unsealed
from untold.wire.tokens import ROLES, Tokens

FILE = "access.json"
NAMED_ROLES = ("gateway", "relay", "operator")  # whose holders can have names; analysts have a file of their own
SHARED_ROLES = ("gateway", "relay")  # whose shared token can be revoked; an operator on the machine uses theirs


@dataclass(frozen=True)
class Grant:
    """What the holder of a token may do, and until when (seconds of the epoch; None: until it is revoked)."""

    role: str
    mark: str
    until: int | None = None


@dataclass(frozen=True)
class Access:
    """Names with their grants, roles whose shared token was revoked, and marks of users whose devices may not report."""

    named: Mapping[str, Grant] = field(default_factory=dict)
    ended: tuple[str, ...] = ()
    devices: frozenset[str] = frozenset()

    @classmethod
    def load(cls, home: Path) -> Access:
        """What was stored; before anything was, the shared tokens alone."""
        file = home / FILE
        return cls.from_json(read_text(file), file) if file.exists() else cls()

    @classmethod
    def from_json(cls, text: str, file: Path) -> Access:
        """Read it back. `file` names the place in messages."""
        try:
            found = json.loads(unsealed(text, file))
            named = {str(name): Grant(**each) for name, each in found["named"].items()}
            return cls(named, tuple(map(str, found["ended"])), frozenset(map(str, found["devices"])))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise StoreError(
                f"{file} does not say what a collector writes there.\nHint: restore it from a copy."
            ) from error

    def to_json(self) -> str:
        """As it is stored."""
        named = {name: asdict(each) for name, each in self.named.items()}
        return sealed(json.dumps({"named": named, "ended": list(self.ended), "devices": sorted(self.devices)}))

    def save(self, home: Path) -> None:
        """Durably, in one step."""
        files.replace_durably(home / FILE, self.to_json().encode(), mode=0o600)

    def holds(self, role: str, token: str, tokens: Tokens, now: float) -> bool:
        """Whether a token is one of a role, now."""
        if not token.isascii():
            return False
        if role not in self.ended and tokens.is_role(role, token):
            return True
        if not self.named:
            return False
        mark = mark_of(token)  # comparing hashes tells nothing about a token, however long it takes
        return any(
            each.mark == mark and each.role == role and (each.until is None or now < each.until)
            for each in self.named.values()
        )

    def added(self, name: str, role: str, token: str, until: int | None = None) -> Access:
        """With one more name."""
        if not NAME.fullmatch(name) or name in ROLES:
            raise StoreError(
                f"'{name}' is not a name: 1 to 64 of letters, digits and . _ @ - are allowed, and no role."
            )
        if name in self.named:
            raise StoreError(f"'{name}' has a token already.\nHint: revoke it, then add it again.")
        return replace(self, named={**self.named, name: Grant(role, mark_of(token), until)})

    def revoked(self, name: str) -> Access:
        """Without a name, or without the token that all of a role share."""
        if name in SHARED_ROLES and name not in self.ended:
            return replace(self, ended=(*self.ended, name))
        if name not in self.named:
            raise StoreError(f"'{name}' has no token; there are: {', '.join(self.named) or 'none'}.")
        return replace(self, named={each: grant for each, grant in self.named.items() if each != name})

    def without(self, device: str) -> Access:
        """With the devices of one user more that may not report."""
        return replace(self, devices=self.devices | {device})

    def readmitted(self, device: str) -> Access:
        """With the devices of a user that may report again."""
        return replace(self, devices=self.devices - {device})
