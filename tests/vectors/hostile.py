"""Signed plans that a device must refuse, and one that it must not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helpers.trusted import accept
from untold.errors import UntoldError
from untold.exact import tilt
from untold.plan import Plan
from untold.randomness import WORD
from untold.wire.signing import SignedPlan

SEED, OTHER = bytes(range(32)), bytes(range(1, 33))  # private keys, for tests alone
CEILING = 1.0
DECLARED: dict[str, Any] = {
    "name": "poll",
    "user_key": "uid",
    "epsilon": 1.0,
    "lifetime": 5.0,
    "design": "hio",
    "services": {
        "users": {
            "attributes": {
                "age": {"kind": "ordinal", "low": 0, "high": 9},
                "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
            }
        },
        "orders": {
            "rows_per_user": {"max": 3, "report": 2},
            "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 10, "bins": 5}},
            "design": "ahio",
        },
        "clicks": {"attributes": {"kind": {"kind": "categorical", "values": ["a", "b"]}}, "oracle": "olh"},
    },
}
Frozen = dict[str, Any]


def loose_weights(frozen: Frozen) -> None:
    """An oracle that claims its small epsilon and draws with the weights of a large one."""
    for oracle in frozen["designs"]["users"]["oracles"]:
        if oracle["name"] == "grr" and oracle["cells"] > 1:
            oracle["heavy"], oracle["light"] = map(str, tilt(5 * 10**9, oracle["cells"], WORD - 1))


def dear_design(frozen: Frozen) -> None:
    """Honest weights of an epsilon beyond the service's budget."""
    for oracle in frozen["designs"]["users"]["oracles"]:
        if oracle["name"] == "grr":
            oracle["nano"] = 5 * 10**9
            oracle["heavy"], oracle["light"] = map(str, tilt(5 * 10**9, oracle["cells"], WORD - 1))


def view(frozen: Frozen, service: str = "users") -> Frozen:
    """The last view of a service."""
    found: Frozen = frozen["designs"][service]["views"][-1]
    return found


def oracle(frozen: Frozen, service: str = "users") -> Frozen:
    """The oracle of the last view of a service."""
    design = frozen["designs"][service]
    found: Frozen = design["oracles"][design["views"][-1]["oracle"]]
    return found


ORDER_8 = "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"


def mixed_to(key: str) -> Frozen:
    """A declaration of mixing, with this key."""
    return {"people": 100, "delta": 1e-8, "key": key}


