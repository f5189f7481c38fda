"""Unbiasedness without sampling: for every possible record of a small plan, the exact expectation of its score, over
every branch of the device's draws, is what DuckDB computes for the query on that very record."""

from functools import cache, lru_cache
from itertools import product

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untold.ask.engines.base import pairs_of
from untold.ask.evidence.counted import CountedEvidence, DecodedCounts
from untold.ask.evidence.routes import FromCounts, kind_for
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.device.encoder import Encoder
from untold.plan import Plan
from untold.plan.designs.recipes import DESIGNS
from untold.randomness import Exhaustive

ATTRIBUTES = {
    "age": {"kind": "ordinal", "low": 1, "high": 4},
    "state": {"kind": "categorical", "values": ["NY", "WA"]},
}
SETTINGS = [(recipe.name, "auto") for recipe in DESIGNS if recipe.answers_sql] + [
    ("hio", "agr"),
    ("hio", "grr"),
    ("mg", "olh"),
    ("tuned", "olh"),
]
RECORDS = [{"age": a, "state": s, "os": o} for a, s, o in product((1, 2, 3, 4), ("NY", "WA"), ("ios", "android"))]
LATER = {"joined": pa.date32(), "seen": pa.timestamp("us"), "rate": pa.decimal128(2, 1)}  # of other files
DB = duckdb.connect()


@lru_cache
def plan_for(design, oracle, rows=0):
    service = {"design": design, "oracle": oracle, "fanout": 2, "attributes": {**ATTRIBUTES, "os": {"kind": "public"}}}
    if rows:
        service["rows_per_user"] = {"max": rows, "report": 1}
        del service["attributes"]["os"]
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": service}})


@cache
def reports(plan, records):
    """The exact distribution of everything that a person with these records sends."""
    encoder = Encoder.of(plan, "people")
    rows = [dict(record) for record in records]
    found = Exhaustive().distribution(lambda rng: encoder.encode(rows, rng))
    sent = [[message.index for slot in slots for message in slot] for slots in found]
    return np.array([float(chance) for chance in found.values()]), np.array(sent)


def on_raw(sql, records):
    """What DuckDB answers on the undisclosed records; an empty sum is 0."""
    return list(_on_raw(sql, tuple(tuple(record.items()) for record in records)))


@lru_cache
def _on_raw(sql, items):
    records = [dict(each) for each in items]
    names = list(records[0]) if records else ["age", "state"]
    kinds = {"age": pa.int64(), "state": pa.string(), "os": pa.string(), "spent": pa.float64()} | LATER
    DB.register("people", pa.table({n: pa.array([r[n] for r in records], kinds[n]) for n in names}))
    return [0.0 if value is None else float(value) for value in DB.execute(sql).fetchall()[0]]


def public_value(public, record):
    return public_number(public.sql, record.get("os"))


@cache
def public_number(sql, os):
    return float(DB.execute(f"SELECT {sql} FROM (SELECT ? AS os) AS people", [os]).fetchall()[0][0])


def expectation(compiled, total, plan, records):
    """The mean of a total over the exact distribution of the reports, scored one by one."""
    scan = compiled.scan
    if scan.filter is not None and not public_value(scan.filter, records[0]):
        return 0.0
    chances, messages = reports(plan, tuple(tuple(record.items()) for record in records))
    mean = 0.0
    for piece in scan.totals[total]:
        value = piece.coefficient * chances
        for public in piece.publics:
            value = value * public_value(public, records[0])
        for c in piece.columns:
            value = value * scan.columns[c].vector[messages].sum(axis=1)
        mean += value.sum()
    return mean


numbers = st.integers(0, 5)
atoms = st.one_of(
    st.builds("age {} {}".format, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), numbers),
    st.builds("age BETWEEN {} AND {}".format, numbers, numbers),
    st.builds("age IN ({}, {})".format, numbers, numbers),
    st.builds("state {} '{}'".format, st.sampled_from(["=", "<>"]), st.sampled_from(["NY", "WA"])),
)
publics = st.builds("os {} '{}'".format, st.sampled_from(["=", "<>"]), st.sampled_from(["ios", "android"]))


def predicates(leaves):
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds("NOT ({})".format, inner),
            st.builds("({}) AND ({})".format, inner, inner),
            st.builds("({}) OR ({})".format, inner, inner),
        ),
        max_leaves=5,
    )


aggregates = st.lists(
    st.sampled_from(
        [
            "COUNT(*)",
            "SUM(age)",
            "SUM(2 * age - 3)",
            "SUM(age * age)",
            "SUM(CASE WHEN state = 'NY' THEN age ELSE 1 END)",
        ]
    ),
    min_size=1,
    max_size=2,
    unique=True,
)


def numbers_of(compiled):
    """The scan's total behind each output, in the order of SELECT."""
    return [compiled.groups[0][1][output.formula.index] for output in compiled.question.outputs]


def agree(sql, plan, estimator, people):
    compiled = compile_question(question(sql, plan), plan, ESTIMATORS[estimator])
    numbers = numbers_of(compiled)
    for records in people:
        want = dict(zip(numbers, on_raw(sql, records), strict=True))
        for total, value in want.items():
            assert expectation(compiled, total, plan, records) == pytest.approx(value, abs=1e-9), (
                sql,
                estimator,
                records,
            )
        for (i, j), number in compiled.squares.items():
            mean = expectation(compiled, number, plan, records)
            assert mean == pytest.approx(want[i] * want[j], abs=1e-9), (sql, estimator, records)
        if FromCounts().why_not(compiled) is None:
            all_groups_agree(compiled, plan, records)


