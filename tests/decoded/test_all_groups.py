"""All groups at once say what a scan of every group says: the same numbers, and errors that cover as they should."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import untold
from helpers.wide_plans import wide_plan
from untold.ask.decoded.second_moments import Budget
from untold.ask.decoded.sources import counted_source
from untold.ask.estimates.estimate import estimate
from untold.ask.estimates.measured import Block, Blocks
from untold.ask.estimates.totals import totals
from untold.ask.evidence.counted import CountedEvidence, DecodedCounts
from untold.ask.evidence.routes import ScannedScores
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.collect.bulk import encode_codes
from untold.randomness import Seeded

PEOPLE = 20_000
QUERIES = [
    "SELECT COUNT(*) AS c FROM t",
    "SELECT COUNT(*) AS c FROM t WHERE a0 BETWEEN 20 AND 60",
    "SELECT COUNT(*) AS c, SUM(a0) AS s FROM t WHERE a0 > 30 OR a1 = 'v1'",
    "SELECT a1, COUNT(*) AS c FROM t GROUP BY a1",
    "SELECT a1, AVG(a0) AS m, COUNT(*) AS c FROM t GROUP BY a1",
    "SELECT a0, COUNT(*) AS c FROM t GROUP BY a0",
    "SELECT a0, COUNT(*) AS c FROM t WHERE a0 < 10 GROUP BY a0",
    "SELECT a1, a2, COUNT(*) AS c FROM t GROUP BY a1, a2",
    "SELECT FLOOR(a0 / 20) AS g, a2, AVG(a0) AS m FROM t GROUP BY FLOOR(a0 / 20), a2",
    "SELECT a2, STDDEV(a0) AS d FROM t GROUP BY a2",
    "SELECT os, a1, COUNT(*) AS c FROM t GROUP BY os, a1",
    "SELECT a1, SUM(price) AS s FROM t GROUP BY a1",
    "SELECT a1, AVG(price) AS m FROM t WHERE os = 'x' GROUP BY a1",
    "SELECT a1, COUNT(*) AS c FROM t GROUP BY a1 HAVING LOW(c) > 2000 ORDER BY c DESC",
    "SELECT MEDIAN(a0) AS m FROM t WHERE a2 = 'yes'",
]


def people(seed, count=PEOPLE):
    rng = np.random.default_rng(seed)
    shift = rng.normal(size=count)
    a0 = np.clip(50 + 12 * shift + 9 * rng.normal(size=count), 0, 99).astype(int)
    a1 = np.clip(2.5 + shift + rng.normal(size=count), 0, 7).astype(int)
    return {
        "uid": np.arange(count),
        "a0": a0,
        "a1": np.array([f"v{i}" for i in range(8)])[a1],
        "a2": np.where(shift + rng.normal(size=count) > 1, "yes", "no"),
        "os": np.where(rng.random(count) < 0.3, "x", "y"),
        "price": rng.integers(1, 9, count),
    }


@pytest.fixture(scope="module", params=["tuned", "rows"])
def folder(request, tmp_path_factory):
    out = tmp_path_factory.mktemp("reports") / "r"
    public = {} if request.param == "rows" else {"os": {"kind": "public"}, "price": {"kind": "public"}}
    rows = {"rows_per_user": {"max": 3, "report": 1}} if request.param == "rows" else {}
    plan = wide_plan(3, public=public, **rows)
    known = {"uid", *(attribute.name for attribute in plan.service("t").attributes)}
    columns = {name: x for name, x in people(1).items() if name in known}
    everybody = {"population": columns["uid"].tolist()} if rows else {}
    untold.perturb(plan, "t", pa.table(columns), out=out, seed=5, **everybody)
    return out


@pytest.mark.parametrize("summaries", [False, "in memory"])
@pytest.mark.parametrize("sql", QUERIES)
def test_all_groups_at_once_equal_a_scan_of_each(folder, sql, summaries):
    with untold.connect(folder, summaries=summaries) as con:
        if any(name in sql for name in ("os", "price")) and con.plan.service("t").rows:
            return
        scanned = untold.connect(folder, summaries=False)
        scanned._reports = replace(scanned._reports, route=ScannedScores.name)
        want = scanned.sql(sql).arrow()
        for _ in range(2):  # without a summary, then with one
            found = con.sql(sql).arrow()
            assert found.column_names == want.column_names
            for name in found.column_names:
                a, b = (each[name].to_pylist() for each in (found, want))
                if not isinstance(a[0], float):
                    assert a == b
                    continue
                if name.endswith(("_low", "_high")):
                    assert len(a) == len(b)
                    continue  # follow from the number and its error
                loose = name.endswith("_se") or "STDDEV" in sql  # it has the squared error of the mean added
                assert a == pytest.approx(b, rel=0.02 if loose else 1e-9, abs=0 if loose else 1e-7, nan_ok=True)
        scanned.close()


def compiled(sql, plan):
    return compile_question(question(sql, plan), plan, ESTIMATORS["blue"])


def test_errors_follow_the_counted_ones():
    """Closed forms in place of most views change no variance by more than 2%, where counts have little chance in them."""
    plan = wide_plan(3)
    design = plan.design("t")
    counts = np.random.default_rng(2).poisson(300.0, design.messages).astype(float)
    asked = compiled("SELECT a0, COUNT(*) FROM t GROUP BY a0", plan).grouped
    product, together = asked.totals[0][0].products[0], asked.together[0][0]
    source = counted_source(design, np.arange(design.messages, dtype=np.uint32), counts)
    source.second.budget = Budget(2e4, 5e4, 0)
    some = source.second.of(product, product, together)
    source.second.budget = Budget(1e12, 1e12, 1e12)
    source.second._choices.clear()
    counted = source.second.of(product, product, together)
    assert some == pytest.approx(counted, rel=0.02)
    assert (some != counted).any()


def test_intervals_cover():
    """95% intervals of 8 counts and of 4 averages, for 80 draws of the reports of 6,000 people: 960 of them.

    Those of one draw depend on each other. As if only 320 did not, the share has a standard error of 1.2%: it is
    outside 0.95 +- 0.04 by chance once in 1,000.
    """
    plan = wide_plan(3)
    sql = (
        "SELECT a1, COUNT(*) AS c FROM t GROUP BY a1",
        "SELECT FLOOR(a0 / 25), AVG(a0) AS m FROM t GROUP BY FLOOR(a0 / 25)",
    )
    asked = [compiled(each, plan) for each in sql]
    table = people(3, 6_000)
    codes = [np.asarray(table["a0"]), np.array([int(v[1]) for v in table["a1"]]), (table["a2"] == "no").astype(int)]
    truth = [
        np.bincount(codes[1], minlength=8),
        [table["a0"][table["a0"] // 25 == g].mean() for g in range(4)],
    ]
    inside = []
    for seed in range(80):
        _, messages = encode_codes(plan.design("t"), codes, Seeded(seed))
        message, counts = np.unique(messages.index, return_counts=True)
        weight = counts.astype(float)
        reports = DecodedCounts(plan.design("t"), (), 6_000, message, ((),), weight[None], {(0, 0): weight})
        for each, want in zip(asked, truth, strict=True):
            found = totals(each.grouped, CountedEvidence(each.grouped, reports))
            groups = Blocks([Block((), each.labels, found)])
            formula = each.question.outputs[-1].formula
            found = [estimate(formula, group.totals, 0.95) for group in groups]
            inside += [e.low <= w <= e.high for e, w in zip(found, want, strict=True)]
    assert len(inside) == 960
    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)


def test_two_plans_in_one_process_do_not_meet(tmp_path):
    """COUNT(*) asks nothing of an attribute: what it is over more attributes depends on the plan that they are of."""
    errors = {}
    for size in (40, 12, 40):
        attributes = {"age": {"kind": "ordinal", "low": 1, "high": size}}
        services = {"s": {"attributes": attributes}}
        plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": services})
        table = pa.table({"uid": np.arange(2_000), "age": np.arange(2_000) % size + 1})
        folder = tmp_path / f"{size}-{len(errors)}"
        untold.perturb(plan, "s", table, out=folder, seed=4, progress=False)
        with untold.connect(folder) as con:
            found = con.sql("SELECT AVG(age) AS a FROM s").fetchall()
        assert errors.setdefault(size, found) == found
