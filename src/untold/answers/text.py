"""Draws an answer as a table of text for a terminal."""

from __future__ import annotations

import sys
from io import StringIO
from typing import IO

from untold.answers.cells import caption, printable, rows_as_text
from untold.answers.plain_table import BOLD, DIM, Side, fits, plain_width, styled, table_lines
from untold.answers.result import OutputColumn, Result

WIDEST = 10_000  # a file or a pipe has no edge: lines are as long as they need to be
PLAIN = str.maketrans({"±": "+-", "∞": "inf", "…": "..."})  # for outputs that know no Unicode


def write_text(result: Result, file: IO[str] | None = None, max_rows: int | None = 40) -> None:
    """Print the table, the line below it and the notes to a file (standard output if None)."""
    out = sys.stdout if file is None else file
    unicode = _knows(out, "±∞…─")

    def words(text: str) -> str:
        text = text if unicode else text.translate(PLAIN)
        return text if _knows(out, text) else text.encode("ascii", "backslashreplace").decode()

    shown = result.table.num_rows if max_rows is None else min(max_rows, result.table.num_rows)
    header = [words(printable(column.label)) for column in result.columns]
    sides = [_side(result, column) for column in result.columns]
    rows = [[words(cell) for cell in row] for row in rows_as_text(result, max_rows)]
    below = [words(caption(result, shown))]
    below += [words("… .show(max_rows=None) shows all")] if shown < result.table.num_rows else []
    notes = [words(f"Note: {printable(note)}") for note in result.notes]
    width = plain_width(out, WIDEST) if unicode and header else None
    if width is not None:
        lines = table_lines(header, rows, sides)
        if fits([*lines, *below, *notes], width):
            lines[1] = styled(lines[1], BOLD, out)
            out.write("\n".join([*lines, *(styled(line, DIM, out) for line in below), *notes, ""]))
            return
    _write_rich(out, unicode, (header, rows, sides), below, notes)


def _write_rich(
    out: IO[str],
    unicode: bool,
    table: tuple[list[str], list[list[str]], list[Side]],
    below: list[str],
    notes: list[str],
) -> None:
    """By rich, which folds what is too wide, knows how wide every character is, and what a terminal can show."""
    from rich.box import ASCII, SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # In a notebook, rich would show the table in the notebook, whatever file was given.
    terminal = Console(file=out, force_jupyter=False).is_terminal
    width = None if terminal else WIDEST
    console = Console(file=out, width=width, highlight=False, safe_box=True, force_jupyter=False)
    drawn = Table(box=SIMPLE_HEAD if unicode else ASCII, pad_edge=False)
    header, rows, sides = table
    for label, side in zip(header, sides, strict=True):
        drawn.add_column(Text(label), justify=side, overflow="fold")
    for row in rows:
        drawn.add_row(*map(Text, row))
    console.print(drawn)
    for line in below:
        console.print(Text(line, style="dim"))
    for note in notes:
        console.print(Text(note))


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


def _side(result: Result, column: OutputColumn) -> Side:
    return "left" if column.is_key and not _is_number(result, column.name) else "right"


def _is_number(result: Result, name: str) -> bool:
    kind = str(result.table.schema.field(name).type)
    return kind.startswith(("int", "uint", "float", "double", "decimal"))
