"""The tables of one plan, with all its versions, in a schema of their own, which is named by the first version.

facts     settings, secrets and analysts: the same sealed texts as in a collector's folder; the version of these tables (`versions`)
reports   who has reported: fingerprints of (service, epoch, user) and of the record, in hash partitions of each epoch
batches   acknowledged records that are in no segment yet, with their CRC-32 and the number of the drain that makes one of them
closed    fingerprints of epochs that were closed last: a report that was counted is told so, even late
drains    one row: the number given to the last drain, and of the last one whose segments are listed
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from untold.plan import Plan

if TYPE_CHECKING:
    from psycopg import Connection

PARTS = 4  # hash partitions of an epoch
TABLES = (
    "CREATE TABLE facts (name text PRIMARY KEY, value text NOT NULL)",
    "CREATE TABLE reports (epoch integer NOT NULL, print uuid NOT NULL, mark bigint NOT NULL, PRIMARY KEY (epoch, print)) "
    "PARTITION BY LIST (epoch)",
    "CREATE TABLE batches (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, epoch integer NOT NULL, "
    "reports integer NOT NULL, body bytea NOT NULL, sum bigint NOT NULL, version integer NOT NULL, "
    "made timestamptz NOT NULL DEFAULT clock_timestamp(), drain bigint) "
    "WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)",
    "ALTER TABLE batches ALTER COLUMN body SET STORAGE EXTERNAL",  # records are as good as random: not compressed
    "CREATE TABLE closed (epoch integer NOT NULL, chunk integer NOT NULL, prints bytea NOT NULL, PRIMARY KEY (epoch, chunk))",
    "CREATE TABLE drains (given bigint NOT NULL, listed bigint NOT NULL)",
)


@dataclass(frozen=True)
class Root:
    """The first version of a plan that a database took: its tables and locks are named by it, whatever version it has now."""

    id: str


def schema_of(root: Root | Plan) -> str:
    """Where the tables are: reports of two plans do not mix."""
    return f"untold_{root.id[:32]}"


def lock_of(root: Root | Plan, what: str) -> int:
    """The number of an advisory lock: "reports" is shared by commits, "drain" is held by who makes segments."""
    return int.from_bytes(sha256(f"untold {root.id} {what}".encode()).digest()[:8], "big", signed=True)


def exists(connection: Connection[Any], root: Root | Plan) -> bool:
    """Whether this database has the tables."""
    found = connection.execute("SELECT to_regclass(%s)", (f'"{schema_of(root)}".facts',)).fetchone()
    return found is not None and found[0] is not None


def enter(connection: Connection[Any], root: Root | Plan) -> None:
    """From now on this connection sees these tables."""
    connection.execute(f'SET search_path TO "{schema_of(root)}"')


def create(connection: Connection[Any], root: Root | Plan) -> None:
    """The tables, in a transaction of the caller's."""
    connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema_of(root)}"')
    for statement in TABLES:
        connection.execute(statement)


def add_epoch(connection: Connection[Any], epoch: int) -> bool:
    """Hash partitions for an epoch; False if they are there."""
    if has_epoch(connection, epoch):
        return False
    connection.execute(
        f"CREATE TABLE reports_{epoch:d} PARTITION OF reports FOR VALUES IN ({epoch:d}) PARTITION BY HASH (print)"
    )
    for part in range(PARTS):
        connection.execute(
            f"CREATE TABLE reports_{epoch:d}_{part} PARTITION OF reports_{epoch:d} "
            f"FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {part})"
        )
    return True


def has_epoch(connection: Connection[Any], epoch: int) -> bool:
    """Whether there are partitions for an epoch."""
    found = connection.execute("SELECT to_regclass(%s)", (f"reports_{epoch:d}",)).fetchone()
    return found is not None and found[0] is not None


def drop_epoch(connection: Connection[Any], epoch: int) -> None:
    """Remove the partitions of an epoch, with all that they hold."""
    connection.execute(f"DROP TABLE IF EXISTS reports_{epoch:d}")
