"""The first collector on a database makes its tables; those that follow find settings and secrets there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from untold.errors import StoreError
from untold.kernels.siphash import Hashes
from untold.plan import Plan
from untold.serve.postgres import stored_settings
from untold.serve.postgres.drain import last_log
from untold.serve.postgres.epochs import begin
from untold.serve.postgres.existing_plan import DATA, PLAN, ROOT
from untold.serve.postgres.schema import create, exists, lock_of
from untold.serve.postgres.versions import SCHEMA, VERSION
from untold.serve.reports.blocks import Reader, layouts_of
from untold.serve.settings import Secrets, Settings, settle
from untold.store import FolderWriter
from untold.store.logs import HOME, existing_logs

if TYPE_CHECKING:
    from psycopg import Connection

People = Callable[[FolderWriter, Reader, int], Hashes]


def set_up(
    connection: Connection[Any],
    plan: Plan,
    writer: FolderWriter,
    data: str,
    asked: tuple[str | None, Mapping[str, str]],
    people: People,
) -> tuple[Settings, Secrets]:
    """Settings and secrets, made if nobody has; the caller holds the lock for draining."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(plan, "reports"),))
        connection.execute(
            "SET LOCAL idle_in_transaction_session_timeout TO 0"
        )  # while who is in a large folder is read
        if not exists(connection, plan):
            secrets, stored = _from_folder(writer)
            settings = replace(settle(plan, stored, *asked), plan=plan.id)
            create(connection, plan)
            stored_settings.write(connection, SCHEMA, str(VERSION))
            stored_settings.write(connection, stored_settings.SETTINGS, settings.to_json())
            stored_settings.write(connection, stored_settings.SECRETS, secrets.to_json())
            stored_settings.write(connection, PLAN, plan.to_json())
            stored_settings.write(connection, ROOT, plan.id)
            stored_settings.write(connection, DATA, data)
            connection.execute("INSERT INTO drains VALUES (%s, %s)", [last_log(writer.manifest)] * 2)
            reader = Reader(plan.id, layouts_of(plan, settings.user_key, settings.public), secrets.index_key)
            for epoch in settings.open:
                begin(connection, epoch, lambda each: people(writer, reader, each))
            return settings, secrets
        settings = settle(plan, stored_settings.settings_of(connection), *asked)
        return settings, stored_settings.secrets_of(connection)


def _from_folder(writer: FolderWriter) -> tuple[Secrets, Settings | None]:
    """What a collector of the folder itself has left: its tokens stay good. Its log must be empty."""
    home = writer.path / HOME
    if not home.is_dir():
        return Secrets.new(), None
    if existing_logs(home / "log"):
        raise StoreError(
            f"{home} holds reports that are in no segment yet.\n"
            f"Hint: turn them into segments first: untold serve flush --data {writer.path}."
        )
    return Secrets.load(home).linked(), Settings.load(home)
