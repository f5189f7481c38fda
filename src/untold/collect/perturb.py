"""`untold.perturb`: perturbs a table of any size on all cores, and adds either all of its reports to a folder or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from untold.collect.batches import BatchEncoder
from untold.collect.chosen_columns import chosen, left_aside, names_in_table
from untold.collect.collected import Collected
from untold.collect.csv_file import read_if_csv
from untold.collect.folders import check_folder, panel_key, refuse_other_time, stored_schema
from untold.collect.one_call import Run, refuse_nothing
from untold.collect.panelists import Panelists, PanelKey, keep_key, new_key
from untold.collect.population import open_population
from untold.collect.rows import group
from untold.collect.scratch import scratch
from untold.collect.sources import is_spark, open_source
from untold.collect.spending import GivenLedger, Spending
from untold.collect.validate import Checker
from untold.device.panels import panel_name
from untold.errors import BadRecord
from untold.plan import Plan
from untold.randomness import Secure, Seeded
from untold.store import FolderWriter
from untold.store.addresses import local_path
from untold.store.bucket import is_bucket
from untold.store.bucket_writer import writer_to
from untold.store.writer import WRITE
from untold.tables.table_like import TableLike
from untold.wire.contract import LAST_EPOCH

MAX_RUN_ID = 200  # characters of a run's name


def perturb(
    plan: Plan | str | Path,
    service: str,
    table: TableLike,
    *,
    out: str | Path | None = None,
    population: TableLike | Iterable[object] | None = None,
    epoch: int = 0,
    seed: int | None = None,
    on_invalid: str = "refuse",
    progress: bool | None = None,
    ledger: GivenLedger | None = None,
    columns: Mapping[str, str] | None = None,
    run_id: str | None = None,
) -> Collected:
    """Perturb a table with one row (or up to `rows_per_user.max` rows) per person.

    table        Arrow, pandas, polars, an Arrow stream, the path of Parquet files or of a .csv file, or a Spark DataFrame, which
                 is perturbed where its rows are; user key and all attributes. Other columns are left aside, with a note
    out          the folder, or the place in a bucket (s3://, gs://), to add the reports to; without it they are returned as an
                 Arrow table
    population   everybody who is asked, for services with many rows per user
    epoch        the collection that these reports belong to; a person reports once per service and epoch
    seed         repeatable draws, for experiments only: the reports are stamped insecure. Each service and epoch gets draws
                 of its own from the same seed
    on_invalid   "refuse" a table with a bad row, or "drop" bad rows and count them
    progress     show it or not; by default on a terminal, once it takes longer than a second
    ledger       without `out`: the path of a file (or a mapping) that remembers what was drawn and what it cost, so that
                 nobody is drawn twice and the lifetime holds; not needed with a seed
    columns      where the table has other names than the plan: {"income": "salary"} takes income from column salary
    run_id       with `out`: a name for this run, such as a scheduler's date. When a run of this name has counted for the service
                 and epoch, nobody is drawn again, and what it did is returned (`done_before`): a retry succeeds

    If the plan has a panel, those of the table report who take part in this epoch: the same people for all services, and
    each in as many epochs as the plan says.

    Whatever fails, nothing is left behind. Only a process that is killed leaves its temporary files, which hold true
    rows: the next call of the same user on that machine removes them.
    """
    compiled = plan if isinstance(plan, Plan) else Plan.load(plan)
    declared = compiled.service(service)
    out = out if out is None or is_bucket(out) else local_path(out, WRITE)
    _check_options(epoch, seed, on_invalid)
    _check_run_id(run_id, out)
    if out is not None and ledger is not None:
        raise BadRecord("out= and ledger= together: a folder is its own ledger.\nHint: leave ledger= out.")
    refuse_other_time(compiled, service, epoch)
    names = names_in_table(compiled, declared, columns)
    if is_spark(table):
        from untold.collect.on_spark import perturb_frame

        _refuse_on_spark(compiled, service, out, seed)
        drop = on_invalid == "drop"
        return perturb_frame(
            compiled, declared, table, names, Path(str(out)), population, epoch, drop, progress, run_id
        )
    with ExitStack() as stack:
        everybody = read_if_csv(population, compiled, declared, {name: name for name in names})
        people = open_population(everybody, declared, compiled.user_key)
        if people is not None:
            stack.enter_context(people)
        source = stack.enter_context(open_source(read_if_csv(table, compiled, declared, names)))
        aside = left_aside(source, names)
        checker = Checker.of(compiled, declared, chosen(source, names), on_invalid == "drop")
        writer = None if out is None else stack.enter_context(writer_to(out, compiled))
        if writer is not None:
            if done := writer.manifest.done(run_id, service, epoch):
                return Collected.by(done)
            check_folder(writer, service, epoch, checker.key)
            checker = checker.as_stored(stored_schema(writer, service))
        rng = Secure() if seed is None else _seeded(seed, compiled, service, epoch, writer)
        panelists, pay = _who_and_price(compiled, service, epoch, seed, writer, ledger)
        run = Run(BatchEncoder(compiled, service, epoch), checker, rng, writer, progress, panelists, pay, run_id)
        if declared.rows is None:
            return replace(refuse_nothing(run.one_row_each(), source.name), left_aside=aside)
        connection, folder = stack.enter_context(scratch())
        return replace(run.many_rows_each(group(connection, folder, checker, declared, people)), left_aside=aside)


def _seeded(seed: int, plan: Plan, service: str, epoch: int, writer: FolderWriter | None) -> Seeded:
    """Draws of their own for each plan, service and epoch, and for each table that is added to the same folder: reports
    from the same words would not be independent, as every estimate takes them to be."""
    before = 0 if writer is None else len(writer.known(service, epoch))
    return Seeded.named(seed, plan.id, service, epoch, before)


def _who_and_price(
    plan: Plan, service: str, epoch: int, seed: int | None, writer: FolderWriter | None, ledger: GivenLedger | None
) -> tuple[Panelists | None, Callable[[], None]]:
    """Who takes part, and what is done before their reports are handed out or count."""
    panel = plan.panel is not None and plan.service(service).repeat != "once"
    drawn = new_key(Seeded.named(seed, panel_name(plan), "panel") if panel and seed is not None else None)
    if writer is not None:
        if not panel:
            return None, lambda: None
        key = panel_key(writer) or drawn
        return Panelists(plan, epoch, key), partial(_keep_draw, writer, key)
    if seed is not None:  # the same draws again whenever it is called: nothing more to pay
        return Panelists(plan, epoch, drawn) if panel else None, lambda: None
    spending = Spending.of(ledger, plan, service, epoch)
    spending.check()
    return Panelists(plan, epoch, spending.panel_key()) if panel else None, spending.pay


def _keep_draw(writer: FolderWriter, key: PanelKey) -> None:
    """In a folder of reports, which it may be the first thing in: the draw counts even where it left nobody."""
    writer.found()
    keep_key(writer, key)


def _refuse_on_spark(plan: Plan, service: str, out: str | Path | None, seed: int | None) -> None:
    if plan.panel is not None and plan.service(service).repeat != "once":
        raise BadRecord(
            f"plan '{plan.name}' has a panel, for which a Spark DataFrame cannot be perturbed.\n"
            "Hint: perturb a table of another library, or collect from devices."
        )
    if out is None:
        raise BadRecord("reports of a Spark DataFrame are written where they are made: out= is needed.")
    if is_bucket(out):
        raise BadRecord(
            f"{out}: executors write drafts, which anybody who reads a bucket could read: two draws of a person cost epsilon "
            "twice.\nHint: write to storage that is mounted as a folder, and copy it, manifest.json last (docs/spark.md)."
        )
    if seed is not None:
        raise BadRecord(
            "seed = ... is not possible with a Spark DataFrame: every executor asks its own operating system for chance.\n"
            "Hint: leave it out, or experiment with a table of another library."
        )


def _check_run_id(run_id: str | None, out: str | Path | None) -> None:
    if run_id is None:
        return
    if not isinstance(run_id, str) or not run_id.isprintable() or not 1 <= len(run_id) <= MAX_RUN_ID:
        raise BadRecord(
            f"run_id = {run_id!r} is not allowed (a text of 1 to {MAX_RUN_ID} printable characters).\n"
            "Hint: the scheduler's name of the run, such as its date."
        )
    if out is None:
        raise BadRecord(
            "run_id= needs out=: the folder remembers which runs are done.\nHint: name a folder, or use ledger=."
        )


def _check_options(epoch: int, seed: int | None, on_invalid: str) -> None:
    if isinstance(epoch, bool) or not isinstance(epoch, int) or not 0 <= epoch <= LAST_EPOCH:
        raise BadRecord(
            f"epoch = {epoch!r} is not allowed (integers 0..{LAST_EPOCH}).\nHint: number the epochs 0, 1, 2, ..."
        )
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise BadRecord(
            f"seed = {seed!r} is not allowed (an integer of 0 or more).\nHint: leave it out, except in experiments."
        )
    if on_invalid not in ("refuse", "drop"):
        raise BadRecord(
            f"on_invalid = {on_invalid!r} is not allowed ('refuse' or 'drop').\nHint: leave it out to refuse."
        )
