"""The answer to a query. The query runs when somebody first looks at the answer, and only once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from os import PathLike
from threading import Lock
from typing import IO, TYPE_CHECKING, Any

from untold.answers.estimate import Estimate, Interval
from untold.answers.optional import library
from untold.answers.result import Result
from untold.answers.text import as_text, write_text
from untold.errors import UntoldError

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[Any, ...]


class Answer:
    """Lazy: nothing runs until a value is asked for; then once, also if several threads ask. A failure is not kept.

    Every estimated column x comes with x_se, x_low and x_high. Estimates are unbiased: a small count may be negative. With
    plausible=True there are also x_best, a best guess, and x_typical, its typical error.
    """

    def __init__(self, sql: str, run: Callable[[], Result], poison: Callable[[float], pa.Table] | None = None) -> None:
        self.sql, self._poison = sql, poison
        self._run = run
        self._lock = Lock()
        self._result: Result | None = None
        self._walk: Iterator[Row] | None = None

    @property
    def result(self) -> Result:
        """The finished query, with everything known about it."""
        with self._lock:
            if self._result is None:
                self._result = self._run()
            return self._result

    def again(self) -> Answer:
        """The same question, asked anew when it is looked at."""
        return Answer(self.sql, self._run, self._poison)

    @property
    def columns(self) -> list[str]:
        """Names of the table's columns, those of the errors included."""
        return list(self.result.table.column_names)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that belong below the table."""
        return self.result.notes

    def arrow(self) -> pa.Table:
        """An Arrow table. Its metadata carry the SQL, the confidence and the notes, into Parquet files too."""
        about = {"sql": self.sql, "confidence": self.result.confidence, "notes": self.result.notes}
        table = self.result.table
        return table.replace_schema_metadata({**(table.schema.metadata or {}), b"untold": json.dumps(about).encode()})

    def df(self) -> pd.DataFrame:
        """A pandas data frame; days and times are datetime64."""
        library("pandas", "pandas", "Answer.df()")
        return self.result.table.to_pandas(date_as_object=False)

    def pl(self) -> pl.DataFrame:
        """A polars data frame."""
        return library("polars", "polars", "Answer.pl()").from_arrow(self.result.table)

    def spark(self, session: SparkSession | None = None) -> DataFrame:
        """A DataFrame of Spark: of a session, or of the one that runs."""
        sessions = library("pyspark.sql", "spark", "Answer.spark()").SparkSession
        if (running := session or sessions.getActiveSession()) is None:
            raise UntoldError("no Spark session runs here.\nHint: answer.spark(session), with a SparkSession.")
        return running.createDataFrame(self.result.table)

    def fetchall(self) -> list[Row]:
        """All rows as tuples, however many `fetchone` has given before."""
        return list(zip(*self.result.table.to_pydict().values(), strict=True))

    def fetchone(self) -> Row | None:
        """The first row, then the next; None after the last."""
        if self._walk is None:
            self._walk = iter(self)
        return next(self._walk, None)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.fetchall())

    def __len__(self) -> int:
        return int(self.result.table.num_rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.arrow().__arrow_c_stream__(requested_schema)

    def scalar(self) -> Estimate:
        """The one estimate of a query that has one row and one column."""
        result = self.result
        if len(result.columns) != 1 or len(result.estimates) != 1 or len(self) != 1:
            shape = f"{len(self)} x {len(result.columns)}, columns: {', '.join(c.name for c in result.columns)}"
            raise UntoldError(
                f"scalar() needs one row and one estimated column; this answer has rows x columns = {shape}.\n"
                "Hint: ask for one aggregate without GROUP BY, or use .fetchall(), .df() or .arrow()."
            )
        value, se, low, high, *best = next(iter(self))
        return Estimate(value, se * se, Interval(result.confidence, low, high), *best)

    def poisoned(self, share: float = 0.01) -> pa.Table:
        """How far this share of reports, chosen at will, could move each number at most: the keys, and a column x_moved for
        each estimate x. Infinite where nothing bounds it, nan where no bound is known (quantiles, variances)."""
        if not 0 < share < 1:
            raise UntoldError(
                f"share = {share}: of reports that lie, a number between 0 and 1, such as 0.01, is needed."
            )
        if self._poison is None:
            raise UntoldError("what lying devices could do to this answer is not known.")
        return self._poison(share)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write a Parquet file."""
        import pyarrow.parquet as pq

        pq.write_table(self.arrow(), path)

    def to_csv(self, path: str | PathLike[str], spreadsheet: bool = False) -> None:
        """Write a CSV file with a heading, exactly as the answer is: for programs.

        spreadsheet   for people who open it: text that a spreadsheet would run as a formula gets an apostrophe before it
        """
        from untold.answers.csv_file import write_csv

        write_csv(self.result.table, path, spreadsheet)

    def show(self, file: IO[str] | None = None, max_rows: int | None = 40) -> None:
        """Print the table with the notes below, to standard output or a file. A value ± half of its interval."""
        write_text(self.result, file, max_rows)

    def plot(self, path: str | PathLike[str] | None = None, kind: str | None = None) -> alt.TopLevelMixin:
        """An altair chart with intervals, saved if a path (.png, .svg, .html, .json) is given. See `plots.KINDS`."""
        from untold.answers.plots import draw, save

        chart = draw(self.result, kind)
        if path is not None:
            save(chart, path, self.result, self.sql)
        return chart

    def __repr__(self) -> str:
        return as_text(self.result)

    def _repr_html_(self) -> str:
        from untold.answers.html import as_html

        return as_html(self.result)
