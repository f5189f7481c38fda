"""Suites that others have written: PEP 249's compliance tests, and the first things that SQLAlchemy and its users ask."""

from __future__ import annotations

import tomllib
import unittest
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import dbapi20
import pyarrow as pa
import pytest
import sqlalchemy as sa

import untold
from untold import dbapi

ROOT = Path(__file__).parents[2]
CREATE = (  # these begin by CREATE TABLE, and reports are only read
    "test_None", "test_cursor_isolation", "test_description", "test_execute", "test_executemany", "test_fetchall", "test_fetchmany",
    "test_fetchone", "test_mixedfetch", "test_rowcount", "test_setinputsizes", "test_setoutputsize_basic",
)  # fmt: skip
OPEN = (  # the suite leaves these to drivers: there is one result, nothing is cut, and closing twice is no mistake here
    "test_nextset",
    "test_setoutputsize",
    "test_non_idempotent_close",
)
EVERY = unittest.defaultTestLoader.getTestCaseNames(dbapi20.DatabaseAPI20Test)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    plan = untold.Plan.from_dict(
        {
            "name": "shop",
            "user_key": "uid",
            "epsilon": 4.0,
            "services": {"users": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 9}}}},
        }
    )
    out = tmp_path_factory.mktemp("shop") / "reports"
    untold.perturb(
        plan, "users", pa.table({"uid": list(range(50)), "age": [i % 10 for i in range(50)]}), out=out, seed=1
    )
    return str(out)


def run(name: str, folder: str) -> unittest.TestResult:
    """One test of the suite."""

    class Compliance(dbapi20.DatabaseAPI20Test):  # type: ignore[misc]
        driver = dbapi
        connect_args = (folder,)

        def setUp(self) -> None: ...
        def tearDown(self) -> None: ...

    result = unittest.TestResult()
    Compliance(name).run(result)
    return result


@pytest.mark.parametrize("name", [name for name in EVERY if name not in (*CREATE, *OPEN)])
def test_pep_249(name: str, folder: str) -> None:
    found = run(name, folder)
    assert [text for _, text in (*found.failures, *found.errors)] == []


@pytest.mark.parametrize("name", CREATE)
def test_what_creates_tables_is_refused_for_that_alone(name: str, folder: str) -> None:
    found = run(name, folder)
    assert len(found.errors) == 1
    assert "create table" in found.errors[0][1].lower()
    assert "is not a question: reports can only be asked" in found.errors[0][1]


@pytest.fixture
def engine(folder: str) -> Iterator[sa.Engine]:
    sa.dialects.registry.register("untold", "untold.ask.dbapi.dialect", "UntoldDialect")
    sa.dialects.registry.register("untold.untold", "untold.ask.dbapi.dialect", "UntoldDialect")
    made = sa.create_engine(f"untold+untold:///{folder}")
    yield made
    made.dispose()


def test_both_names_are_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["sqlalchemy.dialects"]
    found = {name: getattr(import_module(place.split(":")[0]), place.split(":")[1]) for name, place in declared.items()}
    assert set(found) == {"untold", "untold.untold"}
    assert len(set(found.values())) == 1


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (sa.select(1), 1),
        (sa.select(sa.literal("some text")), "some text"),
        (sa.select(sa.literal(3) + sa.literal(4)), 7),
        (sa.select(sa.cast(sa.literal("12"), sa.Integer)), 12),
        (sa.select(sa.literal(True)), True),
        (sa.select(sa.null()), None),
        (sa.select(sa.literal(7) / sa.literal(2)), 3.5),
        (sa.select(sa.literal("a").concat("b")), "ab"),
        (sa.select(sa.func.upper("x")), "X"),
    ],
)
def test_expressions_without_a_table(engine: sa.Engine, asked: sa.Select[tuple[object]], value: object) -> None:
    with engine.connect() as con:
        assert con.scalar(asked) == value
