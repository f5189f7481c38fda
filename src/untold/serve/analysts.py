"""Names and tokens of analysts who may query. A token can be revoked; only hashes of tokens are kept."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha1, sha256
from pathlib import Path

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
        return cls(found["named"], found["shared"], found.get("mysql", {}))

    def to_json(self) -> str:
        """As they are stored."""
        held = {"named": dict(self.named), "shared": self.shared, "mysql": dict(self.mysql)}
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
        mark = _mark(token)  # comparing hashes tells nothing about a token, however long it takes
        return next((name for name, known in self.named.items() if known == mark), None)

    def mysql_mark(self, name: str, tokens: Tokens) -> str | None:
        """What the password of a name is compared by in MySQL's protocol; None if nobody of that name may ask there."""
        if name == SHARED:
            return mysql_mark(tokens.role(SHARED)) if self.shared else None
        return self.mysql.get(name) if name in self.named else None

    def added(self, name: str, token: str) -> Analysts:
        """With one more name."""
        if not NAME.fullmatch(name):
            raise StoreError(f"'{name}' is not a name: 1 to 64 of letters, digits and . _ @ - are allowed.")
        if name == SHARED:
            raise StoreError(f"'{SHARED}' stands for the token that all may share.\nHint: give another name.")
        if name in self.named:
            raise StoreError(
                f"'{name}' has a token already; it was shown once and is not stored.\nHint: revoke it, then add it again."
            )
        return replace(self, named={**self.named, name: _mark(token)}, mysql={**self.mysql, name: mysql_mark(token)})

    def revoked(self, name: str) -> Analysts:
        """Without a name, or without the shared token."""
        if name == SHARED and self.shared:
            return replace(self, shared=False)
        if name not in self.named:
            raise StoreError(f"'{name}' has no token; there are: {', '.join(self.names) or 'none'}.")
        named, mysql = ({each: mark for each, mark in of.items() if each != name} for of in (self.named, self.mysql))
        return replace(self, named=named, mysql=mysql)

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody who may ask."""
        return (*((SHARED,) if self.shared else ()), *sorted(self.named))


def new_token() -> str:
    """A token that nobody else has."""
    return Secure().words((4,)).tobytes().hex()


@contextmanager
def changing(home: Path) -> Iterator[Analysts]:
    """What is stored, while nobody else changes it."""
    handle = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield Analysts.load(home)
    finally:
        os.close(handle)


class Watched:
    """The analysts of a folder as they are now: read again whenever the file has changed, so that a revoked token holds no
    longer than until the next request."""

    def __init__(self, home: Path) -> None:
        self._home, self._seen, self._known = home, (0, 0), Analysts()

    @property
    def now(self) -> Analysts:
        """Those of this moment."""
        file = self._home / FILE
        seen = (stat.st_mtime_ns, stat.st_ino) if (stat := file.stat() if file.exists() else None) else (0, 0)
        if seen != self._seen:
            self._known, self._seen = Analysts.load(self._home), seen
        return self._known


def mysql_mark(token: str) -> str:
    """SHA-1 of the SHA-1, as `mysql_native_password` wants it: of 256 random bits, so nobody finds the token from it."""
    return sha1(sha1(token.encode()).digest()).hexdigest()


def _mark(token: str) -> str:
    return sha256(token.encode()).hexdigest()
