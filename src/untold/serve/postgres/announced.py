"""Another version of the plan in a database: announced with an epoch, and taken over when a collector starts with it.

announce      the plan and its first epoch are facts; collectors that run go on with the version that they have
take_over     first no collector takes reports any more (`Settings.plan`), then all that was acknowledged becomes segments, the
              manifest names the new version, and in one transaction its first epoch is open. Whoever dies in between is
              followed by the next start. Collectors of the old version say that they are not ready, and lose nothing
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from untold.errors import StoreError
from untold.kernels.siphash import Hashes
from untold.plan import Plan
from untold.plan.schema import ONCE_EPOCH
from untold.serve.folder.announced import Announced, check_version, with_types
from untold.serve.postgres import stored_settings
from untold.serve.postgres.drain import Drain
from untold.serve.postgres.epochs import begin
from untold.serve.postgres.existing_plan import PLAN, plan_there
from untold.serve.postgres.schema import Root, lock_of
from untold.serve.postgres.segment_places import Place
from untold.serve.reports.blocks import Reader, layouts_of
from untold.serve.reports.segment_rows import SegmentShape
from untold.serve.reports.steps import reached
from untold.serve.settings import Settings, settle
from untold.store import FolderWriter
from untold.store.manifest import Manifest
from untold.store.writer import other_plan

if TYPE_CHECKING:
    from psycopg import Connection

ANNOUNCED = "announced"
PLACE = "this database"
People = Callable[[FolderWriter, Reader, int], Hashes]


def announced_in(connection: Connection[Any]) -> Announced | None:
    """What was announced; None if nothing is."""
    text = stored_settings.read(connection, ANNOUNCED)
    return None if text is None else Announced.from_json(text, stored_settings.place(ANNOUNCED))


def announce(connection: Connection[Any], root: Root, plan: Plan, epoch: int) -> Settings:
    """Say that an epoch will have a version of the plan; returns the settings of now. Refused is what could not begin."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(root, "reports"),))
        there, settings = plan_there(connection), settings_there(connection)
        if not settings.is_of(there):
            raise StoreError("another version is just beginning.\nHint: start a collector with it first.")
        check_version(PLACE, there, plan, settings, epoch)
        stored_settings.write(connection, ANNOUNCED, Announced(epoch, plan.id).to_json())
    return settings


def settings_there(connection: Connection[Any]) -> Settings:
    """How the collectors are set up."""
    found = stored_settings.settings_of(connection)
    if found is None:
        raise StoreError("this database has no settings of this plan.\nHint: start a collector once.")
    return found


def check_opening(connection: Connection[Any], plan: Plan, before: Settings, after: Settings) -> None:
    """Refuse to open an epoch that another version has, or to change those of a version that has ended."""
    if not before.is_of(plan):
        raise StoreError(f"version {plan.version} of the plan has ended.\nHint: start the collectors with the new one.")
    announced = announced_in(connection)
    if announced is None or announced.plan_id == plan.id:
        return
    if wrong := [each for each in set(after.open) - set(before.open) if each >= announced.epoch]:
        raise StoreError(
            f"epoch {wrong[0]} has another version of the plan, which is announced from epoch {announced.epoch} on.\n"
            "Hint: start the collectors with that plan."
        )


def bring_plan(
    connection: Connection[Any],
    root: Root,
    plan: Plan,
    place_of_version: Callable[[Plan], Place],
    people: People,
    public: Mapping[str, str],
) -> None:
    """Have the database collect this version: it does already, or it was announced, or nobody was offered another one. Refused
    is all else. The caller keeps the connection to itself."""
    if _is_there(connection, plan):
        return
    connection.execute("SET statement_timeout TO 0")  # another collector may be making segments, or doing just this
    connection.execute("SELECT pg_advisory_lock(%s)", (lock_of(root, "drain"),))  # until it is closed
    if _is_there(connection, plan):
        return
    there, announced = plan_there(connection), announced_in(connection)
    if announced is not None and announced.plan_id == plan.id:
        _take_over(connection, root, plan, place_of_version, people, announced)
    elif there.id == plan.id:
        raise StoreError(
            f"{PLACE}: version {there.version} of plan '{there.name}' has ended, and the next one is just beginning.\n"
            "Hint: start with the version that was announced."
        )
    else:
        _exchange(connection, root, plan, place_of_version, people, public)


def _is_there(connection: Connection[Any], plan: Plan) -> bool:
    return plan_there(connection).id == plan.id and settings_there(connection).is_of(plan)


def _take_over(
    connection: Connection[Any],
    root: Root,
    plan: Plan,
    place_of_version: Callable[[Plan], Place],
    people: People,
    announced: Announced,
) -> None:
    there = plan_there(connection)
    with connection.transaction():  # no commit overlaps it: what was acknowledged is in batches
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(root, "reports"),))
        before = settings_there(connection)
        closed = tuple(sorted({*before.closed, *before.open}))
        ended = replace(before, open=(), closed=closed, plan=plan.id)
        stored_settings.write(connection, stored_settings.SETTINGS, ended.to_json())
    reached("version ended")
    if place_of_version(there).refresh().plan_id == there.id:
        layouts = layouts_of(there, ended.user_key, ended.public)
        reader = Reader(there.id, layouts, stored_settings.secrets_of(connection).index_key)
        with place_of_version(there).writing() as writer:
            Drain(there, reader, [SegmentShape.of(there, each) for each in layouts]).run(connection, writer)
    with place_of_version(plan).writing(renew=True) as writer:
        reached("version listed")
        after = replace(with_types(ended, plan), open=(announced.epoch,))
        _begin(connection, root, plan, writer, people, after)


def _exchange(
    connection: Connection[Any],
    root: Root,
    plan: Plan,
    place_of_version: Callable[[Plan], Place],
    people: People,
    public: Mapping[str, str],
) -> None:
    """Before anybody was offered the plan, and before the first report, a database takes any other of that place."""
    there = plan_there(connection)
    listed = place_of_version(there).refresh()
    if not _is_fresh(connection, listed):
        raise other_plan(PLACE, there, plan, served=True)
    before = settings_there(connection)
    with place_of_version(plan).writing(renew=True) as writer:
        after = replace(settle(plan, None, before.user_key, public), open=before.open, plan=plan.id)
        _begin(connection, root, plan, writer, people, after)


def _is_fresh(connection: Connection[Any], listed: Manifest) -> bool:
    used = connection.execute("SELECT 1 FROM reports LIMIT 1").fetchone()
    offered = stored_settings.read(connection, stored_settings.OFFERED)
    return offered is None and used is None and not listed.segments and not listed.earlier


def _begin(
    connection: Connection[Any], root: Root, plan: Plan, writer: FolderWriter, people: People, after: Settings
) -> None:
    """From here on it is the plan of the database."""
    reader = Reader(
        plan.id, layouts_of(plan, after.user_key, after.public), stored_settings.secrets_of(connection).index_key
    )
    once = [ONCE_EPOCH] if any(each.repeat == "once" for each in plan.schema.services) else []
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(root, "reports"),))
        connection.execute("SET LOCAL idle_in_transaction_session_timeout TO 0")
        for epoch in {*after.open, *once}:
            begin(connection, epoch, lambda each: people(writer, reader, each))
        stored_settings.write(connection, PLAN, plan.to_json())
        stored_settings.write(connection, stored_settings.SETTINGS, after.to_json())
        connection.execute("DELETE FROM facts WHERE name = %s", (ANNOUNCED,))
