"""Where commands beside a collector find its settings, secrets and analysts: in its folder, or in a database."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from untold.commands.acting import check_owner, open_folder
from untold.commands.parser import Parser
from untold.errors import UntoldError
from untold.store.addresses import local_path

if TYPE_CHECKING:
    from datetime import date

    from untold.plan import Plan
    from untold.serve.analysts import Analysts
    from untold.serve.collector import Collector
    from untold.serve.settings import Secrets, Settings


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
    from untold.serve.analysts import changing
    from untold.store.logs import HOME

    if given.ledger is None:
        home = Path(given.data) / HOME
        with changing(home) as known:
            yield known, lambda after: after.save(home)
        return

    from untold.serve.postgres import stored_settings
    from untold.serve.postgres.existing_plan import connected

    with closing(connected(given.ledger)) as connection, stored_settings.changing_analysts(connection) as known:
        yield known, lambda after: stored_settings.write(connection, stored_settings.ANALYSTS, after.to_json())


def opened(given: Namespace) -> Collector:
    """The collector itself, in this process: of a folder on which none runs, or one more over a database."""
    if given.ledger is None:
        return open_folder(Path(given.data))

    from untold.serve.collector import collector_over
    from untold.serve.postgres.existing_plan import plan_and_data

    plan, data = plan_and_data(given.ledger)
    return collector_over(plan, given.data or data, given.ledger)


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