def all_groups_agree(compiled, plan, records):
    """The same from decoded views: what they say of the exact chances of all messages, second moments included."""
    scan, truth = compiled.scan, on_raw(compiled.question.sql, records)
    if scan.filter is not None and not public_value(scan.filter, records[0]):
        return
    chances, messages = reports(plan, tuple(tuple(record.items()) for record in records))
    weights = kind_for(compiled).weights
    own = [float(np.prod([public_value(public, records[0]) for public in publics])) for publics in weights]
    counts = np.bincount(messages[:, 0], chances, minlength=plan.design("people").messages)
    every = np.arange(len(counts), dtype=np.uint32)
    pairs = {(i, j): own[i] * own[j] * counts for i, j in pairs_of(len(own))}
    decoded = DecodedCounts(plan.design("people"), (), 1, every, weights, np.outer(own, counts), pairs)
    asked = compiled.grouped
    found = CountedEvidence(asked, decoded)
    values = [found.first(total)[0] for total in asked.totals]
    assert [values[output.formula.index] for output in compiled.question.outputs] == pytest.approx(truth, abs=1e-9)
    for (i, j), square in asked.squares.items():
        assert found.first(square)[0] == pytest.approx(values[i] * values[j], abs=1e-9)
    z = [scores_of(scan, total, chances, messages, records) for total in compiled.groups[0][1]]
    for i, j in asked.pairs:
        assert found.second(asked.totals[i], asked.totals[j])[0] == pytest.approx(
            float(chances @ (z[i] * z[j])), rel=1e-9, abs=1e-9
        )


def scores_of(scan, total, chances, messages, records):
    """The score of every message that a person may send."""
    out = np.zeros(len(chances))
    for piece in scan.totals[total]:
        value = piece.coefficient * np.prod([public_value(public, records[0]) for public in piece.publics])
        out += value * np.prod([scan.columns[c].vector[messages[:, 0]] for c in piece.columns], axis=0)
    return out


@pytest.mark.parametrize(("design", "oracle"), SETTINGS)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    wanted=aggregates,
    where=predicates(st.one_of(atoms, publics)),
    estimator=st.sampled_from(sorted(ESTIMATORS)),
    pick=st.integers(0, 3),
)
def test_every_record_scores_its_own_value_on_average(design, oracle, wanted, where, estimator, pick):
    plan = plan_for(design, oracle)
    if oracle == "olh":
        return olh_agrees(plan, wanted, where, estimator)
    sql = f"SELECT {', '.join(wanted)} FROM people WHERE {where}"
    return agree(sql, plan, estimator, [[record] for record in RECORDS[pick::4]])


def olh_agrees(plan, wanted, where, estimator):
    """Seeds cannot be enumerated, so phi has its declared mean: sum over views of pi (alpha + beta of the record's cell)."""
    sql = f"SELECT {', '.join(wanted)} FROM people WHERE {where}"
    compiled = compile_question(question(sql, plan), plan, ESTIMATORS[estimator])
    design, scan = plan.design("people"), compiled.scan
    for record in RECORDS:
        if scan.filter is not None and not public_value(scan.filter, record):
            continue
        codes = [a.code_of(record[a.name]) for a in plan.service("people").sensitive]
        for total, value in zip(numbers_of(compiled), on_raw(sql, [record]), strict=True):
            mean = 0.0
            for piece in scan.totals[total]:
                weight = piece.coefficient * float(np.prod([public_value(p, record) for p in piece.publics]))
                coefficients = scan.columns[piece.columns[0]].coefficients
                for v, (view, cells, constant) in enumerate(
                    zip(design.views, coefficients.cells, coefficients.constants, strict=True)
                ):
                    own = 0.0 if cells is None else cells[design.space.cell(view.levels, codes)]
                    mean += weight * float(design.probability(v)) * (constant + own)
            assert mean == pytest.approx(value, abs=1e-9), (sql, estimator, record)


PEOPLE_WITH_ROWS = [
    [],
    [{"age": 3, "state": "NY"}],
    [{"age": 1, "state": "WA"}, {"age": 4, "state": "NY"}],
    [{"age": 2, "state": "WA"}, {"age": 2, "state": "WA"}],
]


@pytest.mark.parametrize("design", [r.name for r in DESIGNS if r.many_rows and r.name not in ("hi", "hio-pub")])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(wanted=aggregates, where=predicates(atoms), estimator=st.sampled_from(sorted(ESTIMATORS)))
def test_sampled_rows_and_dummies_stand_for_all_rows(design, wanted, where, estimator):
    plan = plan_for(design, "auto", rows=2)
    agree(f"SELECT {', '.join(wanted)} FROM people WHERE {where}", plan, estimator, PEOPLE_WITH_ROWS)


def test_a_wrong_weight_is_noticed():
    """The check can fail: halve the probability of one view."""
    from dataclasses import replace

    plan = plan_for("hio", "auto")
    design = plan.design("people")
    lean = (
        design.weights[0] + design.weights[-1] // 2,
        *design.weights[1:-1],
        design.weights[-1] - design.weights[-1] // 2,
    )
    wrong = replace(plan, designs=(replace(design, weights=lean),))
    compiled = compile_question(
        question("SELECT COUNT(*) FROM people WHERE age = 2 AND state = 'NY'", plan), plan, ESTIMATORS["blue"]
    )
    mean = expectation(compiled, 0, wrong, [RECORDS[4]])
    assert abs(mean - 1) > 0.05
