"""Unbiasedness of joins without sampling: for people with every kind of rows, the exact mean of the product of their
services' scores is
what DuckDB computes for the query on their raw rows. Every design, every estimator, one to three services, tau = 1, 2, 4."""

from functools import cache, lru_cache
from itertools import product

import duckdb
import pyarrow as pa
import pytest

from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.device.encoder import Encoder
from untold.plan import Plan
from untold.plan.designs.recipes import DESIGNS
from untold.randomness import Exhaustive

NAMES = [recipe.name for recipe in DESIGNS if recipe.answers_sql and recipe.name != "hio-pub"]
SERVICES = {
    "people": {
        "attributes": {
            "age": {"kind": "ordinal", "low": 1, "high": 3},
            "state": {"kind": "categorical", "values": ["NY", "WA"]},
        }
    },
    "orders": {"rows_per_user": {"max": 4}, "attributes": {"amount": {"kind": "ordinal", "low": -1, "high": 2}}},
    "health": {"attributes": {"bmi": {"kind": "ordinal", "low": 0, "high": 1, "bins": 2}}},
}
ROWS = {
    "people": [[{"age": a, "state": s}] for a, s in ((1, "NY"), (3, "NY"), (2, "WA"))],
    "orders": [[], [{"amount": 2}], [{"amount": -1}, {"amount": 1}, {"amount": 1}], [{"amount": 0}] * 4],
    "health": [[{"bmi": 0.0}], [{"bmi": 0.5}]],
}
JOIN = "people JOIN orders USING (uid)"
QUERIES = (
    f"SELECT COUNT(*) FROM {JOIN} WHERE age BETWEEN 2 AND 3 AND amount > 0",
    f"SELECT SUM(amount) FROM {JOIN} WHERE state = 'NY' AND amount BETWEEN 0 AND 1",
    f"SELECT SUM(age) FROM {JOIN} WHERE amount >= 1",
    f"SELECT SUM(age * amount), SUM(amount + age) FROM {JOIN} WHERE age > 1",
    f"SELECT COUNT(*), SUM(amount) FROM {JOIN} WHERE age = 1 OR amount = 2 OR NOT (state = 'NY')",
    f"SELECT SUM(CASE WHEN age = 1 THEN amount WHEN amount < 1 THEN age ELSE 3 END) FROM {JOIN}",
)
GROUPED = f"SELECT state, COUNT(*), SUM(amount) FROM {JOIN} WHERE age <> 2 GROUP BY state"
DB = duckdb.connect()


@lru_cache
def plan_for(design, tau=1, names=("people", "orders")):
    services = {name: {"design": design, "fanout": 2, **SERVICES[name]} for name in names}
    if "orders" in names:
        services["orders"]["rows_per_user"] = {"max": 4, "report": tau}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 2.0, "services": services})


@cache
def slot_reports(plan, service, number):
    """The exact distribution of one slot of a person's reports. All slots are alike and independent: the encoder makes
    them in a row."""
    encoder, rows = Encoder.of(plan, service), ROWS[service][number]
    one_row = encoder.service.rows is None

    def one(rng):
        codes = encoder.codes(rows[0], rng) if one_row else encoder.sampled(rows, encoder.service.rows.max, rng)
        return encoder.messages(codes, rng)

    return [(float(chance), sent) for sent, chance in Exhaustive().distribution(one).items()]


def mean_of_service(scan, columns, plan, service, number):
    """The exact mean of the product of some score columns of one service, each summed over the user's messages."""
    slots = plan.service(service).slots
    assert (
        slots == 1 or len(columns) <= 1
    )  # with several slots a product of columns is refused by the designs that need it
    mean = 0.0
    for chance, messages in slot_reports(plan, service, number):
        value = chance
        for c in columns:
            value *= sum(float(scan.columns[c].vector[m.index]) for m in messages)
        mean += value
    return mean * (slots if columns else 1)


def mean(compiled, total, plan, person):
    value = 0.0
    for piece in compiled.scan.totals[total]:
        term = piece.coefficient
        for s, service in enumerate(compiled.scan.services):
            own = [c for c in piece.columns if compiled.scan.columns[c].service == s]
            term *= mean_of_service(compiled.scan, own, plan, service, person[service])
        value += term
    return value


