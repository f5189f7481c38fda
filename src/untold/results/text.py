"""Draws an answer as a table of text for a terminal."""

from __future__ import annotations

import sys
from io import StringIO
from typing import IO

from untold.results.cells import caption, printable, rows_as_text
from untold.results.result import Result

WIDEST = 10_000  # a file or a pipe has no edge: lines are as long as they need to be
PLAIN = str.maketrans({"±": "+-", "∞": "inf", "…": "..."})  # for outputs that know no Unicode


def write_text(result: Result, file: IO[str] | None = None, max_rows: int | None = 40) -> None:
    """Print the table, the line below it and the notes to a file (standard output if None)."""
    from rich.box import ASCII, SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = sys.stdout if file is None else file
    unicode = _knows(out, "±∞…─")
    # In a notebook, rich would show the table in the notebook, whatever file was given.
    terminal = Console(file=out, force_jupyter=False).is_terminal
    width = None if terminal else WIDEST
    console = Console(file=out, width=width, highlight=False, safe_box=True, force_jupyter=False)
    table = Table(box=SIMPLE_HEAD if unicode else ASCII, pad_edge=False)

    def words(text: str, style: str = "") -> Text:
        text = text if unicode else text.translate(PLAIN)
        return Text(text if _knows(out, text) else text.encode("ascii", "backslashreplace").decode(), style=style)

    for column in result.columns:
        side = "left" if column.is_key and not _is_number(result, column.name) else "right"
        table.add_column(words(printable(column.label)), justify=side, overflow="fold")  # type: ignore[arg-type]
    for row in rows_as_text(result, max_rows):
        table.add_row(*map(words, row))
    shown = result.table.num_rows if max_rows is None else min(max_rows, result.table.num_rows)
    console.print(table)
    console.print(words(caption(result, shown), "dim"))
    if shown < result.table.num_rows:
        console.print(words("… .show(max_rows=None) shows all", "dim"))
    for note in result.notes:
        console.print(words(f"Note: {printable(note)}"))


def as_text(result: Result, max_rows: int | None = 40) -> str:
    """The same as one string without colours."""
    out = StringIO()
    write_text(result, out, max_rows)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")


def _knows(out: IO[str], text: str) -> bool:
    """Whether a file can hold these characters."""
    try:
        text.encode(getattr(out, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_number(result: Result, name: str) -> bool:
    kind = str(result.table.schema.field(name).type)
    return kind.startswith(("int", "uint", "float", "double", "decimal"))
