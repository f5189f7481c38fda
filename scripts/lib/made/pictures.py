"""The pictures of the pages, each light and dark: docs/images/NAME-light.svg and NAME-dark.svg."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from datetime import date
from math import atan2, degrees, log10
from pathlib import Path

from made.drawing import LOOKS, Colours, Drawing
from made.expectations import QUESTIONS, width


def flow(colours: Colours) -> Drawing:
    """A record becomes a report; reports become an answer."""
    draw = Drawing(640, 400, "A record becomes one report; the scores of many reports add up to an answer", colours)
    draw.text(10, 22, "On Ada's phone", colours.faint, 16, 600)
    draw.box(10, 34, 620, 150)
    draw.box(26, 50, 166, 118, fill="none")
    for row, words in enumerate(("age 42", "income 98,000", "state NY")):
        draw.text(42, 82 + 26 * row, words)
    draw.text(42, 158, "never sent", colours.second, 15)
    draw.line([(194, 109), (246, 109)], colours.faint, arrow=True)
    draw.box(250, 62, 166, 94, fill="none")
    draw.text(333, 92, "pick one view,", anchor="middle")
    draw.text(333, 116, "toss coins", anchor="middle")
    draw.text(333, 142, "by chance", colours.second, 15, anchor="middle")
    draw.line([(418, 109), (464, 109)], colours.faint, arrow=True)
    draw.box(468, 62, 146, 94, colours.strong, "none")
    draw.text(541, 92, "report", colours.strong, anchor="middle", weight=600)
    draw.text(541, 118, "1,318", colours.strong, 20, 600, "middle")
    draw.text(541, 142, "all that is sent", colours.faint, 15, anchor="middle")
    draw.line([(541, 158), (541, 196), (110, 196), (110, 240)], colours.faint, arrow=True)
    draw.text(130, 228, "At the collector: reports of everybody", colours.faint, 16, 600)
    draw.box(10, 244, 200, 116, fill="none")
    for row, words in enumerate(("Ada    1,318", "Ben      402", "Cleo   1,318")):
        draw.text(30, 274 + 26 * row, words)
    draw.text(30, 350, "...", colours.faint)
    draw.line([(212, 302), (264, 302)], colours.faint, arrow=True)
    draw.box(268, 244, 150, 116, fill="none")
    draw.text(343, 274, "a score each", anchor="middle")
    for row, words in enumerate(("+3", "-1", "+3")):
        draw.text(343, 300 + 22 * row, words, colours.third, 17, 600, "middle")
    draw.line([(420, 302), (464, 302)], colours.faint, arrow=True)
    draw.box(468, 244, 162, 116, colours.strong, "none")
    draw.text(549, 276, "COUNT(*)", colours.faint, 15, anchor="middle")
    draw.text(549, 308, "40,000", colours.strong, 24, 600, "middle")
    draw.text(549, 336, "± 1,037", colours.strong, 18, anchor="middle")
    draw.text(320, 388, "The scores add up to the answer, on average.", colours.faint, 16, anchor="middle")
    return draw


def tree(colours: Colours) -> Drawing:
    """An interval tree over ages, and a view made of one of its levels and of states."""
    draw = Drawing(640, 430, "The tree of an attribute, and a view made of one of its levels", colours)
    draw.text(10, 22, "The tree of age: each level cuts all ages into equal parts", colours.faint, 16, 600)
    left, whole = 10, 620
    for level in range(4):
        parts, y = 2**level, 36 + 42 * level
        chosen = level == 2
        for part in range(parts):
            wide = whole / parts
            edge = colours.strong if chosen else colours.line
            draw.box(left + part * wide + 2, y, wide - 4, 32, edge, colours.box if not chosen else "none")
            low = part * 80 // parts
            words = f"{low} to {low + 80 // parts - 1}"
            draw.text(
                left + (part + 0.5) * wide,
                y + 22,
                words,
                colours.strong if chosen else colours.text,
                15,
                600 if chosen else 400,
                "middle",
            )
    draw.text(10, 240, "A view: one level of each attribute. Here age in 4 parts, and state", colours.faint, 16, 600)
    columns, rows = ("0 to 19", "20 to 39", "40 to 59", "60 to 79"), ("NY", "WA", "CA")
    for column, words in enumerate(columns):
        draw.text(150 + 120 * column, 276, words, colours.strong, 15, 600, "middle")
    for row, words in enumerate(rows):
        draw.text(52, 307 + 36 * row, words, colours.strong, 15, 600, "middle")
        for column in range(4):
            mine = (row, column) == (0, 2)
            draw.box(92 + 120 * column, 286 + 36 * row, 116, 32, colours.second if mine else colours.line)
    draw.text(390, 307, "Ada", colours.second, 15, 600, "middle")
    draw.text(10, 418, "A report speaks of one such view. Its coins hide which cell is Ada's.", colours.faint, 16)
    return draw


PEOPLE = tuple(10 ** (4 + step / 4) for step in range(13))
SHOWN = ("What share smokes?", "How many are 30 to 49?", "What is the average income of each region?")


def error(colours: Colours) -> Drawing:
    """Error against people, by the forecast."""
    draw = Drawing(640, 420, "The error of three questions against the number of people, at epsilon 1", colours)
    left, right, top, bottom = 70, 620, 50, 350
    draw.text(10, 24, "Error (half of the 95% interval), at epsilon 1", colours.faint, 16, 600)

    def place(people: float, share: float) -> tuple[float, float]:
        across = left + (right - left) * (log10(people) - 4) / 3
        return across, top + (bottom - top) * (0 - log10(share)) / 3

    for power in range(4):
        across, _ = place(10.0 ** (4 + power), 1)
        draw.line([(across, top), (across, bottom)], colours.line, 0.5)
        draw.text(
            across, bottom + 24, f"{10 ** (4 + power):,}", colours.faint, 15, anchor="middle" if power < 3 else "end"
        )
        _, down = place(10_000, 10.0**-power)
        draw.line([(left, down), (right, down)], colours.line, 0.5)
        draw.text(left - 8, down + 5, f"{100 * 10.0**-power:g}%", colours.faint, 15, anchor="end")
    draw.text((left + right) / 2, bottom + 50, "people who report", colours.faint, 16, anchor="middle")
    for words, colour in zip(SHOWN, (colours.third, colours.strong, colours.second), strict=True):
        found = [(people, width(QUESTIONS[words], 1.0, round(people))) for people in PEOPLE]
        points = [place(people, share) for people, share in found if share <= 1]
        draw.line(points, colour, 3)
        (x, y), (first, high) = points[-1], points[0]
        slope = degrees(atan2(y - high, x - first))
        draw.text((first + x) / 2, (high + y) / 2 - 10, words, colour, 15, 600, "middle", slope)
    return draw


TREND = Path(__file__).with_name(
    "trend.json"
)  # rows of the trend of examples/telemetry: day, estimate, low, high, truth


def trend(colours: Colours) -> Drawing:
    """A line with its band over thirty days, and the truth that nobody else knows."""
    draw = Drawing(640, 400, "Thirty days of reports: the estimate with its 95% band, and the truth", colours)
    rows = json.loads(TREND.read_text())
    left, right, top, bottom, most = 60, 620, 50, 340, 20
    draw.text(10, 24, "Devices that were late, by day", colours.faint, 16, 600)

    def place(number: int, percent: float) -> tuple[float, float]:
        return left + (right - left) * number / (len(rows) - 1), bottom - (bottom - top) * percent / most

    for percent in range(0, most + 1, 5):
        _, down = place(0, percent)
        draw.line([(left, down), (right, down)], colours.line, 0.5)
        draw.text(left - 8, down + 5, f"{percent}%", colours.faint, 15, anchor="end")
    for number in range(0, len(rows), 7):
        day = date.fromisoformat(rows[number][0])
        draw.text(
            place(number, 0)[0],
            bottom + 24,
            f"{day:%B} {day.day}",
            colours.faint,
            15,
            anchor="middle" if number else "start",
        )
    lows, highs = [place(n, row[2]) for n, row in enumerate(rows)], [place(n, row[3]) for n, row in enumerate(rows)]
    draw.area([*highs, *reversed(lows)], colours.strong)
    draw.line([place(n, row[1]) for n, row in enumerate(rows)], colours.strong, 2.5)
    draw.line([place(n, row[4]) for n, row in enumerate(rows)], colours.second, 1.5)
    draw.text(left, bottom + 52, "from reports, with 95% intervals", colours.strong, 15, 600)
    draw.text(left + 290, bottom + 52, "the truth", colours.second, 15, 600)
    return draw


PICTURES: dict[str, Callable[[Colours], Drawing]] = {"flow": flow, "tree": tree, "error": error, "trend": trend}


def badge(left: str, right: str) -> str:
    """Two words in two colours, which need no server."""
    wide, narrow = 7 * len(left) + 12, 7 * len(right) + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide + narrow}" height="20" role="img" font-size="11" '
        f'font-family="Verdana, DejaVu Sans, sans-serif" fill="#fff" text-anchor="middle">\n<title>{left}: {right}</title>\n'
        f'<rect width="{wide}" height="20" fill="#444"/><rect x="{wide}" width="{narrow}" height="20" fill="#2f55d4"/>\n'
        f'<text x="{wide / 2}" y="14">{left}</text><text x="{wide + narrow / 2}" y="14">{right}</text>\n</svg>\n'
    )


def badges() -> dict[str, str]:
    """What pyproject.toml says of the package."""
    told = tomllib.loads((Path(__file__).resolve().parents[3] / "pyproject.toml").read_text())["project"]
    python = told["requires-python"].removeprefix(">=") + " or newer"
    return {"badge-license.svg": badge("license", told["license"]), "badge-python.svg": badge("Python", python)}


def files() -> dict[str, str]:
    """Names and contents of all pictures."""
    return {
        f"{name}-{look}.svg": picture(colours).svg()
        for name, picture in PICTURES.items()
        for look, colours in LOOKS.items()
    } | badges()
