"""Saves charts as files, without a network."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from untold.answers.html import as_html
from untold.answers.optional import library
from untold.answers.plots.look import headline
from untold.answers.plots.page import Figure, page
from untold.answers.result import Result
from untold.errors import UntoldError

FORMATS = (".png", ".svg", ".html", ".json")
SHARPNESS = 2.0  # pixels of a PNG per pixel of the chart


def save(chart: Any, path: str | PathLike[str], result: Result, sql: str = "") -> None:
    """Write the chart in the format that the file's name asks for. An HTML page also has the SQL and the table."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in FORMATS:
        raise UntoldError(
            f"{target.name}: a chart is saved as {', '.join(FORMATS)}.\nHint: end the name with one of these."
        )
    if ending == ".html":
        below = as_html(result)
        target.write_text(page(headline(result), [Figure(chart, sql=sql, below=below)]), encoding="utf-8")
        return
    if ending != ".json":
        library("vl_convert", "plots", "A plot in a file")
    chart.save(str(target), format=ending[1:], scale_factor=SHARPNESS if ending == ".png" else 1.0)
