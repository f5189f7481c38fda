"""Which version the tables of a database are of. Tables of an earlier one are brought up to date, later ones are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.events import note
from untold.serve.postgres import stored_settings
from untold.serve.postgres.existing_plan import PLAN, ROOT
from untold.serve.postgres.schema import Root, lock_of

if TYPE_CHECKING:
    from psycopg import Connection

SCHEMA = "schema"  # the fact that names the version
VERSION = 3
COLUMN = "SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = %s AND column_name = %s"


def version_of(connection: Connection[Any]) -> int:
    """Of the tables that a connection sees. Before there was a row for it, there were two: without sums, and with."""
    told = stored_settings.read(connection, SCHEMA)
    if told is None:
        return 1 if connection.execute(COLUMN, ("batches", "sum")).fetchone() is None else 2
    if not (told.isascii() and told.isdigit() and len(told) < 10):
        raise StoreError(
            f"the database says that its tables are of version {told[:40]!r}; versions are numbers.\n"
            "Hint: restore table facts from a backup."
        )
    return int(told)


def check(connection: Connection[Any]) -> int:
    """The version, if this program knows it."""
    found = version_of(connection)
    if not 1 <= found <= VERSION:
        raise StoreError(
            f"the tables of this database are of version {found}; this version of untold knows versions 1 to {VERSION}.\n"
            "Hint: update untold here to the version of the other collectors. Nothing was changed."
        )
    return found


def bring_up(connection: Connection[Any], root: Root) -> None:
    """Tables of this version, whatever they were: in one transaction, while no collector commits."""
    if check(connection) == VERSION and stored_settings.read(connection, SCHEMA) is not None:
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(root, "reports"),))
        before = check(connection)
        for step in STEPS[before - 1 :]:
            step(connection)
        stored_settings.write(connection, SCHEMA, str(VERSION))
    if before < VERSION:
        note("tables brought up to date", before=before, now=VERSION)


def add_sums(connection: Connection[Any]) -> None:
    """From 1 to 2: batches carry their CRC-32. A collector of an earlier version writes none, and is refused by the database."""
    connection.execute("ALTER TABLE batches ADD COLUMN sum bigint")
    for (number,) in connection.execute("SELECT number FROM batches").fetchall():
        found = connection.execute("SELECT body FROM batches WHERE number = %s", (number,), binary=True).fetchone()
        assert found is not None
        connection.execute("UPDATE batches SET sum = %s WHERE number = %s", (crc32(found[0]), number))
    connection.execute("ALTER TABLE batches ALTER COLUMN sum SET NOT NULL")


def add_plan_versions(connection: Connection[Any]) -> None:
    """From 2 to 3: batches and settings say which version of the plan they are of. A collector of an earlier version of the
    program writes none: the database refuses it, so it takes no report of a version that has ended."""
    text = stored_settings.read(connection, PLAN)
    settings = stored_settings.settings_of(connection)
    version = 1
    if text is not None and settings is not None:
        plan = Plan.from_json(text)
        version = plan.version
        stored_settings.write(connection, stored_settings.SETTINGS, replace(settings, plan=plan.id).to_json())
        stored_settings.write(connection, ROOT, plan.id)
        stored_settings.write(connection, stored_settings.OFFERED, "yes")  # nobody knows
    connection.execute(f"ALTER TABLE batches ADD COLUMN version integer NOT NULL DEFAULT {version:d}")
    connection.execute("ALTER TABLE batches ALTER COLUMN version DROP DEFAULT")


STEPS = (add_sums, add_plan_versions)
assert len(STEPS) == VERSION - 1
