"""Where commands beside a collector find its settings, secrets and analysts: in its folder, or in a database."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untold.commands.acting import check_owner, open_folder
from untold.commands.parser import Parser
from untold.errors import UntoldError
from untold.store.addresses import local_path

if TYPE_CHECKING:
    from datetime import date

    from untold.plan import Plan
    from untold.serve.access import Access
    from untold.serve.analysts import Analysts
    from untold.serve.collector import Collector
    from untold.serve.settings import Secrets, Settings
    from untold.store import Folder


def add_place(parser: Parser) -> None:
    """The options that say where."""
    parser.add_argument("--data", metavar="FOLDER", help="the folder of the collector, or where its segments are")
    parser.add_argument("--ledger", metavar="URL", help="the database of the collectors: postgresql://...")


def check_place(given: Namespace) -> None:
    """One of both is needed."""
    if given.ledger is None and given.data is None:
        raise UntoldError("--data FOLDER is needed, or --ledger postgresql://... for collectors over a database.")
    if given.ledger is None:
        local_path(given.data, "give the folder of the collector, or --ledger")


def told(given: Namespace) -> tuple[Secrets, Settings, Analysts]:
    """What a collector is set up with."""
    from untold.serve.analysts import Analysts
    from untold.serve.settings import Secrets, Settings
    from untold.store.logs import HOME

    check_place(given)
    if given.ledger is None:
        home = Path(given.data) / HOME
        return Secrets.load(home), Settings.load(home) or Settings(), Analysts.load(home)

    from untold.serve.postgres import stored_settings
    from untold.serve.postgres.existing_plan import connected

    with closing(connected(given.ledger)) as connection:
        settings = stored_settings.settings_of(connection) or Settings()
        return stored_settings.secrets_of(connection), settings, stored_settings.analysts_of(connection)


@contextmanager
def changing_analysts(given: Namespace) -> Iterator[tuple[Analysts, Callable[[Analysts], None]]]:
    """Who may ask, while nobody else changes it; and how to store who may from now on."""
    from untold.serve.analysts import Analysts

    with _changing(given) as (home, connection):
        if home is not None:
            yield Analysts.load(home), lambda after: after.save(home)
            return
        from untold.serve.postgres import stored_settings

        yield (
            stored_settings.analysts_of(connection),
            lambda after: stored_settings.write(connection, stored_settings.ANALYSTS, after.to_json()),
        )


@contextmanager
def changing_access(given: Namespace) -> Iterator[tuple[Access, Callable[[Access], None]]]:
    """Who may report and operate, likewise."""
    from untold.serve.access import Access

    with _changing(given) as (home, connection):
        if home is not None:
            yield Access.load(home), lambda after: after.save(home)
            return
        from untold.serve.postgres import stored_settings

        yield (
            stored_settings.access_of(connection),
            lambda after: stored_settings.write(connection, stored_settings.ACCESS, after.to_json()),
        )


@contextmanager
def changing_secrets(
    given: Namespace, anew: bool = False
) -> Iterator[tuple[Secrets | None, Callable[[Secrets], None]]]:
    """What plans are signed and tokens made with, likewise; `anew`: in a place where nothing was collected or offered yet."""
    from untold.serve.settings import SECRETS, Secrets

    with _changing(given, make=anew) as (home, connection):
        if home is not None:
            if anew:
                _check_new(home)
            yield (
                Secrets.load_or_make(home) if (home / SECRETS).exists() else None,
                lambda after: after.save(home),
            )
            return
        from untold.serve.postgres import stored_settings

        if anew and (
            stored_settings.read(connection, stored_settings.OFFERED) is not None
            or connection.execute("SELECT 1 FROM reports LIMIT 1").fetchone() is not None
        ):
            raise UntoldError("somebody was given a plan from this database already: its keys are followed by devices.")
        yield (
            stored_settings.link(connection),
            lambda after: stored_settings.write(connection, stored_settings.SECRETS, after.to_json()),
        )


def _check_new(home: Path) -> None:
    from untold.serve.folder.announced import OFFERED
    from untold.store.logs import existing_logs

    if (home / OFFERED).exists() or existing_logs(home / "log") or any((home / "index").glob("*/*.run")):
        raise UntoldError(f"somebody was given a plan from {home.parent} already: its keys are followed by devices.")


@contextmanager
def _changing(given: Namespace, make: bool = False) -> Iterator[tuple[Path | None, Any]]:
    """The folder of a collector, or a connection to its database, while nobody else changes what is kept there."""
    import fcntl
    import os

    from untold.store.logs import HOME

    if given.ledger is None:
        home = Path(given.data) / HOME
        if make:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not home.is_dir():
            raise UntoldError(
                f"{home} does not exist.\nHint: start the collector once: untold serve PLAN --data FOLDER."
            )
        handle = os.open(home, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield home, None
        finally:
            os.close(handle)
        return

    from untold.serve.postgres import stored_settings
    from untold.serve.postgres.existing_plan import connected

    with closing(connected(given.ledger)) as connection, stored_settings.changing(connection):
        yield None, connection


def opened(given: Namespace) -> Collector:
    """The collector itself, in this process: of a folder on which none runs, or one more over a database."""
    from untold.serve.relay.mixer import read_least
    from untold.store.logs import HOME
    from untold.wire.bundle import is_envelope

    if given.ledger is None:
        collector = open_folder(Path(given.data))
        if is_envelope(collector.plan):
            collector.least = read_least(Path(given.data) / HOME)
        return collector

    from untold.serve.collector import collector_over
    from untold.serve.postgres.existing_plan import plan_and_data

    plan, data = plan_and_data(given.ledger)
    return collector_over(plan, given.data or data, given.ledger)


def plan_now(given: Namespace) -> Plan:
    """The version that is collected."""
    from untold.store.folder import read_plan

    if given.ledger is None:
        return read_plan(Path(given.data))

    from untold.serve.postgres.existing_plan import plan_and_data

    return plan_and_data(given.ledger)[0]


def folder_there(given: Namespace) -> Folder:
    """The reports that are in segments."""
    from untold.store import Folder

    if given.ledger is None:
        return Folder.open(given.data)

    from untold.serve.postgres.existing_plan import connected, data_there, plan_there, root_there
    from untold.serve.postgres.schema import schema_of
    from untold.serve.postgres.segment_places import place_of

    with closing(connected(given.ledger)) as connection:
        root = root_there(connection)
        assert root is not None
        place = place_of(given.data or data_there(connection), plan_there(connection), schema_of(root))
        place.refresh()
    return Folder.open(place.path)


def announce_there(given: Namespace, plan: Plan, start: date | None) -> Settings:
    """Announce a version of the plan with its first epoch, and on which day that begins; returns the settings of now."""
    from untold.serve.folder.announced import announce
    from untold.store.epoch_dates import write_date

    check_writer(given)
    if given.ledger is None:
        settings = announce(Path(given.data), plan, given.epoch)
        if start is not None:
            write_date(Path(given.data), given.epoch, start)
        return settings

    from untold.serve.postgres import announced
    from untold.serve.postgres.existing_plan import connected, data_there, plan_there, root_there
    from untold.serve.postgres.schema import schema_of
    from untold.serve.postgres.segment_places import place_of

    with closing(connected(given.ledger)) as connection:
        root = root_there(connection)
        assert root is not None
        settings = announced.announce(connection, root, plan, given.epoch)
        if start is not None:
            place = place_of(given.data or data_there(connection), plan_there(connection), schema_of(root))
            with place.writing():
                place.check_date(given.epoch, start)
                place.write_date(given.epoch, start)
    return settings


def check_writer(given: Namespace) -> None:
    """Refuse to write into somebody else's folder."""
    check_place(given)
    if given.ledger is None:
        check_owner(Path(given.data))
