"""Finds the one plan that a database holds reports of, for collectors and for commands that are given nothing but its address."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.postgres import stored_settings
from untold.serve.postgres.connection import connect, errors
from untold.serve.postgres.schema import Root, enter, schema_of
from untold.store.inside import DIGEST

if TYPE_CHECKING:
    from psycopg import Connection

PLAN, DATA, ROOT = "plan", "data", "root"
SCHEMAS = "SELECT table_schema FROM information_schema.tables WHERE table_name = 'facts' AND table_schema ~ '^untold_[0-9a-f]+$'"
FACT = 'SELECT value FROM "{}".facts WHERE name = %s'


def connected(url: str) -> Connection[Any]:
    """A connection that sees the tables of the plan."""
    from untold.serve.postgres.versions import check

    try:
        connection = connect(url, "public")
    except errors() as error:
        raise StoreError(f"the database does not answer: {str(error).strip()}") from error
    try:
        root = root_there(connection)
        if root is None:
            raise StoreError("this database holds no reports yet.\nHint: start a collector on it once.")
        enter(connection, root)
        check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def root_there(connection: Connection[Any], plan: Plan | None = None) -> Root | None:
    """Whose tables are there: those of `plan` if it began some itself, else the only ones; None if there are none."""
    there = sorted(str(name) for (name,) in connection.execute(SCHEMAS).fetchall())
    if plan is not None and schema_of(plan) in there:
        return Root(plan.id)
    if len(there) > 1:
        raise several(connection, there)
    return _root_of(connection, there[0]) if there else None


def _root_of(connection: Connection[Any], schema: str) -> Root:
    facts = (connection.execute(FACT.format(schema), (name,)).fetchone() for name in (ROOT, PLAN))
    found = next((str(each[0]) for each in facts if each is not None), None)
    if found is None:
        raise StoreError("this database does not say which plan it is of.\nHint: restore table facts from a backup.")
    root = Root(found if DIGEST.fullmatch(found) else Plan.from_json(found).id)
    if schema_of(root) != schema:
        raise StoreError(f"{schema}.facts names another plan than its own.\nHint: restore table facts from a backup.")
    return root


def several(connection: Connection[Any], there: Sequence[str]) -> StoreError:
    """Names the plans of a database that an earlier version of the program let have several, and what to do."""
    said = []
    for schema in there:
        plan = connection.execute(FACT.format(schema), (PLAN,)).fetchone()
        waits = connection.execute(f'SELECT coalesce(sum(reports), 0) FROM "{schema}".batches').fetchone()
        known = None if plan is None else Plan.from_json(str(plan[0]))
        name = "a plan that it does not name" if known is None else f"'{known.name}', version {known.version}"
        said.append(f"  - {schema}: {name}; {0 if waits is None else waits[0]} reports wait there")
    return StoreError(
        "\n".join([f"this database holds reports of {len(there)} plans:", *said])
        + "\nHint: keep the one whose segments you have; remove the other: DROP SCHEMA NAME CASCADE. Reports that wait there "
        "were acknowledged and are lost with it."
    )


def plan_and_data(url: str) -> tuple[Plan, str]:
    """The plan of now, and where the first collector was told to put segments."""
    with closing(connected(url)) as connection:
        return plan_there(connection), data_there(connection)


def plan_there(connection: Connection[Any]) -> Plan:
    """The version that is collected now."""
    return Plan.from_json(_fact(connection, PLAN))


def data_there(connection: Connection[Any]) -> str:
    """Where segments are."""
    return _fact(connection, DATA)


def _fact(connection: Connection[Any], name: str) -> str:
    found = stored_settings.read(connection, name)
    if found is None:
        raise StoreError("this database does not say which plan it is of.\nHint: start a collector on it once.")
    return found
