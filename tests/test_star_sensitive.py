"""Products that are only reported about, too: everybody reports about each of them, and a join multiplies the scores."""

import re

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

import untold
from helpers.slow_engine import slow_moments
from helpers.star_shop import CATALOGUE, JOINED, PRODUCTS, SHOP, collected, made
from untold.ask.connection import starred
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.device.encoder import Encoder
from untold.errors import BadRecord, UnsupportedQuery, UntoldError
from untold.plan import Plan
from untold.plan.in_words.plan import plan_in_words
from untold.plan.schema import schema_to_dict
from untold.randomness import Seeded


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("star")
    return collected(folder, made(800, 1), seed=50)


def test_everybody_reports_about_every_product(shop):
    stored = pa.concat_tables(pq.read_table(path) for path in shop.folder.paths("sales"))
    assert stored.num_rows == 800 * len(PRODUCTS)
    pairs = set(zip(stored["uid"].to_pylist(), stored["pid"].to_pylist(), strict=True))
    assert len(pairs) == 800 * len(PRODUCTS)
    assert all(
        PRODUCTS[slot] == pid for slot, pid in zip(stored["slot"].to_pylist(), stored["pid"].to_pylist(), strict=True)
    )


def test_the_device_says_the_same_as_bulk():
    client = untold.Client(SHOP, "u1", rng=Seeded(3))
    reports = client.report("sales", [{"pid": "oil", "amount": 3}])
    assert [dict(report.public)["pid"] for report in reports] == PRODUCTS
    assert [report.slot for report in reports] == list(range(len(PRODUCTS)))
    again = untold.Client(SHOP, "u1", memory=client._memory).report("sales", [{"pid": "oil", "amount": 3}])
    assert again == reports
    assert client.report("sales", [{"pid": "tea", "amount": 3}]) == reports  # one report for an epoch, whatever happens


def test_rows_beyond_the_most_of_a_product(tmp_path):
    rows = [{"pid": "oil", "amount": 1}] * 3
    with pytest.raises(BadRecord, match="3 rows for one person and pid = 'oil'"):
        Encoder.of(SHOP, "sales").encode(rows, Seeded(1))
    table = pa.table({"uid": [7] * 3, "pid": ["oil"] * 3, "amount": [1, 2, 3]})
    with pytest.raises(BadRecord, match="row 2: user 7 has 3 rows with pid = 'oil', at most 2"):
        untold.perturb(SHOP, "sales", table, population=[7], out=tmp_path)
    assert untold.perturb(SHOP, "sales", table, population=[7], out=tmp_path, on_invalid="drop").dropped == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT pid, COUNT(*), SUM(amount) FROM sales GROUP BY pid",
        "SELECT COUNT(*), AVG(amount) FROM sales WHERE pid IN ('tea', 'oil')",
        "SELECT SUM(CASE WHEN pid = 'tea' THEN amount ELSE 0 END) FROM sales JOIN users USING (uid) WHERE age > 3",
        "SELECT COUNT(*) FROM sales",
    ],
)
def test_a_column_that_parts_reports_matches_the_slow_twin(shop, sql):
    """pid is stored as it is: conditions and groups on it keep a person's reports apart, and errors stay per person."""
    compiled = compile_question(question(sql, SHOP), SHOP, ESTIMATORS["blue"])
    found = {m.key: m for m in shop._reports.engine.moments(compiled.scan)}
    few = [pa.concat_tables(pq.read_table(p) for p in shop.folder.paths(s)).to_pylist() for s in compiled.scan.services]

    def value_of(public, joined):
        columns = {c.name: joined[c.table][c.name] for c in public.tree.find_all(exp.Column)}
        row = ", ".join(f"{_text(v)} AS {n}" for n, v in columns.items())
        text = public.sql.replace('"sales".', "").replace('"users".', "")
        return _evaluated(f"SELECT {text} FROM (SELECT {row})")

    slow = slow_moments(compiled.scan, few, "uid", value_of)
    assert {m.key for m in slow} == set(found)
    for each in slow:
        assert each.users == found[each.key].users
        np.testing.assert_allclose(found[each.key].first, each.first, rtol=1e-9, atol=1e-6)
        np.testing.assert_allclose(found[each.key].second, each.second, rtol=1e-9, atol=1e-6)


_KNOWN: dict[str, object] = {}


def _text(value):
    return f"'{value}'" if isinstance(value, str) else str(value)


def _evaluated(sql):
    if sql not in _KNOWN:
        _KNOWN[sql] = duckdb.sql(sql).fetchall()[0][0]
    return _KNOWN[sql]


