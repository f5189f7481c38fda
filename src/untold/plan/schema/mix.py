"""The declaration `mix`: how many people's reports are mixed, by somebody else, before the collector sees any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from untold.plan.schema.kinds import Public
from untold.plan.schema.service import Service
from untold.plan.schema.table import Table
from untold.plan.schema.words import show

EXAMPLE = "mix = { people = 100000, delta = 1e-8 }"
FEWEST, MOST = 2, 10**9
USUAL_DELTA = 1e-8
KEY_DIGITS = 64
PRIME = 2**255 - 19
# The u coordinates of all points of Curve25519 and its twist whose order divides 8.
LOW_ORDER = (
    0,
    1,
    PRIME - 1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
)


@dataclass(frozen=True)
class Mix:
    """A batch has at least `people` people's bundles; the collector's promise to each is an epsilon at this delta."""

    people: int
    delta: float = USUAL_DELTA
    by: tuple[str, ...] = ()  # public columns: a batch for every combination of their values, each of `people`
    key: str | None = (
        None  # to which devices seal their bundles: 32 bytes of X25519, in hex; needed before anybody reports
    )


def read_mix(plan: Table) -> Mix | None:
    """The mixing of a plan, if it has one."""
    inner = plan.table("mix", EXAMPLE) if "mix" in plan.data else None
    if inner is None:
        return None
    inner.note_unknown(("people", "delta", "by", "key"))
    people = inner.integer("people", FEWEST, MOST, f"Write {EXAMPLE}") if inner.require("people", EXAMPLE) else None
    delta = inner.number("delta") if "delta" in inner.data else USUAL_DELTA
    if delta is not None and not 0 < delta < 1:
        inner.note("delta", f"{show(delta)} is not above 0 and below 1", f"Write {EXAMPLE}")
    by = inner.items("by", 'by = ["os"]') if "by" in inner.data else ()
    if by is not None and not all(isinstance(name, str) for name in by):
        inner.note("by", f"{show(list(by))} are not all names", 'Write by = ["os"], the names of public columns')
        by = None
    key = inner.data.get("key")
    if key is not None and not _is_key(key):
        inner.note("key", f"{show(key)} is not {KEY_DIGITS} digits of hex", "Take what `untold serve mixkey` prints")
        key = None
    elif key is not None and opens_for_anybody(key):
        inner.note("key", "this point seals to nobody: anybody could open it", "Take what `untold serve mixkey` prints")
        key = None
    if people is None or delta is None or by is None:
        return None
    return Mix(people, float(delta), tuple(by), key)


def _is_key(value: object) -> bool:
    return isinstance(value, str) and len(value) == KEY_DIGITS and not set(value) - set("0123456789abcdef")


def opens_for_anybody(key: str) -> bool:
    """Whether a public key of X25519 has low order: what is shared with it is 0, whatever the private key (RFC 7748, section 6.1).

    >>> opens_for_anybody("00" * 32), opens_for_anybody("01" + "00" * 31), opens_for_anybody("09" + "00" * 31)
    (True, True, False)
    """
    return int.from_bytes(bytes.fromhex(key), "little") % (1 << 255) % PRIME in LOW_ORDER


def check_mix(plan: Table, mix: Mix, services: Sequence[Service]) -> None:
    """What would tell the bundles of one person, or of few, from the rest."""
    for service in services:
        if service.repeat != "fresh":
            reason = f"'{service.repeat}' sends the same bytes in several epochs, by which a reader of mixed batches links them"
            _below(plan, f"services.{service.name}").note("repeat", reason, 'Write repeat = "fresh", or leave out mix')
    public = [(service.name, a.name) for service in services for a in service.attributes if isinstance(a, Public)]
    for service_name, name in public:
        if name not in mix.by:
            reason = "public, and who reads a mixed batch would tell people apart by it: a crowd is as large as its smallest group"
            fix = f'Make it categorical, leave it out, or write mix.by = ["{name}"] for batches of `people` for each value'
            _below(plan, f"services.{service_name}.attributes").note(name, reason, fix)
    names = [name for _, name in public]
    for name in mix.by:
        if names.count(name) != 1:
            reason = f"'{name}' is {'a public column of several services' if name in names else 'not a public column'}"
            _below(plan, "mix").note(
                "by", reason, f"Name public columns of one service each: {', '.join(names) or 'there are none'}"
            )
    if len(set(mix.by)) < len(mix.by):
        _below(plan, "mix").note("by", f"{show(list(mix.by))} names a column twice", "Name every column once")


def _below(plan: Table, path: str) -> Table:
    """Where a mistake is noted that is found once everything has been read."""
    return Table({}, path, plan.mistakes)
