"""Who may enter: analysts, with their tokens as passwords."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mysql_mimic import IdentityProvider, NativePasswordAuthPlugin, User

from untold.serve.analysts import NAME, SHARED, mysql_mark
from untold.serve.storage import KnownAnalysts
from untold.wire.tokens import Tokens

NOBODY = "00" * 20  # no password is known that leads to it


class Passwords(Protocol):
    """What the password of a name is compared by; None if nobody of that name may ask now."""

    async def mark(self, name: str) -> str | None: ...


@dataclass(frozen=True)
class OfAnalysts:
    """The analysts of a collector, as they are at this moment."""

    analysts: KnownAnalysts
    tokens: Callable[[], Tokens]

    async def mark(self, name: str) -> str | None:
        return self.analysts.now.mysql_mark(name, self.tokens())


@dataclass(frozen=True)
class OneToken:
    """A folder without a collector: one token, for the name `analyst`."""

    token: str

    async def mark(self, name: str) -> str | None:
        return mysql_mark(self.token) if name == SHARED else None


class Identities(IdentityProvider):  # type: ignore[misc]
    """Hands the protocol what it compares. A name that nobody has is refused as a wrong password is."""

    def __init__(self, passwords: Passwords) -> None:
        self.passwords = passwords

    def get_plugins(self) -> list[NativePasswordAuthPlugin]:
        return [NativePasswordAuthPlugin()]

    async def get_user(self, username: str) -> User:
        mark = (await self.passwords.mark(username) if NAME.fullmatch(username) else None) or NOBODY
        return User(name=username, auth_string=mark, auth_plugin=NativePasswordAuthPlugin.name)