def test_the_answer_is_the_sum_of_products_of_scores(shop, monkeypatch):
    """T = sum_p z_p X_p, and its variance before it is stretched, both by hand from queries about one product at a time."""
    monkeypatch.setattr(starred, "laws_of", lambda *_: None)
    things = shop._things["products"]
    value, error = _one(shop, f"SELECT COUNT(*) {JOINED}")
    z, square = _scores(things, "SELECT COUNT(*) FROM products WHERE country = 'China'")
    sums, variances = {}, {}
    for pid in PRODUCTS:
        own = f"SELECT COUNT(*) FROM sales JOIN users USING (uid) WHERE age BETWEEN 2 AND 5 AND pid = '{pid}'"
        sums[pid], se = _one(shop, own)
        variances[pid] = se**2
    assert value == pytest.approx(sum(z[p] * sums[p] for p in PRODUCTS), rel=1e-9)
    weights = " ".join(f"WHEN pid = '{p}' THEN {z[p]!r}" for p in PRODUCTS)
    _, weighted = _one(
        shop, f"SELECT SUM(CASE {weights} END) FROM sales JOIN users USING (uid) WHERE age BETWEEN 2 AND 5"
    )
    by_things = sum((z[p] ** 2 - square[p]) * (sums[p] ** 2 - variances[p]) for p in PRODUCTS)
    assert error**2 == pytest.approx(weighted**2 + by_things, rel=1e-9)
    assert by_things > weighted**2 / 2  # the things' own noise is a good part of it: not to be left out


def _one(con, sql):
    row = con.sql(sql).arrow()
    return row[0][0].as_py(), row[1][0].as_py()


def _scores(con, sql):
    """Every product's score of a count, and of its square (a count's w^2 is w)."""
    compiled = compile_question(question(sql, CATALOGUE), CATALOGUE, ESTIMATORS["blue"])
    vector = compiled.scan.columns[0].vector
    stored = pa.concat_tables(pq.read_table(path) for path in con.folder.paths("products"))
    z = dict(zip(stored["pid"].to_pylist(), vector[stored["message"].to_numpy()].tolist(), strict=True))
    return z, z


def test_unbiased_and_the_error_is_right(tmp_path):
    """60 collections of 500 users. |z| of a mean beyond 4 has probability 6e-5; the variance of 60 normal draws lies
    within 0.5 and 1.8 of its mean with probability 0.9999. Italy's count in place of China's is noticed."""
    tables = made(500, 2)
    db = duckdb.connect()
    for name, table in zip(("users", "sales", "products"), tables, strict=True):
        db.register(name, table)
    truth = db.sql(f"SELECT COUNT(*), SUM(amount) {JOINED}").fetchall()[0]
    found = []
    for n in range(60):
        con = collected(tmp_path / str(n), tables, seed=1000 + 10 * n)
        row = con.sql(f"SELECT COUNT(*) AS n, SUM(amount) AS s {JOINED}").arrow()
        found.append([row[c][0].as_py() for c in ("n", "n_se", "s", "s_se")])
    found = np.array(found)
    for column, true in ((0, truth[0]), (2, truth[1])):
        values, errors = found[:, column], found[:, column + 1]
        z = (values.mean() - true) / (values.std(ddof=1) / len(values) ** 0.5)
        assert abs(z) < 4
        assert 0.5 < values.var(ddof=1) / (errors**2).mean() < 1.8
    others = db.sql(f"SELECT COUNT(*) {JOINED.replace('country = ', 'country <> ')}").fetchall()[0][0]
    assert truth[0] > 0
    assert abs(found[:, 0].mean() - (truth[0] + others)) / (found[:, 0].std(ddof=1) / 60**0.5) > 4


def test_groups_by_an_attribute_of_products_add_up(shop):
    table = shop.sql("SELECT country, COUNT(*) AS n FROM sales JOIN products USING (pid) GROUP BY country").arrow()
    total = shop.sql("SELECT COUNT(*) AS n FROM sales").arrow()["n"][0].as_py()
    assert table["country"].to_pylist() == ["China", "Italy"]
    assert sum(table["n"].to_pylist()) == pytest.approx(total)
    by_pid = shop.sql(
        "SELECT pid, COUNT(*) AS n FROM sales JOIN products p ON sales.pid = p.pid WHERE price > 1 GROUP BY pid"
    )
    assert by_pid.arrow()["pid"].to_pylist() == sorted(PRODUCTS)


@pytest.mark.parametrize(("products", "least", "most"), [(6, 1.0, 2.0), (96, 4.0, 6.0)])
def test_the_planner_says_what_reports_about_each_cost(products, least, most):
    """Against one report of all epsilon, P reports of a P-th: more with more products, at most as sqrt(P)."""
    declared = {**schema_to_dict(SHOP.schema), "epsilon": 0.5}
    declared["services"]["sales"]["attributes"]["pid"]["values"] = list(range(products))
    plan = " ".join(plan_in_words(Plan.from_dict(declared)).split())
    assert f"0 to 2 rows per person and pid, always {products} reports per epoch" in plan
    times = float(re.search(r"COUNT\(\*\) is ([0-9.]+) times", plan).group(1))
    assert least <= times <= min(most, products**0.5)


