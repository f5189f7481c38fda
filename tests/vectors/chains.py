"""Keys that follow one another, as a device meets them: offers in turn, and which it refuses."""

from __future__ import annotations

from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

from untold.plan import Plan
from untold.wire.chain import Link, public_key
from untold.wire.signing import SignedPlan
from vectors.hostile import DECLARED, envelope

SEEDS = [sha256(f"key {i}".encode()).digest() for i in range(5)]
KEYS = [public_key(seed) for seed in SEEDS]
TEXT = Plan.from_dict(DECLARED).to_json()


def link(number: int, following: int | None = None) -> Link:
    return Link.sign(SEEDS[number], KEYS[number + 1 if following is None else following])


def offer(*links: Link, signer: int) -> dict[str, Any]:
    """What a collector publishes that signs by one of the keys."""
    found = envelope(SignedPlan.sign(TEXT, SEEDS[signer]))
    return found | ({"chain": [asdict(each) for each in links]} if links else {})


def chain_vectors() -> list[dict[str, Any]]:
    """A name, the key that the app gives (None: none), and offers in turn, each with a piece of the refusal (None: followed)."""
    first, second, third = link(0), link(1), link(2)
    zero, one, two = offer(first, signer=0), offer(first, second, signer=1), offer(first, second, third, signer=2)
    root, last, alone = KEYS[0].hex(), KEYS[2].hex(), "alone"
    forged = replace(second, signature=first.signature)
    stories: list[tuple[str, str | None, list[tuple[dict[str, Any], str | None]]]] = [
        ("one step", None, [(zero, None), (one, None), (one, None)]),
        ("two steps at once", None, [(zero, None), (two, None)]),
        ("from before there were chains", None, [(offer(signer=0), None), (one, None), (two, None)]),
        ("the app knows the root", root, [(one, None), (two, None)]),
        ("the app knows a key on the way", KEYS[1].hex(), [(two, None), (one, alone)]),
        ("the app knows the last key alone", last, [(two, None), (zero, alone)]),
        ("nothing more from the old key", None, [(zero, None), (one, None), (zero, alone), (offer(signer=0), alone)]),
        (
            "nothing more from the root that the app knows",
            root,
            [(zero, None), (two, None), (one, alone), (zero, alone)],
        ),
        ("a key that was not named", None, [(zero, None), (offer(first, third, signer=2), "has not named")]),
        ("a thief's successor", None, [(zero, None), (offer(link(0, 3), link(3), signer=3), "two successors")]),
        ("the same on the way", None, [(zero, None), (offer(link(0, 3), signer=0), "two successors"), (one, None)]),
        ("a thief who signs by himself", None, [(zero, None), (offer(link(3), signer=3), alone)]),
        ("a forged link", None, [(zero, None), (offer(first, forged, signer=1), "has not named")]),
        (
            "an end that has not signed",
            None,
            [(zero, None), (offer(first, second, third, signer=1), "does not end with")],
        ),
        ("a circle", None, [(zero, None), (offer(first, link(1, 0), link(0), signer=0), "does not end with")]),
        ("no links any more", None, [(zero, None), (offer(signer=0), None), (one, None)]),
        ("a link that is none", None, [(offer(replace(first, next="x"), signer=0), "has not named")]),
        (
            "a key that is none",
            None,
            [(zero, None), (offer(first, replace(second, key="00"), signer=1), "does not end with")],
        ),
    ]
    return [
        {"name": name, "key": key, "steps": [{"offer": each, "refused": why} for each, why in steps]}
        for name, key, steps in stories
    ]
