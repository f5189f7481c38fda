"""Finds the one plan that a database holds reports of, for commands that are given nothing but its address."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.postgres import stored_settings
from untold.serve.postgres.connection import connect, errors
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


def refuse_other_plans(connection: Connection[Any], plan: Plan) -> None:
    """A database holds one plan. Reports of a second one could not be told apart by any command, so nothing is begun."""
    for (schema,) in connection.execute(SCHEMAS).fetchall():
        found = connection.execute(f'SELECT value FROM "{schema}".facts WHERE name = %s', (PLAN,)).fetchone()
        if found is None:
            continue
        there = Plan.from_json(str(found[0]))
        if there.id != plan.id:
            raise StoreError(
                f"this database collects plan '{there.name}', version {there.version} (id {there.id}); this is "
                f"'{plan.name}', version {plan.version} (id {plan.id}).\n"
                "Hint: start with the plan that the database has, or give another plan another database. Versions of a plan "
                "cannot be announced over a database yet (docs/changes.md)."
            )


def plan_and_data(url: str) -> tuple[Plan, str]:
    """The plan, and where the first collector was told to put segments."""
    with closing(connected(url)) as connection:
        plan, data = stored_settings.read(connection, PLAN), stored_settings.read(connection, DATA)
    if plan is None or data is None:
        raise StoreError("this database does not say which plan it is of.\nHint: start a collector on it once.")
    return Plan.from_json(plan), data
