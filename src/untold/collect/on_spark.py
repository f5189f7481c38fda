"""`perturb` for a Spark DataFrame: every executor perturbs the people whose rows it holds, as one machine would all of them.

Rows are brought together by user key, so that a person is in one part with all rows. Each part goes through the same
steps as a table of one machine (`collect.one_call`), with randomness of the executor's own operating system, into a segment
in a folder of drafts that only this user can look into. Only what was counted comes back. When all parts are there, one
writer checks that nobody has reported before and makes all segments count at once.

A part that is tried again, or in two places at once, is drawn again: a second draw of the same people, which together
with the first would cost 2 epsilon. So drafts that were not chosen go with their folder, however the work ends, and a task that
comes late finds no folder to write into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from untold.collect.batches import BatchEncoder
from untold.collect.chosen_columns import refuse_absent
from untold.collect.collected import Collected
from untold.collect.columns import Reader
from untold.collect.folders import check_folder, stored_schema
from untold.collect.keys import already_reported, split_between_parts
from untold.collect.one_call import Run, refuse_nothing
from untold.collect.population import open_population
from untold.collect.rows import group
from untold.collect.scratch import scratch
from untold.collect.sources import Source, is_spark, open_source
from untold.collect.spark import Stages, described, known_key, split_key, translated
from untold.collect.validate import Checker
from untold.errors import BadRecord, UntoldError
from untold.plan import Plan
from untold.plan.schema import Service
from untold.randomness import Secure
from untold.store import FolderWriter, PartWriter, Segment
from untold.tables.watch import watched

NAME = "the DataFrame"
TAG = "untold-perturb"
ASKED = "#asked"  # marks the population among the rows
PART = "file string, rows bigint, users bigint, sha256 string, bytes bigint, dropped bigint, error string"
NOTHING: dict[str, Any] = {"file": "", "rows": 0, "users": 0, "sha256": "", "bytes": 0, "dropped": 0, "error": ""}
Batches = Iterator[pa.RecordBatch]


def perturb_frame(
    plan: Plan,
    service: Service,
    frame: Any,
    names: Mapping[str, str],
    out: Path,
    population: Any,
    epoch: int,
    drop: bool,
    progress: bool | None,
    run_id: str | None = None,
) -> Collected:
    """Perturb the rows of a DataFrame into segments of the folder `out`, which every executor must reach."""
    with translated(), FolderWriter(out, plan) as writer:
        if done := writer.manifest.done(run_id, service.name, epoch):
            return Collected.by(done)
        frame, aside = _chosen(frame, names)
        checker = _checked_columns(frame, plan, service, drop)
        key = checker.key
        check_folder(writer, service.name, epoch, key)
        stored = stored_schema(writer, service.name)
        checker.as_stored(stored)
        rows = _with_population(frame, population, service, plan.user_key)
        session, known = frame.sparkSession, writer.known(service.name, epoch)
        with described(session, TAG, f"who of {service.name} has reported"):
            _refuse_known(session, rows, known, plan.user_key, epoch)
        with described(session, TAG, f"perturb {service.name}"), writer.drafts(f"{Secure().word():016x}") as drafts:
            task = _task(
                plan.to_json(), service.name, str(drafts.resolve()), epoch, drop, ASKED in rows.columns, stored
            )
            stages = Stages(session)
            with stages.followed(), watched(stages.percent, f"perturb {service.name}", progress):
                parts = _together(rows, plan.user_key).mapInArrow(task, PART).toArrow().to_pylist()
            if told := next((part["error"] for part in parts if part["error"]), None):
                raise BadRecord(told)
            return replace(_adopted(session, writer, drafts, service.name, epoch, parts, key, run_id), left_aside=aside)


def _chosen(frame: Any, names: Mapping[str, str]) -> tuple[Any, tuple[str, ...]]:
    """The columns that are used, under the names of the plan, and the names of the others: those go nowhere."""
    refuse_absent(NAME, frame.columns, names)
    there = {name: column for name, column in names.items() if column in frame.columns}
    aside = tuple(column for column in frame.columns if column not in names.values())
    return frame.select([frame[f"`{column}`"].alias(name) for name, column in there.items()]), aside


def _together(rows: Any, key: str) -> Any:
    """All rows of a key in one part.

    Adaptive execution may put several parts of such a shuffle into one (REPARTITION_BY_COL), but never cuts one: it
    does so only for shuffles of joins and of the hint "rebalance". Whether it was true is looked at before anything counts.
    """
    return rows.repartition(key)


def _refuse_known(session: Any, people: Any, known: Sequence[Path], key: str, epoch: int) -> None:
    """Nobody of a DataFrame, or of files, may have reported in this epoch already."""
    if (found := known_key(session, people, known, key)) is not None:
        raise already_reported(found, known, epoch)


def _adopted(
    session: Any,
    writer: FolderWriter,
    drafts: Path,
    service: str,
    epoch: int,
    parts: Sequence[dict[str, Any]],
    key: Reader,
    run_id: str | None,
) -> Collected:
    dropped = sum(part["dropped"] for part in parts)
    segments = [
        Segment(
            service=service,
            file=f"{drafts.name}/{part['file']}",
            epoch=epoch,
            insecure=False,
            **{name: part[name] for name in ("rows", "users", "sha256", "bytes")},
        )
        for part in parts
        if part["users"]
    ]
    users, reports = (sum(getattr(segment, count) for segment in segments) for count in ("users", "rows"))
    made = refuse_nothing(Collected(reports, users, dropped, False, writer.path / service), NAME)
    files = [writer.path / segment.file for segment in segments]
    if (split := split_key(session, files, key.name)) is not None:
        raise split_between_parts(split)
    # Looked at before the draws, too; but a DataFrame may hold other people each time that it is made.
    _refuse_known(session, files, writer.known(service, epoch), key.name, epoch)
    writer.adopt(segments, made.done(run_id, service, epoch))
    return made


def _checked_columns(frame: Any, plan: Plan, service: Service, drop: bool) -> Checker:
    """Refuses columns that do not fit, before anything runs; returns how columns are read."""
    with open_source(frame.limit(0).toArrow(), NAME) as empty:
        return Checker.of(plan, service, empty, drop)


def _with_population(frame: Any, population: Any, service: Service, key: str) -> Any:
    """Rows, and people marked as asked; with population="present" or one row per person, rows alone."""
    from pyspark.sql import functions as F

    if not is_spark(population):
        people = open_population(population, service, key)
        if people is None:
            return frame
        with people:
            table = pa.Table.from_batches(people.batches([key]))
        population = frame.sparkSession.createDataFrame(table)
    elif service.rows is None:
        open_population(population, service, key)  # refuses
    if key not in population.columns:
        raise BadRecord(f"population has no column '{key}', the user key.\nHint: rename the column.")
    ours, theirs = (each.schema[key].dataType.simpleString() for each in (frame, population))
    if (ours == "string") != (theirs == "string"):
        raise BadRecord(
            f"population: user keys are {theirs}, but {ours} in the table: no row finds its person.\n"
            "Hint: cast one of them."
        )
    asked = population.select(key).withColumn(ASKED, F.lit(True))
    return frame.withColumn(ASKED, F.lit(False)).unionByName(asked, allowMissingColumns=True)


def _task(
    plan: str, service: str, out: str, epoch: int, drop: bool, with_people: bool, stored: pa.Schema | None
) -> Callable[[Batches], Batches]:
    """What an executor does with its part. It is sent there with nothing but these words and numbers."""

    def perturb_part(batches: Batches) -> Batches:
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            return
        part = dict(NOTHING)
        try:
            reader = pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
            part |= run_part(Plan.from_json(plan), service, reader, Path(out), epoch, drop, with_people, stored)
        except UntoldError as error:  # told by the driver: tried again it would fail again
            part["error"] = str(error)
        yield pa.RecordBatch.from_pylist([part])

    return perturb_part


def run_part(
    plan: Plan,
    service: str,
    reader: pa.RecordBatchReader,
    out: Path,
    epoch: int,
    drop: bool,
    with_people: bool,
    stored: pa.Schema | None = None,
) -> dict[str, Any]:
    """All steps of `perturb` for one part, on the executor that holds it."""
    declared, rng = plan.service(service), Secure()
    with ExitStack() as stack:
        everything = stack.enter_context(open_source(reader, f"a part of {NAME}"))
        rows = _marked(everything, False) if with_people else everything
        checker = Checker.of(plan, declared, rows, drop).as_stored(stored)
        writer = PartWriter(out, plan, f"{rng.word():016x}")
        run = Run(BatchEncoder(plan, service, epoch), checker, rng, writer, False)
        if declared.rows is None:
            made = run.one_row_each()
        else:
            people = _marked(everything, True) if with_people else None
            made = run.many_rows_each(group(*stack.enter_context(scratch()), checker, declared, people))
    segment = asdict(writer.segment) if writer.segment else {}
    return {name: value for name, value in segment.items() if name in NOTHING} | {"dropped": made.dropped}


def _marked(everything: Source, asked: bool) -> Source:
    """The rows of a part, or the people who are asked."""

    def read(columns: Sequence[str]) -> Batches:
        for batch in everything.read([*columns, ASKED]):
            yield batch.filter(pc.equal(batch.column(ASKED), asked)).select(list(columns))

    schema = everything.schema.remove(everything.schema.get_field_index(ASKED))
    return Source(schema, ((everything.name, sum(batch.num_rows for batch in read([]))),), read)
