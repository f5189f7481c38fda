"""One contract for every kind of attribute in KINDS, and for two toy kinds that only tests know."""

from __future__ import annotations

import ast
import json
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from contracts.toy_kinds import Day, Month
from untold.collect.bulk import round_at_random
from untold.collect.columns import STORED_AS, reader_of
from untold.device.encoder import Encoder
from untold.errors import BadRecord
from untold.plan import Plan
from untold.plan.schema import kinds
from untold.plan.schema.kinds import KINDS, Attribute, Coded, Sensitive
from untold.plan.schema.read_attribute import kind_words, read_attribute
from untold.plan.schema.table import Table
from untold.randomness import WORD, Replayed, Seeded

DECLARED: list[tuple[type[Attribute], dict[str, Any]]] = [
    (kinds.Ordinal, {"kind": "ordinal", "low": 1, "high": 125}),
    (kinds.Ordinal, {"kind": "ordinal", "low": -(2**53), "high": -(2**53) + 2000}),
    (kinds.Knots, {"kind": "ordinal", "low": 0, "high": 250_000, "bins": 125}),
    (kinds.Knots, {"kind": "ordinal", "low": 0, "high": 1.1, "bins": 7}),  # (high - low) / step is below 7
    (kinds.Knots, {"kind": "ordinal", "low": -0.1, "high": 0.3, "bins": 1}),
    (kinds.Classes, {"kind": "ordinal", "low": 0, "high": 250_000, "cuts": [20_000, 35_000, 60_000.5]}),
    (kinds.Classes, {"kind": "ordinal", "low": -0.5, "high": 40, "cuts": [0, 0.1, 1.5, 31]}),
    (kinds.Classes, {"kind": "ordinal", "low": 0, "high": 60, "cuts": [20, 30, 31], "digits": 0}),
    (kinds.Classes, {"kind": "ordinal", "low": -1, "high": 1.1, "cuts": [0, 0.25, 0.3], "digits": 2}),
    (kinds.Classes, {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5], "parts": 4}),
    (kinds.Classes, {"kind": "ordinal", "low": 0.1, "high": 0.7, "cuts": [], "parts": 8, "rounded": False}),
    (kinds.Classes, {"kind": "ordinal", "low": 0, "high": 60, "cuts": [20, 21, 24], "digits": 0, "parts": 4}),
    (kinds.Classes, {"kind": "ordinal", "low": -1, "high": 1.1, "cuts": [0.3], "digits": 2, "parts": 16}),
    (kinds.Decimals, {"kind": "ordinal", "low": 0, "high": 1.1, "digits": 2}),
    (kinds.Decimals, {"kind": "ordinal", "low": -0.5, "high": 99.999, "digits": 3}),
    (kinds.Categorical, {"kind": "categorical", "values": ["NY", "WA", "CA"]}),
    (kinds.Categorical, {"kind": "categorical", "values": [5, -1, 0]}),
    (kinds.Categorical, {"kind": "categorical", "values": [False, True]}),
    (kinds.Grouped, {"kind": "categorical", "values": ["NY", "WA", "CA", "OR"], "groups": [["WA", "OR"]]}),
    (kinds.Grouped, {"kind": "categorical", "values": [5, -1, 0, 7, 9], "groups": [[0, 5, 9], [-1, 7]]}),
    (kinds.Date, {"kind": "date", "low": "2024-02-01", "high": "2024-12-31", "step": "day"}),
    (kinds.Date, {"kind": "date", "low": "2023-12-25", "high": "2024-12-30", "step": "week"}),
    (kinds.Date, {"kind": "date", "low": "1899-10-01", "high": "2024-10-01", "step": "quarter"}),
    (
        kinds.Timestamp,
        {"kind": "timestamp", "low": "2024-02-28T00:00:00", "high": "2024-03-01T23:00:00", "step": "hour"},
    ),
    (
        kinds.Timestamp,
        {"kind": "timestamp", "low": "1969-12-31T23:59:00", "high": "1970-01-01T00:02:00", "step": "second"},
    ),
    (kinds.Public, {"kind": "public"}),
    (kinds.Each, {"kind": "each", "values": ["a", "b"]}),
    (Month, {"kind": "month"}),
    (Day, {"kind": "day", "low": "2024-02-01", "high": "2024-12-31"}),
]
DECLARED += [(kinds.Categorical, {"kind": "categorical", "values": ["NY", "WA", "CA"], "other": "elsewhere"})]
DECLARED += [(kinds.Each, {"kind": "each", "values": ["a", "b"], "other": "c"})]
DECLARED += [
    (kinds.Text, {"kind": "text", "values": ["maps", "caf\u00e9 noir"], "other": "OTHER", "bytes": 24, "fold": True}),
    (
        kinds.Text,
        {"kind": "text", "values": ["E17", "e17"], "other": "rest", "bytes": 8, "fold": False, "discover": 0.2}
        | {"letters": "codes", "count": 0.5},
    ),
]
DECLARED += [
    (
        kinds.Grouped,
        {"kind": "categorical", "values": ["NY", "WA", "CA"], "other": "elsewhere", "groups": [["NY", "CA"]]},
    )
]
DECLARED += [(kinds.Clipped, {**d, "clip": True}) for kind, d in DECLARED if getattr(kind, "clips", False)]
DECLARED += [(kinds.OrMissing, {**d, "missing": True}) for kind, d in DECLARED if issubclass(kind, Sensitive)]
FOREIGN: list[Any] = ["nowhere", "", True, False, None, -0.5, 1.5, 31, 10**9, 3.0e9, Decimal("0.25"), float("nan")]
FOREIGN += [date(2024, 1, 31), date(2025, 1, 1), date(2024, 2, 29), datetime(2024, 2, 29, 12, 30), datetime(2026, 2, 1)]
FOREIGN += ["0.25", "0.250", "+1", "-.5", "1e0", "0.2555", Decimal("1.10"), Decimal("0.2555"), 0.1 + 0.2, 0.3]
FOREIGN += ["2024-02-29", "2024-02-30", "2024-02-29T12:30:01.5", "2024-02-29 23:30-01:00", "2024-2-29", "29.2.2024"]
TYPES = {
    "integer": int,
    "number": float,
    "text": str,
    "boolean": bool,
    "date": date,
    "timestamp": datetime,
    "day": date,
    "decimal": Decimal,
}


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that it takes to register a kind."""
    monkeypatch.setattr(kinds, "KINDS", (*KINDS, Month, Day))
    monkeypatch.setitem(STORED_AS, "day", lambda kind: pa.date32() if kind in (pa.date32(), pa.null()) else None)


def made(declared: dict[str, Any]) -> Attribute:
    mistakes: list[str] = []
    attribute = read_attribute("x", Table(declared, "x", mistakes))
    assert mistakes == []
    assert attribute is not None
    return attribute


def of_base(base: type) -> Any:
    """A test for every declared attribute whose kind derives from a base."""
    own = [(kind, declared) for kind, declared in DECLARED if issubclass(kind, base)]
    return pytest.mark.parametrize("declared", [d for _, d in own], ids=[f"{k.__name__} {d}"[:50] for k, d in own])


def codes_of(attribute: Coded) -> list[int]:
    return sorted({*range(0, attribute.size, max(1, attribute.size // 500)), attribute.size - 1})


def first_code(attribute: Coded, code: int) -> int:
    """Of all codes with the same value, the one that a device gives it: a class of one number has several, a group copies of its
    last value, and the ends of `clip` are those of the domain."""
    if code == attribute.missing_code or not isinstance(attribute, Sensitive):
        return code
    if not attribute.halves and attribute.parts == 1 and not attribute.beyond:
        return code
    return first_codes(attribute)[attribute.value(code)]


@cache
def first_codes(attribute: Sensitive) -> dict[Any, int]:
    """Of all its values."""
    codes = range(attribute.beyond, attribute.known - attribute.beyond)
    return {attribute.value(code): code for code in reversed(codes)}


def scalar(attribute: Coded, value: Any) -> tuple[int, float] | None:
    """What the device makes of a value; None if it refuses."""
    try:
        return attribute.position(value)
    except BadRecord as refusal:
        said = str(refusal)
    assert said.startswith("x = ")
    assert attribute.describe().removesuffix(", or missing") in said
    return None


def test_every_kind_is_here() -> None:
    assert {kind for kind, _ in DECLARED} == {*KINDS, kinds.OrMissing, kinds.Clipped, Month, Day}
    assert set(kind_words()) == {declared["kind"] for _, declared in DECLARED}
    assert set(kind_words("sensitive")) == {"ordinal", "categorical", "date", "timestamp", "text", "month", "day"}


@pytest.mark.parametrize(("kind", "declared"), DECLARED)
def test_one_kind_claims_a_table_and_reads_what_it_writes(kind: type[Attribute], declared: dict[str, Any]) -> None:
    attribute = made(declared)
    assert type(attribute) is kind
    parts = [attribute]
    while isinstance(parts[-1], kinds.OrMissing | kinds.Clipped):
        parts.append(parts[-1].inner)
    assert [each for each in kinds.KINDS if each.claims(declared)] == [type(parts[-1])]
    dumped = attribute.declared()
    assert dumped == declared
    assert set(dumped) <= {"kind", *(key for part in parts for key in part.keys)}
    assert made(json.loads(json.dumps(dumped))) == attribute


@pytest.mark.parametrize(("kind", "declared"), DECLARED)
def test_words(kind: type[Attribute], declared: dict[str, Any]) -> None:
    attribute = made(declared)
    for words in (attribute.describe(), attribute.in_words()):
        assert 5 < len(words) < 200
        assert words.isprintable()


@of_base(Coded)
def test_codes_and_values_are_one_to_one(declared: dict[str, Any]) -> None:
    attribute = made(declared)
    assert isinstance(attribute, Coded)
    values = [attribute.value(code) for code in codes_of(attribute)]
    first = [first_code(attribute, code) for code in codes_of(attribute)]
    assert [attribute.code_of(value) for value in values] == first
    assert [round(sum(attribute.position(value))) for value in values] == first
    for code in (0, attribute.known - 1, attribute.size - 1):
        assert attribute.position(attribute.value(code)) == (first_code(attribute, code), 0.0)
    assert {type(value) for value in values if value is not None} == {TYPES[attribute.value_type]}
    assert STORED_AS[attribute.value_type](pa.array(values).type) is not None
    assert attribute.listed is None or list(attribute.listed) == [attribute.value(c) for c in range(attribute.size)]
    assert [code for code in codes_of(attribute) if attribute.value(code) is None] == (
        [] if attribute.missing_code is None else [attribute.size - 1]
    )
    assert attribute.missing_code in (None, attribute.size - 1)


@of_base(Coded)
def test_columns_of_tables_are_read_as_devices_read_records(declared: dict[str, Any]) -> None:
    """By Arrow columns of every type that a value of ours or a foreign one has."""
    attribute = made(declared)
    assert isinstance(attribute, Coded)
    own = [attribute.value(code) for code in codes_of(attribute)]
    refused = read = 0
    for kind in (bool, int, float, str, Decimal, date, datetime):
        values = [value for value in (*own, *FOREIGN) if type(value) is kind or value is None]
        column = pa.array([*values, None])
        try:
            found = reader_of(attribute, column.type, "t").read(pa.RecordBatch.from_arrays([column], names=["x"]))
        except BadRecord:  # the whole column, and so each of its values
            there = [value for value in values if not kinds.is_missing(value)]
            assert attribute.total or all(scalar(attribute, value) is None for value in there)
            refused += 1
            continue
        expected = [scalar(attribute, value) for value in column.to_pylist()]
        assert found.bad.tolist() == [position is None for position in expected]
        good = [
            (value, sum(position))
            for value, position in zip(found.values, expected, strict=True)
            if position is not None
        ]
        assert [value for value, _ in good] == [position for _, position in good]
        assert found.values.dtype == (np.float64 if attribute.rounds else np.uint32)
        refused, read = refused + int(found.bad.sum()), read + len(good)
    assert read >= len(own)
    assert refused > 0


@of_base(Coded)
def test_array_operations_give_what_the_slow_twin_gives(declared: dict[str, Any]) -> None:
    attribute = made(declared)
    assert isinstance(attribute, Coded)
    ends = [attribute.value(0), attribute.value(attribute.known - 1)]
    foreign = [v for v in FOREIGN if not (attribute.may_be_missing and kinds.is_missing(v))]
    values = np.array([v for v in (*ends, *foreign) if type(v) is type(ends[0])])
    (fast, bad), (slow, wrong) = attribute.positions(values), Coded.positions(attribute, values)
    assert bad.tolist() == wrong.tolist()
    assert fast.dtype == slow.dtype
    assert fast[~bad].tolist() == slow[~bad].tolist()


@of_base(Sensitive)
def test_devices_and_tables_round_by_one_rule(declared: dict[str, Any]) -> None:
    """On the same words; the largest word rounds down whatever can be, the smallest one up."""
    plan = Plan.from_dict(
        {"name": "p", "user_key": "u", "epsilon": 1, "services": {"s": {"attributes": {"x": declared}}}}
    )
    attribute, encoder = plan.service("s").sensitive[0], Encoder.of(plan, "s")
    own = [attribute.value(code) for code in codes_of(attribute)]
    if attribute.rounds:
        ends = float(own[0]), float(attribute.value(attribute.known - 1))
        drawn = np.random.default_rng(3).uniform(*ends, 300).tolist()
        own += drawn if (digits := declared.get("digits")) is None else [round(x, digits) for x in drawn]
    last = attribute.value(attribute.known - 1)
    own = [last, attribute.value(attribute.size - 1), *own]
    if attribute.rounds and declared.get("digits"):
        own = [None if value is None else float(value) for value in own]
    column = pa.array(own)
    positions = reader_of(attribute, column.type, "t").read(pa.RecordBatch.from_arrays([column], names=["x"])).values
    for words in (Seeded(1).words((len(own),)), np.full(len(own), WORD - 1, np.uint64), np.zeros(len(own), np.uint64)):
        bulk = round_at_random(positions, words) if attribute.rounds else positions
        assert [encoder.codes({"x": v}, Replayed([w]))[0] for v, w in zip(own, words, strict=True)] == bulk.tolist()
        highest = [first_code(attribute, code) for code in (attribute.known - 1, attribute.size - 1)]
        assert bulk[:2].tolist() == highest  # the highest is not rounded down
        assert bulk.max() < attribute.size


@of_base(Sensitive)
def test_numbers_and_places(declared: dict[str, Any]) -> None:
    attribute = made(declared)
    assert isinstance(attribute, Sensitive)
    assert attribute.role == "sensitive"
    for code in codes_of(attribute):
        if attribute.value(code) is not None:
            assert attribute.place(attribute.value(code)) == pytest.approx(first_code(attribute, code), abs=1e-9)
    if attribute.numeric:
        assert attribute.numbers.tolist() == [attribute.number(code) for code in range(attribute.known)]
        assert not attribute.ordered or (np.diff(attribute.inside(attribute.numbers)) > -attribute.halves).all()
        assert not attribute.ordered or (np.diff(attribute.numbers) >= 0).all()
    else:
        assert attribute.no_number
        assert not attribute.rounds
        assert attribute.place("nowhere") is None
    assert attribute.caution is not None or not attribute.rounds
    assert not attribute.rounds or attribute.compares_numbers


STRANGE: list[Any] = [
    *FOREIGN, float("inf"), float("-inf"), Decimal("sNaN"), Decimal("1E+999999"), Decimal("-1E-999999"), 10**400, "\ud800", b"x",
    [], {}, object(), np.array([1, 2]), np.datetime64("NaT"), np.float32("nan"), np.bool_(True), 3 + 4j, "9999-99-99", "1" * 31,
]  # fmt: skip


@of_base(Coded)
def test_a_total_attribute_refuses_nothing(declared: dict[str, Any]) -> None:
    attribute = made(declared)
    assert isinstance(attribute, Coded)
    assert attribute.total == bool({"clip", "other"} & set(declared))
    if not attribute.total:
        assert any(scalar(attribute, value) is None for value in FOREIGN)
        return
    for value in STRANGE:
        code, fraction = attribute.position(value)
        assert 0 <= code + (fraction > 0) < attribute.size
        assert 0 <= fraction < 1
    if isinstance(attribute, Sensitive) and attribute.beyond:
        assert attribute.position("nowhere") == (0, 0.0)
        if attribute.numeric:
            low, high = attribute.number(0), attribute.number(attribute.known - 1)
            assert attribute.position(low - 8) == (0, 0.0)
            assert attribute.position(high + 8) == (attribute.known - attribute.beyond, 0.0)


def test_nobody_else_asks_which_kind_it_is() -> None:
    """Outside of `plan.schema`, no isinstance names a kind, and no `.kind == ...` its word, but where a reason is given."""
    places = asking(untold_sources())
    assert [place for place in places if not place.startswith(tuple(MAY_ASK))] == []
    assert all(
        any(place.startswith(reason) for place in places) for reason in MAY_ASK
    )  # or it needs no exception any more


@pytest.mark.parametrize(
    "source",
    ["isinstance(a, Ordinal)", "isinstance(a, kinds.Knots | Public)", "a.kind == 'ordinal'", "a.kind in ('each',)"],
)
def test_somebody_who_asks_is_noticed(source: str) -> None:
    assert len(asking({"sql/x.py": source})) == 1


# Still to be given to the kinds themselves: what one coarser or finer than it would be.
MAY_ASK = {
    "ask/dashboard/": "makes attributes of one kind from those of another",
    "ask/sql/one_attribute/finer.py": "makes a finer attribute for reading a question",
    "ask/sql/one_attribute/evaluate.py": "asks whether a finer one stands behind",
}


def untold_sources() -> dict[str, str]:
    top = Path(untold.__file__).parent
    return {str(path.relative_to(top)): path.read_text() for path in sorted(top.rglob("*.py"))}


def asking(sources: dict[str, str]) -> list[str]:
    """Places that tell kinds of attributes apart by class or by word."""
    names = {kind.__name__ for kind in KINDS}
    words = {kind.kind for kind in KINDS}
    found = []
    for path, text in sources.items():
        if path.startswith("plan/schema/"):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
                used = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
                used |= {n.attr for n in ast.walk(node.args[1]) if isinstance(n, ast.Attribute)}
                found += [f"{path}:{node.lineno}"] if used & names else []
            if isinstance(node, ast.Compare) and any(
                isinstance(n, ast.Attribute) and n.attr == "kind" for n in ast.walk(node)
            ):
                said = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
                found += [f"{path}:{node.lineno}"] if said & words else []
    return found
