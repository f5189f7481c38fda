"""SQLAlchemy over a folder of reports: reflection, statements that it writes, pandas without a warning."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
import sqlalchemy as sa

import untold
from untold.commands.demo.people import people
from untold.errors import UnsupportedQuery

ROOT = Path(__file__).parents[2]
SQL = "SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY state"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("sqlalchemy") / "reports"
    users, transactions = people(2000)
    plan = untold.Plan.load(ROOT / "examples" / "shop.toml")
    untold.perturb(plan, "users", users, out=out, seed=1)
    untold.perturb(plan, "transactions", transactions, population=users["uid"], out=out, seed=2)
    return str(out)


@pytest.fixture(scope="module")
def engine(folder: str) -> Iterator[sa.Engine]:
    sa.dialects.registry.register("untold", "untold.ask.dbapi.dialect", "UntoldDialect")
    made = sa.create_engine(f"untold:///{folder}")
    yield made
    made.dispose()


def test_the_entry_point_leads_to_the_dialect() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["sqlalchemy.dialects"]
    module, _, name = declared["untold"].partition(":")
    assert getattr(import_module(module), name).name == "untold"


def test_reflection(engine: sa.Engine) -> None:
    found = sa.MetaData()
    found.reflect(engine)
    assert set(found.tables) == {"users", "transactions"}
    types = {column.name: type(column.type) for column in found.tables["users"].columns}
    assert types == {
        "uid": sa.String,
        "age": sa.BigInteger,
        "income": sa.Double,
        "state": sa.String,
        "os": sa.String,
        "epoch": sa.BigInteger,
    }
    assert found.tables["users"].c.age.comment == "integers 1..125"
    assert found.tables["users"].comment == "one row per person"
    assert sa.inspect(engine).has_table("users")
    assert not sa.inspect(engine).has_table("people")
    with pytest.raises(sa.exc.NoSuchTableError):
        sa.Table("people", sa.MetaData(), autoload_with=engine)


def test_a_statement_that_sqlalchemy_writes(engine: sa.Engine, folder: str) -> None:
    users = sa.Table("users", sa.MetaData(), autoload_with=engine)
    asked = (
        sa.select(users.c.state, sa.func.count().label("n"), sa.func.avg(users.c.age).label("age"))
        .where(users.c.age.between(20, 60), users.c.state.in_(["NY", "CA"]))
        .group_by(users.c.state)
        .order_by(users.c.state)
        .limit(5)
    )
    with engine.connect() as connection:
        rows = connection.execute(asked).all()
    plain = untold.connect(folder).sql(
        "SELECT state, COUNT(*) AS n, AVG(age) AS age FROM users "
        "WHERE age BETWEEN 20 AND 60 AND state IN ('NY', 'CA') GROUP BY state ORDER BY state LIMIT 5"
    )
    assert [row.state for row in rows] == ["CA", "NY"]
    assert [(row.n, row.age) for row in rows] == [(row[1], row[5]) for row in plain]


def test_pandas_reads_without_a_warning_and_with_parameters(engine: sa.Engine) -> None:
    frame = pd.read_sql(sa.text("SELECT COUNT(*) AS n FROM users WHERE state = :state"), engine, params={"state": "NY"})
    assert list(frame.columns) == ["n", "n_se", "n_low", "n_high"]
    assert frame["n_low"][0] < frame["n"][0] < frame["n_high"][0]


def test_errors_can_be_switched_off(folder: str, engine: sa.Engine) -> None:
    plain = sa.create_engine(f"untold:///{folder}?errors=false&threads=1")
    assert list(pd.read_sql(SQL, plain).columns) == ["state", "n"]
    plain.dispose()


def test_a_refusal_keeps_its_words(engine: sa.Engine) -> None:
    with engine.connect() as connection, pytest.raises(sa.exc.ProgrammingError, match="Hint") as caught:
        connection.execute(sa.text("SELECT AVG(state) FROM users"))
    assert isinstance(caught.value.orig, UnsupportedQuery)


def test_tables_and_schema_of_a_connection(folder: str) -> None:
    con = untold.connect(folder)
    assert list(con.tables) == ["users", "transactions"]
    assert con.schema["transactions"] == {
        "uid": "VARCHAR",
        "amount": "DOUBLE",
        "category": "VARCHAR",
        "epoch": "BIGINT",
    }
    assert con.tables.users["state"].about == "one of 'NY', 'WA', 'CA'"
    assert {"users", "transactions"} <= set(dir(con.tables))
    assert con.tables._ipython_key_completions_() == ["users", "transactions"]
    assert con.tables.users._ipython_key_completions_()[:2] == ["uid", "age"]
    with pytest.raises(AttributeError, match="there are: users, transactions"):
        con.tables.people  # noqa: B018
    con.register("regions", pa.table({"state": ["NY", "WA", "CA"], "coast": ["east", "west", "west"]}), key="state")
    assert con.schema["regions"] == {"state": "VARCHAR", "coast": "VARCHAR"}
