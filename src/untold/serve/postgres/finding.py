"""Finds the one plan that a database holds reports of, for commands that are given nothing but its address."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.postgres import facts
from untold.serve.postgres.connecting import connect, errors
from untold.serve.postgres.versions import check

if TYPE_CHECKING:
    from psycopg import Connection

PLAN, DATA = "plan", "data"
SCHEMAS = "SELECT table_schema FROM information_schema.tables WHERE table_name = 'facts' AND table_schema ~ '^untold_[0-9a-f]+$'"


def connected(url: str) -> Connection[Any]:
    """A connection that sees the tables of the plan."""
    try:
        connection = connect(url, "public")
    except errors() as error:
        raise StoreError(f"the database does not answer: {str(error).strip()}") from error
    there = [str(name) for (name,) in connection.execute(SCHEMAS).fetchall()]
    if len(there) != 1:
        connection.close()
        what = "no reports yet" if not there else f"reports of {len(there)} plans"
        raise StoreError(
            f"this database holds {what}.\nHint: one database for each plan; start a collector on it once."
        )
    connection.execute(f'SET search_path TO "{there[0]}"')
    try:
        check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def plan_and_data(url: str) -> tuple[Plan, str]:
    """The plan, and where the first collector was told to put segments."""
    with closing(connected(url)) as connection:
        plan, data = facts.read(connection, PLAN), facts.read(connection, DATA)
    if plan is None or data is None:
        raise StoreError("this database does not say which plan it is of.\nHint: start a collector on it once.")
    return Plan.from_json(plan), data
