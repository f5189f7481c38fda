"""Files that a collector keeps: its secrets, and how it was set up. Both carry a checksum."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from untold.errors import StoreError
from untold.plan import Plan
from untold.randomness import Secure
from untold.store import files
from untold.store.inside import read_text
from untold.store.sealed import sealed, unsealed
from untold.store.writer import LEDGER
from untold.wire.chain import LONGEST, Link, public_key
from untold.wire.contract import LAST_EPOCH
from untold.wire.layout import KINDS
from untold.wire.signing import SignedPlan
from untold.wire.tokens import KEY_KINDS, Tokens

REMEMBERED = 3  # closed epochs
SETTINGS, SECRETS = "settings.json", "secrets.json"
KEY = 32  # bytes of a secret


@dataclass(frozen=True)
class Settings:
    """How user keys and public columns are stored, and which epochs take reports."""

    user_key: str = "text"  # one of KEY_KINDS
    public: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # service -> column -> one of KINDS
    open: tuple[int, ...] = (0,)
    closed: tuple[int, ...] = ()
    plan: str = ""  # id of the version that is collected, where several collectors share these settings

    @property
    def known(self) -> tuple[int, ...]:
        """Epochs of which it is known who has reported: those that are open, and the last ones that were closed. A device
        that missed its acknowledgement may send a stored report again, late."""
        return tuple(sorted({*self.open, *self.closed[-REMEMBERED:]}))

    def to_json(self) -> str:
        """As it is stored."""
        return sealed(json.dumps(asdict(self)))

    @classmethod
    def load(cls, home: Path) -> Settings | None:
        """What was stored; None if nothing was."""
        file = home / SETTINGS
        return cls.from_json(read_text(file), file) if file.exists() else None

    @classmethod
    def from_json(cls, text: str, file: Path) -> Settings:
        """Read it back. `file` names the place in messages."""
        found = _read(text, file)
        try:
            kinds = {str(s): {str(c): str(kind) for c, kind in each.items()} for s, each in found["public"].items()}
            unknown = {found["user_key"]} - set(KEY_KINDS) | {
                k for each in kinds.values() for k in each.values()
            } - set(KINDS)
            if unknown:
                raise ValueError("types that no column has")
            plan = str(found.get("plan", ""))
            return cls(str(found["user_key"]), kinds, _epochs(found["open"]), _epochs(found["closed"]), plan)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise _strange(file) from error

    def save(self, home: Path) -> None:
        """Durably, in one step."""
        files.replace_durably(home / SETTINGS, self.to_json().encode())

    def is_of(self, plan: Plan) -> bool:
        """Whether reports of this version are taken: not any more, once another one has begun."""
        return self.plan in ("", plan.id)

    def opened(self, epoch: int) -> Settings:
        """With one more open epoch. A closed one stays closed: who reported in it is no longer known."""
        if epoch in self.closed:
            raise StoreError(f"epoch {epoch} is closed for good.\nHint: open a later one.")
        return replace(self, open=tuple(sorted({*self.open, epoch})))

    def shut(self, epoch: int) -> Settings:
        """With one epoch closed, for good."""
        if epoch not in (*self.open, *self.closed):
            raise StoreError(f"epoch {epoch} is not open; open: {', '.join(map(str, self.open)) or 'none'}.")
        return replace(
            self,
            open=tuple(each for each in self.open if each != epoch),
            closed=tuple(sorted({*self.closed, epoch})),
        )


def check_closed(settings: Settings, epochs: Sequence[int]) -> None:
    """Refuse to forget what devices still report into."""
    if wrong := [epoch for epoch in epochs if epoch not in settings.closed]:
        raise StoreError(f"epoch {wrong[0]} is not closed.\nHint: close it first.")


def settle(plan: Plan, stored: Settings | None, user_key: str | None, public: Mapping[str, str]) -> Settings:
    """What was stored, or else what is asked for; public columns ("service.column" or "column") are text unless said
    otherwise. What is stored is not changed: reports follow it already."""
    names = {name: [a.name for a in plan.service(name).public] for name in plan.services}
    known = {f"{service}.{column}" for service, columns in names.items() for column in columns}
    plain = {column for columns in names.values() for column in columns}
    if strangers := sorted(set(public) - known - plain):
        allowed = ", ".join(sorted(known)) or "none"
        raise StoreError(f"'{strangers[0]}' is not a public column of plan '{plan.name}'; it has: {allowed}.")
    if wrong := sorted(set(public.values()) - set(KINDS)):
        raise StoreError(f"'{wrong[0]}' is not a type of public columns; there are: {', '.join(KINDS)}.")
    if user_key is not None and user_key not in KEY_KINDS:
        raise StoreError(f"'{user_key}' is not a type of user keys; there are: {', '.join(KEY_KINDS)}.")
    kinds = {
        service: {column: public.get(f"{service}.{column}", public.get(column, "text")) for column in columns}
        for service, columns in names.items()
    }
    if stored is None:
        return Settings(user_key or "text", kinds)
    if {name: set(stored.public.get(name, ())) for name in names} != {name: set(names[name]) for name in names}:
        raise StoreError(
            "the stored settings are of other public columns than the plan has.\nHint: restore settings.json from a copy."
        )
    if (user_key or stored.user_key) != stored.user_key or (public and kinds != stored.public):
        raise StoreError(
            f"this folder stores user keys as {stored.user_key} and public columns as {json.dumps(stored.public)}.\n"
            "Hint: leave these options out, or collect into another folder."
        )
    return stored


@dataclass(frozen=True)
class Secrets:
    """The key that plans are signed with, and what tokens are made of.

    signing     stands for the private key that signs
    secret      never changes: who has reported is known by it
    token_secrets  tokens are made of the first one; those of the others are good as well
    chain       the links of all keys so far, the last one of this key (`untold.wire.chain`)
    successor   stands for the private key that this one has named; None: it is kept elsewhere
    """

    signing: bytes = field(repr=False)
    secret: bytes = field(repr=False)
    token_secrets: tuple[bytes, ...] = field(
        repr=False, default=()
    )  # none: tokens are made of `secret`, as they once were
    chain: tuple[Link, ...] = ()
    successor: bytes | None = field(repr=False, default=None)
    mix: tuple[bytes, ...] = field(
        repr=False, default=()
    )  # private keys of what is mixed; none: the one that `secret` gives

    @classmethod
    def load(cls, home: Path) -> Secrets:
        """Those of a folder."""
        file = home / SECRETS
        if not file.exists():
            hint = "start the collector once: untold serve PLAN --data FOLDER"
            if (home.parent / LEDGER).exists():
                hint = "its collectors keep them in their database: write --ledger postgresql://... instead of --data"
            raise StoreError(f"{file} does not exist.\nHint: {hint}.")
        return cls.from_json(read_text(file), file)

    @classmethod
    def from_json(cls, text: str, file: Path) -> Secrets:
        """Read them back. `file` names the place in messages."""
        found = _read(text, file)
        try:
            links = tuple(Link(*map(str, each)) for each in found.get("chain", ()))
            told = found.get("successor")
            tokens = tuple(map(_key, found.get("tokens", ())))
            successor = None if told is None else _key(told)
            mix = tuple(map(_key, found.get("mix", ())))
            return cls(_key(found["signing"]), _key(found["secret"]), tokens, links, successor, mix)
        except (ValueError, TypeError, LookupError) as error:
            raise _strange(file) from error

    @classmethod
    def load_or_make(cls, home: Path) -> Secrets:
        """Those of a folder, made on the first call; for the owner's eyes only. A key that has named no successor does."""
        made = cls.load(home).linked() if (home / SECRETS).exists() else cls.new()
        if not (home / SECRETS).exists() or made != cls.load(home):
            made.save(home)
        return made

    @classmethod
    def new(cls) -> Secrets:
        """Ones that nobody else has."""
        signing, secret, tokens, mix = (Secure().words((4,)).tobytes() for _ in range(4))
        return cls(signing, secret, (tokens,), mix=(mix,)).linked()

    def to_json(self) -> str:
        """As they are stored."""
        told: dict[str, Any] = {"signing": self.signing.hex(), "secret": self.secret.hex()}
        told["tokens"] = [each.hex() for each in self.token_secrets]
        told["chain"] = [[each.key, each.next, each.signature] for each in self.chain]
        told["mix"] = [each.hex() for each in self.mix]
        told["successor"] = None if self.successor is None else self.successor.hex()
        return sealed(json.dumps(told))

    def save(self, home: Path) -> None:
        """Durably, in one step; for the owner's eyes only."""
        files.replace_durably(home / SECRETS, self.to_json().encode(), mode=0o600)

    def linked(self) -> Secrets:
        """With a successor that the key has named, if it has named none."""
        if self.chain:
            return self
        following = Secure().words((4,)).tobytes()
        return replace(self, chain=(Link.sign(self.signing, public_key(following)),), successor=following)

    def rotated(self, given: str | None = None) -> Secrets:
        """The successor signs from now on; `given` is its private key in hex, if it was kept elsewhere."""
        try:
            following = self.successor if given is None else _key(given)
        except ValueError as error:
            raise StoreError("the file holds no key: 64 hexadecimal digits are needed.") from error
        if following is None:
            raise StoreError(
                "the successor's private key is kept elsewhere.\nHint: untold serve key rotate FILE, with the file that it is in."
            )
        if not self.chain or not self.chain[-1].leads_to(public_key(following).hex()):
            raise StoreError(
                "that is not the successor that the key has named: devices would refuse it. Nothing was changed."
            )
        if len(self.chain) >= LONGEST:
            raise StoreError(f"{LONGEST} keys have followed one another; devices follow no more.")
        after = Secure().words((4,)).tobytes()
        link = Link.sign(following, public_key(after))
        return replace(self, signing=following, chain=(*self.chain, link), successor=after)

    def without_successor(self) -> Secrets:
        """After its private key was moved away."""
        return replace(self, successor=None)

    def renewed(self) -> Secrets:
        """Tokens are made of a new secret from now on; those of the last one are good until they are retired."""
        return replace(self, token_secrets=(Secure().words((4,)).tobytes(), (self.token_secrets or (self.secret,))[0]))

    def retired(self) -> Secrets:
        """Only tokens of the newest secret are good."""
        return replace(self, token_secrets=self.token_secrets[:1])

    @property
    def in_words(self) -> str:
        """What an operator may know of them: nothing that is secret."""
        count = max(1, len(self.token_secrets))
        where = "here; untold serve key successor FILE moves it" if self.successor is not None else "kept elsewhere"
        good = "tokens of one secret are good" if count == 1 else f"tokens of {count} secrets are good"
        return (
            f"plans are signed by {public_key(self.signing).hex()}, key {len(self.chain)} of its chain\n"
            f"its successor is named, and {where}\n{good}"
        )

    @cached_property
    def tokens(self) -> Tokens:
        """Makes and checks tokens."""
        first, *others = self.token_secrets or (self.secret,)
        return Tokens(first, tuple(others))

    @property
    def mixing(self) -> tuple[bytes, ...]:
        """The private keys of what is mixed, the newest last. A version of a plan names one of them."""
        return self.mix or (bytes.fromhex(Tokens(self.secret).role("mixing")),)

    def with_mix_key(self) -> Secrets:
        """With a key more, for the next version of the plan."""
        return replace(self, mix=(*self.mixing, Secure().words((4,)).tobytes()))

    def with_newest_mix_key(self) -> Secrets:
        """Without the others: what was sealed to them can never be opened again."""
        return replace(self, mix=self.mixing[-1:])

    @property
    def index_key(self) -> tuple[int, int]:
        """The key of the fingerprints: nobody else can look for two reports with the same one."""
        made = bytes.fromhex(Tokens(self.secret).role("index"))
        return int.from_bytes(made[:8], "little"), int.from_bytes(made[8:16], "little")

    def device_mark(self, user: str) -> str:
        """By which a user is known whose devices may not report any more."""
        return Tokens(self.secret).role(f"revoked {user}")

    def sign(self, plan: Plan) -> SignedPlan:
        """The plan with its signature."""
        return SignedPlan.sign(plan.to_json(), self.signing)


def _key(told: str) -> bytes:
    found = bytes.fromhex(told)
    if len(found) != KEY:
        raise ValueError("a secret of another length")
    return found


def _read(text: str, file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(unsealed(text, file))
    except (ValueError, RecursionError) as error:
        raise _strange(file) from error
    return found


def _epochs(told: Any) -> tuple[int, ...]:
    """Epochs become names of folders that are removed, so they are looked at first."""
    if not all(isinstance(each, int) and not isinstance(each, bool) and 0 <= each <= LAST_EPOCH for each in told):
        raise ValueError("epochs are integers")
    return tuple(told)


def _strange(file: Path) -> StoreError:
    return StoreError(f"{file} does not say what a collector writes there.\nHint: restore it from a copy.")
