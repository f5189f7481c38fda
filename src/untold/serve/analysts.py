"""Names and tokens of analysts who may query. A token can be revoked; only hashes of tokens are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha1, sha256
from pathlib import Path
from time import time

from untold.errors import StoreError
from untold.randomness import Secure
from untold.store import files
from untold.store.inside import read_text
from untold.store.sealed import sealed, unsealed
from untold.wire.tokens import Tokens

FILE = "analysts.json"
SHARED = "analyst"  # the name of who holds the one token that follows from the collector's secret
NAME = re.compile(r"[A-Za-z0-9._@-]{1,64}", re.ASCII)


@dataclass(frozen=True)
class Analysts:
    """Names with the SHA-256 of their tokens (of 256 random bits, so a plain hash is enough), and whether the shared token
    still holds. `mysql` has what MySQL's protocol compares a password by; a name from before there was such a door has none.
    """

    named: Mapping[str, str] = field(default_factory=dict)
    shared: bool = True
    mysql: Mapping[str, str] = field(default_factory=dict)
    until: Mapping[str, int] = field(
        default_factory=dict
    )  # seconds of the epoch, of names whose tokens end by themselves

    @classmethod
    def load(cls, home: Path) -> Analysts:
        """What was stored; before anything was, the shared token alone."""
        file = home / FILE
        if not file.exists():
            return cls()
        return cls.from_json(read_text(file), file)

    @classmethod
    def from_json(cls, text: str, file: Path) -> Analysts:
        """Read them back. `file` names the place in messages."""
        found = json.loads(unsealed(text, file))
        return cls(found["named"], found["shared"], found.get("mysql", {}), found.get("until", {}))

    def to_json(self) -> str:
        """As they are stored."""
        held = {"named": dict(self.named), "shared": self.shared, "mysql": dict(self.mysql)}
        held |= {"until": dict(self.until)} if self.until else {}
        return sealed(json.dumps(held))

    def save(self, home: Path) -> None:
        """Durably, in one step."""
        files.replace_durably(home / FILE, self.to_json().encode(), mode=0o600)

    def who(self, token: str, tokens: Tokens) -> str | None:
        """The name of who holds a token; None if nobody does any more."""
        if not token.isascii():
            return None
        if self.shared and tokens.is_role(SHARED, token):
            return SHARED
        mark = mark_of(token)  # comparing hashes tells nothing about a token, however long it takes
        return next((name for name, known in self.named.items() if known == mark and self._is_good(name)), None)

    def _is_good(self, name: str) -> bool:
        return name not in self.until or time() < self.until[name]

    def mysql_mark(self, name: str, tokens: Tokens) -> str | None:
        """What the password of a name is compared by in MySQL's protocol; None if nobody of that name may ask there."""
        if name == SHARED:
            return mysql_mark(tokens.role(SHARED)) if self.shared else None
        return self.mysql.get(name) if name in self.named and self._is_good(name) else None

    def added(self, name: str, token: str, until: int | None = None) -> Analysts:
        """With one more name."""
        if not NAME.fullmatch(name):
            raise StoreError(f"'{name}' is not a name: 1 to 64 of letters, digits and . _ @ - are allowed.")
        if name == SHARED:
            raise StoreError(f"'{SHARED}' stands for the token that all may share.\nHint: give another name.")
        if name in self.named:
            raise StoreError(
                f"'{name}' has a token already; it was shown once and is not stored.\nHint: revoke it, then add it again."
            )
        return replace(
            self,
            named={**self.named, name: mark_of(token)},
            mysql={**self.mysql, name: mysql_mark(token)},
            until={**self.until, **({} if until is None else {name: until})},
        )

    def revoked(self, name: str) -> Analysts:
        """Without a name, or without the shared token."""
        if name == SHARED and self.shared:
            return replace(self, shared=False)
        if name not in self.named:
            raise StoreError(f"'{name}' has no token; there are: {', '.join(self.names) or 'none'}.")
        named, mysql = ({each: mark for each, mark in of.items() if each != name} for of in (self.named, self.mysql))
        until = {each: end for each, end in self.until.items() if each != name}
        return replace(self, named=named, mysql=mysql, until=until)

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody who may ask."""
        return (*((SHARED,) if self.shared else ()), *sorted(self.named))


def new_token() -> str:
    """A token that nobody else has."""
    return Secure().words((4,)).tobytes().hex()


def mysql_mark(token: str) -> str:
    """SHA-1 of the SHA-1, as `mysql_native_password` wants it: of 256 random bits, so nobody finds the token from it."""
    return sha1(sha1(token.encode()).digest()).hexdigest()


def mark_of(token: str) -> str:
    """By which a token is known."""
    return sha256(token.encode()).hexdigest()