MALFORMED: dict[str, Callable[[Frozen], Any]] = {
    "a format of the future": lambda f: f.update(format=4),
    "a format of the past": lambda f: f.update(format=1),
    "a format that is a word": lambda f: f.update(format="2"),
    "no format": lambda f: f.pop("format"),
    "no declaration": lambda f: f.pop("declared"),
    "no designs": lambda f: f.pop("designs"),
    "no design of a service": lambda f: f["designs"].pop("users"),
    "epsilon 0": lambda f: f["declared"].update(epsilon=0),
    "epsilon below zero": lambda f: f["declared"].update(epsilon=-1.0),
    "epsilon 31": lambda f: f["declared"].update(epsilon=31.0),
    "epsilon in words": lambda f: f["declared"].update(epsilon="1.0"),
    "epsilon null": lambda f: f["declared"].update(epsilon=None),
    "an epsilon smaller than what reports cost": lambda f: f["declared"].update(epsilon=0.5),
    "a lifetime below epsilon": lambda f: f["declared"].update(lifetime=0.5),
    "no services": lambda f: f["declared"].update(services={}),
    "a service without attributes": lambda f: f["declared"]["services"]["users"].update(attributes={}),
    "a service with an odd name": lambda f: f["declared"]["services"].update(
        {'a"b': f["declared"]["services"].pop("users")}
    ),
    "an attribute with an odd name": lambda f: f["declared"]["services"]["users"]["attributes"].update(
        {"a b": f["declared"]["services"]["users"]["attributes"].pop("age")}
    ),
    "an unknown kind": lambda f: f["declared"]["services"]["users"]["attributes"]["age"].update(kind="secret"),
    "low above high": lambda f: f["declared"]["services"]["users"]["attributes"]["age"].update(low=30),
    "a domain of other size": lambda f: f["declared"]["services"]["users"]["attributes"]["age"].update(high=30),
    "no bins": lambda f: f["declared"]["services"]["orders"]["attributes"]["amount"].update(bins=0),
    "a value twice": lambda f: f["declared"]["services"]["users"]["attributes"]["state"].update(values=["a", "b", "a"]),
    "mixed values": lambda f: f["declared"]["services"]["users"]["attributes"]["state"].update(values=["a", "b", 1]),
    "more slots than rows": lambda f: f["declared"]["services"]["orders"]["rows_per_user"].update(report=4),
    "slots that were not paid for": lambda f: f["declared"]["services"]["orders"]["rows_per_user"].update(report=3),
    "many rows without a hidden weight": lambda f: f["declared"]["services"]["users"].update(
        rows_per_user={"max": 2, "report": 1}
    ),
    "a hidden weight without many rows": lambda f: f["declared"]["services"]["orders"].pop("rows_per_user"),
    "a public column in a service with many rows": lambda f: f["declared"]["services"]["orders"]["attributes"].update(
        os={"kind": "public"}
    ),
    "reports about each value that were not paid for": lambda f: f["declared"]["services"]["orders"][
        "attributes"
    ].update(product={"kind": "each", "values": ["tea", "salt"]}),
    "reports about each value without many rows": lambda f: f["declared"]["services"]["users"]["attributes"].update(
        product={"kind": "each", "values": ["tea", "salt"]}
    ),
    "weights of a larger epsilon": loose_weights,
    "a design beyond the budget": dear_design,
    "weights that lean the other way": lambda f: oracle(f).update(heavy="1"),
    "a weight that is a number": lambda f: oracle(f).update(heavy=7),
    "a weight below zero": lambda f: oracle(f).update(light="-5"),
    "no weight": lambda f: oracle(f).pop("light"),
    "an unknown oracle": lambda f: oracle(f).update(name="plaintext"),
    "an oracle named like a method": lambda f: oracle(f).update(name="constructor"),
    "an oracle of other cells": lambda f: oracle(f).update(cells=7),
    "an oracle of no cells": lambda f: oracle(f).update(cells=0),
    "an epsilon of zero billionths": lambda f: oracle(f).update(nano=0),
    "an epsilon of a million": lambda f: oracle(f).update(nano=10**15),
    "an epsilon of a million for a hash": lambda f: oracle(f, "clicks").update(nano=10**15),
    "an epsilon that is no integer": lambda f: oracle(f).update(nano=1e8 + 0.5),
    "a field of 2^61": lambda f: oracle(f).update(name="agr", sides=str(2**61 - 1)),
    "a weight beyond every word": lambda f: oracle(f).update(heavy="9" * 30),
    "more cells than can be told apart": lambda f: oracle(f).update(cells=2**52),
    "a tree of 2^60 leaves": lambda f: f["designs"]["users"]["trees"][0].update(fan_outs=[2**20] * 3),
    "sealed to nobody": lambda f: f["declared"].update(mix=mixed_to("00" * 32)),
    "sealed to a point of order 8": lambda f: f["declared"].update(mix=mixed_to(ORDER_8)),
    "sealed to zero, written as the prime": lambda f: f["declared"].update(mix=mixed_to("ed" + "ff" * 31)),
    "a field that is no prime": lambda f: oracle(f).update(sides="4"),
    "more sides of a hash": lambda f: oracle(f, "clicks").update(sides="5"),
    "a hash of 16 bits": lambda f: oracle(f, "clicks").update(width="16"),
    "views that are never picked": lambda f: view(f).update(weight="0"),
    "a view picked too often": lambda f: view(f).update(weight=str(WORD)),
    "a view picked less than never": lambda f: view(f).update(weight="-1"),
    "some views without a weight": lambda f: view(f).update(weight=None),
    "a level below the leaves": lambda f: view(f).update(active=[0, 9, 1, 9]),
    "an attribute without its level": lambda f: view(f).update(active=[0, 1, 1]),
    "a level of an attribute that is not there": lambda f: view(f).update(active=[0, 1, 2, 1]),
    "an active attribute at its root": lambda f: view(f).update(active=[0, 0, 1, 1]),
    "attributes out of order": lambda f: view(f).update(active=view(f)["active"][2:] + view(f)["active"][:2]),
    "an attribute twice": lambda f: view(f).update(active=view(f)["active"] + view(f)["active"][-2:]),
    "a level in words": lambda f: view(f).update(active=[0, "1"]),
    "active attributes that are no list": lambda f: view(f).update(active={"0": 1}),
    "an oracle that is not listed": lambda f: view(f).update(oracle=99),
    "an oracle before the first": lambda f: view(f).update(oracle=-1),
    "no list of oracles": lambda f: f["designs"]["users"].pop("oracles"),
    "no views": lambda f: f["designs"]["users"].update(views=[]),
    "a tree that is too small": lambda f: f["designs"]["users"]["trees"][0].update(fan_outs=[2, 2]),
    "a tree of other size": lambda f: f["designs"]["users"]["trees"][0].update(size=8),
    "a tree without children": lambda f: f["designs"]["users"]["trees"][0].update(fan_outs=[0, 5, 2]),
    "a column that is computed otherwise": lambda f: f["designs"]["orders"]["derived"][0].update(kind="copy"),
    "a column of an attribute that is not there": lambda f: f["designs"]["orders"]["derived"][0].update(attribute=3),
    "a column of other size": lambda f: f["designs"]["orders"]["derived"][0].update(size=5),
}


