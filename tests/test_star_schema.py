"""A public table that a sensitive attribute points into is joined exactly; and SHOW BUDGET."""

import duckdb
import numpy as np
import pandas as pd
import pytest

import untold
from untold.ask.sql.from_clause.lookups import lookup
from untold.ask.sql.question import question
from untold.errors import UnsupportedQuery, UntoldError
from untold.plan import Plan

PLAN = Plan.from_dict(
    {
        "name": "shop",
        "user_key": "uid",
        "epsilon": 12.0,
        "lifetime": 60.0,
        "services": {
            "users": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 7}}},
            "sales": {
                "rows_per_user": {"max": 3},
                "epsilon_share": 0.75,
                "attributes": {
                    "product": {"kind": "categorical", "values": ["tea", "ball", "oil", "pen"]},
                    "amount": {"kind": "ordinal", "low": 0, "high": 4},
                },
            },
        },
    }
)
PRODUCTS = pd.DataFrame(
    {
        "product": ["tea", "ball", "oil", "soap"],
        "price": [2.5, 20.0, 7.0, 1.0],
        "country": ["China", "China", "Italy", "Italy"],
    }
)


def sql_terms(sql):
    rows = PRODUCTS.to_dict("records")
    return question(sql, PLAN, {"products": lookup("products", rows, list(PRODUCTS), "product")})


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    rng = np.random.default_rng(3)
    n = 30_000
    users = pd.DataFrame({"uid": np.arange(n), "age": rng.integers(0, 8, n)})
    uid = np.repeat(np.arange(n), rng.integers(0, 4, n))
    names = np.array(["tea", "ball", "oil", "pen"])
    sales = pd.DataFrame(
        {"uid": uid, "product": names[rng.integers(0, 4, len(uid))], "amount": rng.integers(0, 5, len(uid))}
    )
    folder = tmp_path_factory.mktemp("shop")
    untold.perturb(PLAN, "users", users, out=folder, seed=1)
    untold.perturb(PLAN, "sales", sales, population=users[["uid"]], out=folder, seed=2)
    con = untold.connect(folder)
    con.register("products", PRODUCTS, key="product")
    raw = duckdb.connect()
    for name, table in (("users", users), ("sales", sales), ("products", PRODUCTS)):
        raw.register(name, table)
    return con, raw


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS x FROM sales JOIN products USING (product)",
        "SELECT SUM(amount) AS x FROM sales JOIN products p ON sales.product = p.product WHERE country = 'China'",
        "SELECT SUM(price) AS x FROM sales JOIN products USING (product) WHERE price > 5 OR amount = 2",
        "SELECT SUM(amount * price) AS x FROM sales JOIN products USING (product)",
        "SELECT SUM(amount) AS x FROM sales JOIN products USING (product) JOIN users USING (uid) "
        "WHERE country = 'China' AND age BETWEEN 2 AND 5",
    ],
)
def test_public_columns_are_functions_of_the_key(shop, sql):
    """The true answer lies within five standard errors: false alarms less than once in a million."""
    con, raw = shop
    answer = con.sql(sql).df()
    truth = raw.execute(sql).fetchone()[0]
    assert abs(answer["x"][0] - truth) < 5 * answer["x_se"][0]
    assert answer["x_se"][0] < 0.2 * abs(truth)  # and the test could fail


def test_groups_of_a_public_column(shop):
    con, raw = shop
    sql = "SELECT country, SUM(amount) AS x FROM sales JOIN products USING (product) GROUP BY country ORDER BY country"
    answer, truth = con.sql(sql).df(), raw.execute(sql).df()
    assert list(answer["country"]) == list(truth["country"])
    assert (np.abs(answer["x"] - truth["x"]) < 5 * answer["x_se"]).all()


def test_the_key_is_all_that_a_lookup_touches():
    asked = sql_terms("SELECT SUM(price) AS x FROM sales JOIN products USING (product)")
    (term,) = asked.totals[0].terms
    (factor,) = term.factors
    assert factor.column.attribute == "product"
    assert factor.values.tolist() == [2.5, 20.0, 7.0, 0.0]  # pen is in no row of the table: INNER JOIN leaves it out
    assert asked.filter is None


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT COUNT(*) FROM products", "registered table"),
        ("SELECT COUNT(*) FROM products JOIN sales USING (product)", "registered table"),
        ("SELECT COUNT(*) FROM sales LEFT JOIN products USING (product)", "LEFT JOIN"),
        ("SELECT COUNT(*) FROM sales JOIN products USING (uid)", "on its key 'product' only"),
        ("SELECT COUNT(*) FROM sales JOIN products ON amount > price", "on its key 'product' only"),
    ],
)
def test_what_is_no_lookup_is_refused(sql, reason):
    with pytest.raises(UnsupportedQuery, match=reason):
        sql_terms(sql)


def test_tables_that_cannot_be_looked_up_are_refused(shop):
    con, _ = shop
    with pytest.raises(UntoldError, match="there twice"):
        con.register("p", pd.concat([PRODUCTS, PRODUCTS]), key="product")
    with pytest.raises(UntoldError, match="no column 'sku'"):
        con.register("p", PRODUCTS, key="sku")
    with pytest.raises(UntoldError, match="is a service"):
        con.register("sales", PRODUCTS, key="product")


def test_show_budget(shop):
    con, _ = shop
    table = con.sql("SHOW BUDGET;").df().set_index("service")
    assert table.loc["users", "epsilon_per_report"] == 3.0
    assert table.loc["sales", "epsilon_per_epoch"] == 9.0
    assert table.loc["(all)", "epsilon_per_epoch"] == 12.0 == PLAN.epsilon
    assert table.loc["(all)", "epochs"] == 5.0
    assert "SHOW BUDGET" in con.sql("show budget").sql.upper()