def truth(sql, person):
    for service, number in person.items():
        rows = [{"uid": 1, **row} for row in ROWS[service][number]]
        kinds = {k: pa.string() if k == "state" else pa.float64() for k in SERVICES[service]["attributes"]}
        schema = pa.schema({"uid": pa.int64(), **kinds})
        DB.register(service, pa.Table.from_pylist(rows, schema=schema))
    return DB.execute(sql).fetchall()


def people(plan):
    for numbers in product(*(range(len(ROWS[service])) for service in plan.services)):
        yield dict(zip(plan.services, numbers, strict=True))


def agree(sql, plan, estimator):
    compiled = compile_question(question(sql, plan), plan, ESTIMATORS[estimator])
    numbers = [compiled.groups[0][1][output.formula.index] for output in compiled.question.outputs]
    for person in people(plan):
        want = [float(value or 0) for value in truth(sql, person)[0]]
        got = [mean(compiled, number, plan, person) for number in numbers]
        assert got == pytest.approx(want, abs=1e-9), (sql, estimator, person)


@pytest.mark.parametrize("estimator", sorted(ESTIMATORS))
@pytest.mark.parametrize("design", [name for name in NAMES if name != "hi"])
def test_joined_rows_score_their_own_value_on_average(design, estimator):
    for sql in QUERIES:
        agree(sql, plan_for(design), estimator)


@pytest.mark.parametrize("tau", [2, 4])
@pytest.mark.parametrize("design", ["tuned", "hio", "ahio", "ehio", "amg", "sr-hio", "hio-join"])
def test_any_number_of_sampled_rows(design, tau):
    for sql in QUERIES[:4]:
        agree(sql, plan_for(design, tau), "greedy")


@pytest.mark.parametrize("design", ["tuned", "sc-join", "hio-join"])
def test_three_services(design):
    plan = plan_for(design, 1, ("people", "orders", "health"))
    joined = f"{JOIN} JOIN health USING (uid)"
    for sql in (
        f"SELECT COUNT(*) FROM {joined} WHERE bmi > 0 AND age > 1 AND amount > 0",
        f"SELECT SUM(bmi), SUM(amount) FROM {joined} WHERE age < 3 OR amount = 0",
    ):
        agree(sql, plan, "greedy")


@pytest.mark.parametrize("design", ["tuned", "hio", "hio-join"])
def test_groups_of_a_sensitive_attribute(design):
    """HIO-GROUP-BY: the predicate of each group is the query's AND the group's [VLDB'20, section 8.1]."""
    plan = plan_for(design)
    compiled = compile_question(question(GROUPED, plan), plan, ESTIMATORS["greedy"])
    for person in people(plan):
        want = {row[0]: [float(value or 0) for value in row[1:]] for row in truth(GROUPED, person)}
        for (state,), numbers in compiled.groups:
            got = [mean(compiled, number, plan, person) for number in numbers]
            assert got == pytest.approx(want.get(state, [0.0, 0.0]), abs=1e-9)


def test_a_mirror_that_does_not_turn_its_range_is_noticed(monkeypatch):
    """The ends of the mirrored range as the paper prints them: [2 Amin - l - 1, 2 Amin - r - 1] of the unturned indicator."""
    from untold.ask.scores import report_parts as parts

    right = parts.ReportColumn.factor

    def unturned(self, values, tree, size):
        found = right(self, values, tree, size)
        if self.kind == "mirror" and found is not None:
            found[: tree.padded // 2] = found[: tree.padded // 2][::-1].copy()
        return found

    monkeypatch.setattr(parts.ReportColumn, "factor", unturned)
    with pytest.raises(AssertionError):
        agree(QUERIES[0], plan_for("ehio"), "greedy")


@pytest.mark.parametrize("design", ["sc", "sc-join"])
def test_products_of_messages_about_different_rows_are_refused(design):
    from untold.errors import PlanError

    with pytest.raises(PlanError, match="report = 1"):
        plan_for(design, 2)
