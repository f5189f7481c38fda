"""Answers as a drawing: a dot and a line for each estimate and its interval, a tick for the truth. SVG without a library."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, isfinite, log10

from untold.answers.numbers import interval_text
from untold.commands.demo.compare import Line

WIDTH, ROW, TOP, BOTTOM = 760, 34, 10, 30
LEFT, RIGHT = 70, 210  # room for labels and for numbers
INTERVALS = 6  # between the marks of the axis, about


def figure(lines: Sequence[Line], unit: str) -> str:
    """One row per line, all on one axis that shows 0."""
    left = LEFT if any(line.label for line in lines) else 12
    ends = [end for line in lines for end in (line.low, line.high, line.truth, line.value) if isfinite(end)]
    marks = axis_marks(min(0.0, *ends), max(ends))
    low, high = marks[0], marks[-1]
    height = TOP + ROW * len(lines) + BOTTOM

    def x(value: float) -> float:
        inside = min(max(value, low), high)  # an unbounded interval ends where the axis ends
        return round(left + (WIDTH - left - RIGHT) * (inside - low) / (high - low), 1)

    below = TOP + ROW * len(lines)
    parts = [f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(_spoken(lines, unit))}">']
    for mark in marks:
        kind = "zero" if mark == 0 else "grid"
        parts.append(f'<line class="{kind}" x1="{x(mark)}" x2="{x(mark)}" y1="{TOP}" y2="{below}"/>')
        parts.append(f'<text class="axis" x="{x(mark)}" y="{below + 20}" text-anchor="middle">{short(mark)}</text>')
    for row, line in enumerate(lines):
        y = TOP + ROW * row + ROW / 2
        parts += [
            f'<g class="{"held" if line.covered else "missed"}">',
            f"<title>{escape(_spoken([line], unit))}</title>",
            f'<text x="{left - 12}" y="{y + 5}" text-anchor="end">{escape(line.label)}</text>' if line.label else "",
            f'<line class="interval" x1="{x(line.low)}" x2="{x(line.high)}" y1="{y}" y2="{y}"/>',
            f'<line class="end" x1="{x(line.low)}" x2="{x(line.low)}" y1="{y - 5}" y2="{y + 5}"/>',
            f'<line class="end" x1="{x(line.high)}" x2="{x(line.high)}" y1="{y - 5}" y2="{y + 5}"/>',
            f'<circle cx="{x(line.value)}" cy="{y}" r="5"/>',
            f'<circle class="closest" cx="{x(line.closest)}" cy="{y}" r="5"/>' if line.closest is not None else "",
            f'<line class="truth" x1="{x(line.truth)}" x2="{x(line.truth)}" y1="{y - 12}" y2="{y + 12}"/>',
            f'<text x="{WIDTH - RIGHT + 16}" y="{y + 5}">{escape(interval_text(line.value, line.low, line.high))}</text>',
            "</g>",
        ]
    return "\n".join([*filter(None, parts), "</svg>"])


def axis_marks(low: float, high: float) -> list[float]:
    """Round numbers that span low to high.

    >>> axis_marks(-3.2, 19)
    [-5.0, 0.0, 5.0, 10.0, 15.0, 20.0]
    """
    rough = (high - low) / INTERVALS
    power = 10.0 ** floor(log10(rough))
    step = next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= rough)
    return [round(i * step, 9) for i in range(floor(low / step), ceil(high / step) + 1)]


def short(value: float) -> str:
    """A number for an axis.

    >>> short(25000), short(-2500000), short(0)
    ('25k', '-2.5M', '0')
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _spoken(lines: Sequence[Line], unit: str) -> str:
    """The same in words, for those who cannot see it."""
    return "; ".join(
        f"{line.label + ': ' if line.label else ''}truth {line.truth:,.0f}, estimate {line.value:,.0f}, "
        f"interval {line.low:,.0f} to {line.high:,.0f} {unit}"
        + ("" if line.closest is None else f", best guess {line.closest:,.0f}")
        for line in lines
    )
