"""Opening and closing epochs in the database: no report gets in between, whichever collector takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from untold.errors import StoreError
from untold.kernels.siphash import Hashes
from untold.serve.postgres import stored_settings
from untold.serve.postgres.arrays import longs, uuids
from untold.serve.postgres.schema import Root, add_epoch, drop_epoch, has_epoch, lock_of
from untold.serve.settings import Settings

if TYPE_CHECKING:
    from psycopg import Connection

COMPACT = """
INSERT INTO closed
SELECT epoch, (get_byte(print, 0) << 4) | (get_byte(print, 1) >> 4) AS chunk, string_agg(print || int8send(mark), '')
FROM (SELECT epoch, mark, uuid_send(print) AS print FROM reports WHERE epoch = %s AND print BETWEEN %s AND %s) AS them GROUP BY 1, 2
"""
CHUNKS = 1 << 12  # into which the fingerprints of an epoch are cut by their first bits, as COMPACT does
PIECES = 64  # of an epoch, so that no statement takes long; each holds whole chunks
KNOWN = "INSERT INTO reports SELECT %s, print, mark FROM unnest(%s, %s) AS given (print, mark) ON CONFLICT DO NOTHING"
AT_ONCE = 1 << 16


def change(
    connection: Connection[Any],
    root: Root,
    epoch: int,
    to: Callable[[Settings, int], Settings],
    people: Callable[[int], Hashes],
    check: Callable[[Settings, Settings], None],
) -> Settings:
    """Open or close an epoch, in one transaction that no commit of reports overlaps. `people` tells who is in the segments of
    an epoch already; `check` refuses a change."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(root, "reports"),))
        before = stored_settings.settings_of(connection)
        if before is None:
            raise StoreError("this database has no settings of this plan.\nHint: start a collector once.")
        after = to(before, epoch)
        check(before, after)
        for each in set(after.open) - set(before.open):
            begin(connection, each, people)
        stored_settings.write(connection, stored_settings.SETTINGS, after.to_json())
    return after


def begin(connection: Connection[Any], epoch: int, people: Callable[[int], Hashes]) -> None:
    """Partitions for an epoch, with those who are in its segments already."""
    if add_epoch(connection, epoch):
        prints = people(epoch)
        for some in np.array_split(prints, len(prints) // AT_ONCE + 1):
            if len(some):
                connection.execute(KNOWN, (epoch, uuids(some), longs(some[:, 2])), binary=True)


def forget(connection: Connection[Any], always: tuple[int, ...], enough: Callable[[], bool]) -> tuple[list[int], bool]:
    """Drop the partitions of closed epochs whose reports are all in segments. Of the last ones the fingerprints are kept, in a
    quarter of the space. After each statement it asks whether that is `enough` for now. Returns the epochs that were dropped,
    and whether it was enough, so that there may be more to do."""
    settings = stored_settings.settings_of(connection) or Settings()
    dropped: list[int] = []
    for epoch in settings.closed:
        if epoch in always or not has_epoch(connection, epoch):
            continue
        waits = connection.execute("SELECT 1 FROM batches WHERE epoch = %s AND reports > 0 LIMIT 1", (epoch,))
        if waits.fetchone() is not None:
            continue
        for low, high in pieces()[kept(connection, epoch) :] if epoch in settings.known else ():
            connection.execute(COMPACT, (epoch, low, high))
            if enough():
                return dropped, True
        drop_epoch(connection, epoch)
        dropped.append(epoch)
        if enough():
            return dropped, True
    connection.execute("DELETE FROM closed WHERE NOT epoch = ANY(%s)", (list(settings.known),))
    return dropped, False


def kept(connection: Connection[Any], epoch: int) -> int:
    """How many pieces of a closed epoch are kept already: they come in order, and each is all there or not at all."""
    found = connection.execute("SELECT coalesce(max(chunk), -1) FROM closed WHERE epoch = %s", (epoch,)).fetchone()
    assert found is not None
    return int((found[0] // (CHUNKS // PIECES)) + 1)


def pieces() -> list[tuple[UUID, UUID]]:
    """All fingerprints, in ranges.

    >>> str(pieces()[1][0]), str(pieces()[-1][1])
    ('04000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    """
    size = (1 << 128) // PIECES
    return [(UUID(int=each * size), UUID(int=(each + 1) * size - 1)) for each in range(PIECES)]
