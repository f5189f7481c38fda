"""DB-API 2.0: what PEP 249 asks, and that pandas.read_sql works."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import pytest

from helpers.made_up import SQL, answer, by_state, result
from untold.answers.answer import Answer
from untold.ask import dbapi
from untold.errors import AlreadyReported, BadRecord, PlanError, StoreError, UnsupportedQuery, UntoldError


class Fake(dbapi.DBAPIConnection):
    """Knows two queries, one of them forbidden; `lazy` fails only when the answer is looked at."""

    def __init__(self, error: UntoldError | None = None, lazy: bool = False) -> None:
        self.error, self.lazy = error, lazy

    def sql(self, sql: str, *, parameters: Any = None) -> Answer:
        self.parameters = parameters
        if self.error and not self.lazy:
            raise self.error
        return Answer(sql, self._fail) if self.error else answer(by_state(["A note."]), sql)

    def _fail(self) -> None:  # type: ignore[return]
        assert self.error
        raise self.error


def test_the_module_says_what_it_is() -> None:
    assert (dbapi.apilevel, dbapi.threadsafety, dbapi.paramstyle) == ("2.0", 1, "qmark")
    for name in ("InterfaceError", "DatabaseError"):
        assert issubclass(getattr(dbapi, name), dbapi.Error)
    for name in ("Data", "Operational", "Integrity", "Internal", "Programming", "NotSupported"):
        assert issubclass(getattr(dbapi, f"{name}Error"), dbapi.DatabaseError)


def test_pandas_reads_sql() -> None:
    """pandas warns about every connection that is neither SQLAlchemy's nor sqlite's; that is all it has to say."""
    with pytest.warns(UserWarning, match="SQLAlchemy"):
        frame = pd.read_sql(SQL, Fake())
    assert list(frame.columns) == ["state", "n", "n_se", "n_low", "n_high"]
    assert frame["n"].tolist()[:3] == [12345.4, -210.0, 52.0]
    with warnings.catch_warnings():  # how to call it quietly
        warnings.filterwarnings("ignore", message="pandas only supports SQLAlchemy", category=UserWarning)
        parts = list(pd.read_sql(SQL, Fake(), chunksize=3))
    assert [len(part) for part in parts] == [3, 1]


def test_rows_are_fetched_one_by_one_in_parts_and_all() -> None:
    cursor = Fake().cursor()
    assert (cursor.description, cursor.rowcount) == (None, -1)
    assert cursor.execute(SQL) is cursor
    assert cursor.rowcount == 4
    first = cursor.fetchone()
    assert first is not None
    assert first[0] == "NY"
    assert [row[0] for row in cursor.fetchmany(2)] == ["WA", None]
    assert [row[0] for row in cursor.fetchall()] == ["CA"]
    assert (cursor.fetchone(), cursor.fetchmany(2), cursor.fetchall()) == (None, [], [])
    assert [row[0] for row in cursor.execute(SQL)] == ["NY", "WA", None, "CA"]
    cursor.arraysize = 3
    assert len(cursor.execute(SQL).fetchmany()) == 3


def test_description_names_and_types() -> None:
    cursor = Fake().cursor().execute(SQL)
    assert cursor.description is not None
    assert [column[:2] for column in cursor.description][:2] == [("state", dbapi.STRING), ("n", dbapi.NUMBER)]
    assert {len(column) for column in cursor.description} == {7}


def test_notes_are_messages() -> None:
    cursor = Fake().cursor().execute(SQL)
    assert cursor.messages == [(dbapi.Warning, "A note.")]
    assert cursor.answer.notes == ("A note.",)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (UnsupportedQuery("no"), dbapi.ProgrammingError),
        (StoreError("no"), dbapi.OperationalError),
        (BadRecord("no"), dbapi.DataError),
        (PlanError(["no"]), dbapi.DataError),
        (AlreadyReported("no"), dbapi.DatabaseError),
    ],
)
def test_errors_have_their_names(error: UntoldError, expected: type[Exception], lazy: bool) -> None:
    with pytest.raises(expected, match="no") as caught:
        Fake(error, lazy).cursor().execute(SQL)
    assert caught.value.__cause__ is error
    assert isinstance(caught.value, UntoldError)


def test_a_refused_query_is_still_one_for_untold() -> None:
    with pytest.raises(UnsupportedQuery):
        Fake(UnsupportedQuery("no")).cursor().execute(SQL)


def test_parameters_reach_the_connection_as_they_are() -> None:
    """tests/sql/test_parameters.py holds what becomes of them."""
    connection = Fake()
    for given in (["x' OR 1 = 1 --"], {"low": 3}, (), None):
        assert connection.cursor().execute(SQL, given).rowcount == 4
        assert connection.parameters == given
    with pytest.raises(dbapi.NotSupportedError, match="use execute"):
        connection.cursor().executemany(SQL, [[1]])


def test_wrong_order_of_calls() -> None:
    with pytest.raises(dbapi.ProgrammingError, match="execute"):
        Fake().cursor().fetchone()
    connection = Fake()
    with connection.cursor() as cursor:
        cursor.execute(SQL)
    with pytest.raises(dbapi.InterfaceError, match="closed"):
        cursor.fetchall()
    with pytest.raises(dbapi.InterfaceError, match="closed"):
        cursor.execute(SQL)
    connection.commit()
    connection.rollback()
    connection.close()
    with pytest.raises(dbapi.InterfaceError, match=r"untold\.connect"):
        connection.cursor()


def test_a_failed_query_leaves_no_rows_of_the_one_before() -> None:
    connection = Fake()
    cursor = connection.cursor().execute(SQL)
    connection.error = UnsupportedQuery("no")
    with pytest.raises(dbapi.ProgrammingError):
        cursor.execute(SQL)
    assert (cursor.rowcount, cursor.description, cursor.messages) == (-1, None, [])


def test_keys_of_every_type() -> None:
    cursor = dbapi.Cursor(Fake())
    cursor.connection = type(
        "Other",
        (),
        {
            "errors": True,
            "plausible": False,
            "sql": lambda _, sql, parameters: answer(result({"b": [b"x"], "i": [1]}, {})),
        },
    )()
    assert [column[1] for column in cursor.execute(SQL).description or ()] == [dbapi.BINARY, dbapi.NUMBER]
