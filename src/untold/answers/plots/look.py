"""What all charts share: fonts, colours that the colour-blind can tell apart, titles that say what is seen."""

from __future__ import annotations

from statistics import median
from textwrap import wrap
from typing import Any

from untold.answers.cells import printable
from untold.answers.numbers import count_text, percent_text
from untold.answers.optional import library
from untold.answers.plots.rows import Rows
from untold.answers.result import OutputColumn, Result

BLUE = "#0072B2"  # of the palette of Okabe and Ito
PALE = "#A9CCE3"
LINES = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222", "#F0E442")  # of the same palette
INK = "#222222"
GREY = "#767676"
FONT = "Helvetica, Arial, DejaVu Sans, sans-serif"
TITLE_WIDTH = 76  # characters
WIDTH = 480  # pixels of a panel
FEWEST_FOR_AN_AXIS = 3  # rows with an interval
LONGER = 8  # than the median: an interval that an axis is not stretched for


def altair() -> Any:
    """The library that draws."""
    return library("altair", "plots", "A plot")


def finish(result: Result, panels: list[Any], across: bool, remarks: list[str]) -> Any:
    """Panels beside or below each other, with a title that states the estimates and the confidence."""
    alt = altair()
    chart = panels[0] if len(panels) == 1 else (alt.hconcat if across else alt.vconcat)(*panels, spacing=30)
    title = headline(result)
    below = [f"{count_text(result.reports, 'report')} of {count_text(result.users, 'user')}", *remarks, *result.notes]
    subtitle = [line for sentence in below for line in wrap(printable(sentence), TITLE_WIDTH + 14)]
    lines = wrap(title, TITLE_WIDTH)
    return (
        chart.properties(
            title=alt.TitleParams(text=lines if len(lines) > 1 else title, subtitle=subtitle),
            description=". ".join([title, *below]),
            padding=16,
            background="white",
        )
        .configure(font=FONT)
        .configure_title(
            anchor="start", fontSize=18, color=INK, offset=16,
            subtitleFontSize=13, subtitleColor=GREY, subtitlePadding=6,
        )
        .configure_axis(
            labelFontSize=13, labelColor=INK, labelLimit=280,
            titleFontSize=14, titleFontWeight="normal", titleColor=INK,
            gridColor="#E6E6E6", domainColor="#AAAAAA", tickColor="#AAAAAA", titlePadding=10,
        )
        .configure_legend(labelFontSize=13, titleFontSize=13, titleFontWeight="normal", titleLimit=280)
        .configure_view(stroke=None)
    )  # fmt: skip


def headline(result: Result) -> str:
    """What is drawn: "n by state, with 95% intervals"."""
    keys = " and ".join(key.label for key in result.keys)
    names = [column.label for column in result.estimates]
    what = " and ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])
    share = percent_text(result.confidence)
    one = len(names) == 1 and result.table.num_rows == 1
    if any(column.has_best for column in result.estimates):
        by = f" by {keys}" if keys else ""
        return printable(f"{what}{by}: best guess, typical error (thick), guaranteed {share} interval (thin)")
    return printable(
        f"{what}{f' by {keys}' if keys else ''}, with {f'its {share} interval' if one else f'{share} intervals'}"
    )


def tooltip(result: Result, estimate: OutputColumn) -> list[Any]:
    """Keys, the value with its interval, and the standard error."""
    alt = altair()
    keys = [alt.Tooltip(field=f"label{i}", type="nominal", title=key.label) for i, key in enumerate(result.keys)]
    value = alt.Tooltip(field="text", type="nominal", title=estimate.label)
    return [*keys, value, alt.Tooltip(field="se", type="nominal", title="standard error")]


def wild(rows: Rows) -> Rows:
    """The rows whose intervals are so much longer than those of the others that an axis for them would squeeze the others."""
    lengths = [row["high"] - row["low"] for row in rows if row["bounded"]]
    if len(lengths) < FEWEST_FOR_AN_AXIS:
        return []
    most = LONGER * median(lengths)
    return [row for row in rows if row["bounded"] and row["high"] - row["low"] > most > 0]


def _tame(rows: Rows) -> Rows:
    left = {id(row) for row in wild(rows)}
    return [row for row in rows if id(row) not in left]


def _ends(rows: Rows) -> list[float]:
    return [end for row in rows for end in (row["low"], row["value"], row["high"]) if end is not None]


def scale_of(rows: Rows, zero: bool) -> Any:
    """An axis for most rows: a few wild ones end where it ends."""
    alt, kept = altair(), _tame(rows)
    if len(kept) == len(rows):
        return alt.Scale(zero=zero, nice=True)
    ends = _ends(kept) + ([0.0] if zero else [])
    return alt.Scale(domain=[min(ends), max(ends)], clamp=True, nice=True, zero=False)


def starts_at_zero(rows: Rows) -> bool:
    """Whether an axis of these values should show 0: not if they are all far from it."""
    ends = _ends(_tame(rows))
    return not (min(ends) > 0.5 * max(ends) > 0 or max(ends) < 0.5 * min(ends) < 0)


def crosses_zero(rows: Rows) -> bool:
    """Whether an interval reaches below 0."""
    return any(end is not None and end < 0 for row in rows for end in (row["low"], row["value"]))