def hostile_vectors() -> list[dict[str, Any]]:
    """Why, what the collector publishes, what the device trusts, and which error it must raise (None: it must accept)."""
    plan = Plan.from_dict(DECLARED)
    text = plan.to_json()
    signed = SignedPlan.sign(text, SEED)
    greedy = Plan.from_dict({**DECLARED, "epsilon": 1.000000001}).to_json()
    cases: list[tuple[str, SignedPlan, dict[str, Any], str | None]] = [
        ("an honest plan", signed, {}, None),
        ("an honest plan by its id", signed, {"plan_id": plan.id}, None),
        ("an honest plan, its key in capitals", signed, {"key": signed.key.upper()}, None),
        ("epsilon above the ceiling", SignedPlan.sign(greedy, SEED), {}, "BudgetExceeded"),
        ("epsilon raised after signing", SignedPlan(greedy, signed.key, signed.signature), {}, "UntrustedPlan"),
        ("a blank after signing", SignedPlan(text + " ", signed.key, signed.signature), {}, "UntrustedPlan"),
        ("a damaged signature", SignedPlan(text, signed.key, "00" + signed.signature[2:]), {}, "UntrustedPlan"),
        ("a short signature", SignedPlan(text, signed.key, signed.signature[:-2]), {}, "UntrustedPlan"),
        ("no signature", SignedPlan(text, signed.key, ""), {}, "UntrustedPlan"),
        ("a signature in words", SignedPlan(text, signed.key, "x" * 128), {}, "UntrustedPlan"),
        ("signed by somebody else", SignedPlan.sign(text, OTHER), {}, "UntrustedPlan"),
        (
            "signed by somebody else in our name",
            SignedPlan(text, signed.key, SignedPlan.sign(text, OTHER).signature),
            {},
            "UntrustedPlan",
        ),
        ("a key of 31 bytes", signed, {"key": signed.key[:62]}, "UntrustedPlan"),
        ("another plan than the wanted one", signed, {"plan_id": "0" * 64}, "UntrustedPlan"),
        *(
            (name, SignedPlan.sign(bad, SEED), {}, "UntrustedPlan")
            for name, bad in (
                ("not JSON", "plan"),
                ("a list", "[]"),
                ("nothing", ""),
                ("cut off", text[:-1]),
                ("null", "null"),
                ("nested too deep", "[" * 20_000),
                ("not a number", text.replace('"epsilon":1.0', '"epsilon":NaN')),
                ("infinite", text.replace('"epsilon":1.0', '"epsilon":1e999')),
            )
        ),
    ]
    for name, spoil in MALFORMED.items():
        frozen = json.loads(text)
        spoil(frozen)
        cases.append((name, SignedPlan.sign(json.dumps(frozen, separators=(",", ":")), SEED), {}, "UntrustedPlan"))
    return [
        {
            "name": name,
            "signed": envelope(each),
            "trust": {"key": signed.key, "ceiling": CEILING, **trust},
            "refused": why,
        }
        for name, each, trust, why in cases
    ]


def envelope(signed: SignedPlan) -> dict[str, Any]:
    """The answer to GET /plan."""
    about = {"user_key": "text", "public": {}, "open": [0]}
    return {"plan": signed.text, "key": signed.key, "signature": signed.signature, "collector": about}


def verdict(signed: dict[str, Any], trust: dict[str, Any], folder: Path) -> str | None:
    """What the Python client says to this answer of a collector: the name of its error, or None."""
    from untold.device.trust import Offer, Trust

    try:
        accept(Trust(folder / "trust.json", **trust), Offer.read(json.dumps(signed).encode()))
    except UntoldError as error:
        return type(error).__name__
    return None
