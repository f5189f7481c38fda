"""An answer in a notebook: one small table that needs nothing from outside and takes its colours from the page."""

from __future__ import annotations

from html import escape

from untold.answers.cells import caption, printable, rows_as_text
from untold.answers.result import Result

MOST_ROWS = 200
PADDING = "padding:0.2em 0.8em;"
NUMBER = f"{PADDING}text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;"
TEXT = f"{PADDING}text-align:left;font-weight:normal;"
CAPTION = "caption-side:bottom;text-align:left;padding-top:0.4em;white-space:nowrap;"


def as_html(result: Result, max_rows: int = MOST_ROWS) -> str:
    """A table with headings for columns and rows, a caption, and the notes as a list below."""
    shown = min(max_rows, result.table.num_rows)
    heads = "".join(
        f'<th scope="col" style="{TEXT if c.is_key else NUMBER}font-weight:bold;">{_safe(c.label)}</th>'
        for c in result.columns
    )
    rows = "\n".join(f"<tr>{_row(result, cells)}</tr>" for cells in rows_as_text(result, shown))
    notes = "".join(f"<li>{_safe(note)}</li>" for note in result.notes)
    return (
        f'<div class="untold-answer">\n<table style="border-collapse:collapse;">\n'
        f'<caption style="{CAPTION}">{_safe(caption(result, shown))}</caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n"
        + (f'<ul aria-label="Notes">{notes}</ul>\n' if notes else "")
        + "</div>"
    )


def _row(result: Result, cells: tuple[str, ...]) -> str:
    return "".join(
        f'<th scope="row" style="{TEXT}">{_safe(cell)}</th>'
        if column.is_key
        else f'<td style="{NUMBER}">{_safe(cell)}</td>'
        for column, cell in zip(result.columns, cells, strict=True)
    )


def _safe(text: str) -> str:
    return escape(printable(text))