def test_what_it_costs_is_said(shop):
    words = shop.explain(f"SELECT COUNT(*) {JOINED}")
    assert "things     products: 6 reports, one for each pid, epsilon 3." in words
    assert any("6 reports about 'products'" in note for note in shop.sql(f"SELECT COUNT(*) {JOINED}").notes)


def test_products_without_a_report_are_left_out(tmp_path):
    tables = made(60, 3)
    con = collected(tmp_path, (*tables[:2], tables[2].slice(0, 4)), seed=5)
    asked = "SELECT COUNT(*) AS n FROM sales JOIN products USING (pid) WHERE price >= 0"
    kept = con.sql("SELECT COUNT(*) AS n FROM sales WHERE pid IN ('tea', 'ball', 'oil', 'pen')").arrow()["n"][0].as_py()
    answer = con.sql(asked)
    assert answer.arrow()["n"][0].as_py() == pytest.approx(kept)
    assert any("2 values of 'pid' have no report in 'products'" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT MEDIAN(price) FROM sales JOIN products USING (pid)", "quantile"),
        ("SELECT COUNT(*) FROM products", "registered table"),
        ("SELECT COUNT(*) FROM users JOIN products ON users.age = products.pid", "not an attribute of kind each"),
        ("SELECT COUNT(*) FROM sales JOIN products ON sales.pid < products.pid", "joined on its key"),
        ("SELECT COUNT(*) FROM sales JOIN products USING (pid) JOIN products q USING (pid)", "Two sensitive tables"),
        ("SELECT COUNT(*) FROM sales LEFT JOIN products USING (pid)", "LEFT JOIN"),
    ],
)
def test_refusals(shop, sql, reason):
    with pytest.raises(UnsupportedQuery, match=reason):
        shop.sql(sql)


def test_a_join_is_forecast_from_its_reports(shop):
    """With four times the people the noise of people's reports doubles, and that of the six products' is four times as large."""
    sql = f"SELECT COUNT(*) AS x {JOINED}"
    measured = shop.sql(sql).fetchall()[0][1]
    assert shop.forecast(sql).columns[0].se == pytest.approx(measured)
    assert 2 * measured < shop.forecast(sql, users=3200).columns[0].se < 4 * measured


def test_mistakes_when_registering(shop, tmp_path):
    things = shop._things["products"]
    with pytest.raises(UntoldError, match="names things by 'pid'"):
        shop.register("products", things, key="uid")
    with pytest.raises(UntoldError, match="has no service 'goods'; it has products"):
        shop.register("goods", things, key="pid")
    with pytest.raises(UnsupportedQuery, match="plausible"):
        shop.sql(f"SELECT COUNT(*) {JOINED}", plausible=True)


def test_the_column_that_was_joined_names_the_thing(tmp_path):
    """Two services with products of their own: 300 people bought tea, which is Chinese, and returned hats, which are Italian."""
    each = {"kind": "each", "values": ["tea", "hat"]}
    services = {
        name: {"rows_per_user": {"max": 1}, "attributes": {key: each, "n": {"kind": "ordinal", "low": 0, "high": 1}}}
        for name, key in (("bought", "pid"), ("returned", "rid"))
    }
    plan = Plan.from_dict({"name": "shop", "user_key": "uid", "epsilon": 24.0, "services": services})
    uid = list(range(300))
    for name, key, value in (("bought", "pid", "tea"), ("returned", "rid", "hat")):
        rows = pa.table({"uid": uid, key: [value] * 300, "n": [1] * 300})
        untold.perturb(plan, name, rows, population=uid, out=tmp_path / "r", seed=1)
    things = pa.table({"pid": ["tea", "hat"], "country": ["China", "Italy"], "price": [1, 2]})
    untold.perturb(
        Plan.from_dict({**schema_to_dict(CATALOGUE.schema), "epsilon": 20.0, "lifetime": 20.0}),
        "products",
        things,
        out=tmp_path / "c",
        seed=2,
    )
    con = untold.connect(tmp_path / "r")
    con.register("products", untold.connect(tmp_path / "c"), key="pid")
    asked = "SELECT COUNT(*) AS n FROM bought JOIN returned USING (uid) JOIN products ON {} = products.pid WHERE country = '{}'"
    for at, country, truth in (
        ("bought.pid", "China", 300),
        ("returned.rid", "Italy", 300),
        ("returned.rid", "China", 0),
    ):
        assert con.sql(asked.format(at, country)).arrow()["n"][0].as_py() == pytest.approx(truth, abs=60)


def test_a_contradiction_is_nothing(shop):
    nothing = shop.sql(
        "SELECT COUNT(*) AS n FROM sales JOIN products USING (pid) WHERE country = 'China' AND country = 'Italy'"
    )
    assert nothing.arrow()["n"][0].as_py() == 0
