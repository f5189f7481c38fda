"""The tour as one HTML file that needs nothing else: no script, no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from untold.commands.demo.compare import LARGE, Compared
from untold.commands.demo.figure import figure
from untold.commands.demo.person import Sent
from untold.commands.demo.speech import cost, covered, meaning, precision, precision_made, record_lines, report_lines
from untold.plan import Plan

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #656d76; --paper: #fff; --card: #f6f8fa; --line: #d8dee4;
        --blue: #0072b2; --red: #d55e00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --paper: #0d1117; --card: #161b22;
        --line: #30363d; --blue: #56b4e9; --red: #e69f00; } }
body { font: 16px/1.55 system-ui, Helvetica, Arial, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 50em; margin: 2.5em auto 4em; padding: 0 1.2em; }
h1 { font-size: 1.9em; line-height: 1.2; margin: 0 0 .3em; } h2 { font-size: 1.3em; margin: 2.2em 0 .6em; }
h3 { font-size: 1.08em; margin: 0 0 .3em; } p { margin: .4em 0; } .soft { color: var(--soft); }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 1em; } @media (max-width: 40em) { .two { grid-template-columns: 1fr; } }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .9em 1.1em; }
.card h3 { font-size: .95em; color: var(--soft); font-weight: 600; }
pre, code { font: 13.5px/1.5 ui-monospace, Menlo, Consolas, monospace; } pre { margin: 0; white-space: pre-wrap; }
section { border-top: 1px solid var(--line); padding: 1.4em 0 1em; } section pre { color: var(--soft); }
svg { display: block; width: 100%; height: auto; margin: .8em 0 .3em; font-size: 14px; } svg text { fill: var(--ink); }
svg .axis { fill: var(--soft); font-size: 12.5px; } .grid { stroke: var(--line); } .zero { stroke: var(--soft); }
.interval { stroke: var(--blue); stroke-width: 3; } .end { stroke: var(--blue); stroke-width: 2; } circle { fill: var(--blue); }
.missed .interval, .missed .end { stroke: var(--red); } .missed circle { fill: var(--red); }
circle.closest, .missed circle.closest { fill: var(--paper); stroke: var(--blue); stroke-width: 2; }
.truth { stroke: var(--ink); stroke-width: 3; }
.key { display: inline-block; width: 5.4em; height: 1.5em; vertical-align: middle; margin: 0; }
.key svg { margin: 0; }
.precision { display: inline-block; background: var(--card); border-radius: 6px; padding: .1em .6em; font-size: .92em; }
"""
KEY = """<p class="soft">
<span class="key"><svg viewBox="0 0 80 24" aria-hidden="true">
<line class="interval" x1="8" x2="72" y1="12" y2="12"/><circle cx="40" cy="12" r="5"/>
<line class="end" x1="8" x2="8" y1="7" y2="17"/><line class="end" x1="72" x2="72" y1="7" y2="17"/>
</svg></span> estimate and its 95% interval &nbsp;
<span class="key" style="width:1.6em"><svg viewBox="0 0 24 24" aria-hidden="true">
<line class="truth" x1="12" x2="12" y1="1" y2="23"/></svg></span> the truth, which only this simulation knows &nbsp;
<span class="key" style="width:1.6em"><svg viewBox="0 0 24 24" aria-hidden="true">
<circle class="closest" cx="12" cy="12" r="5"/></svg></span> best guess, where it differs: a biased point, in
the interval of the unbiased one &nbsp;
<span style="color:var(--red);white-space:nowrap">&#9679; interval that misses it</span></p>"""


def demo_page(
    plan: Plan,
    record: Mapping[str, Any],
    bought: Sequence[Mapping[str, Any]],
    sent: Sequence[Sent],
    done: Sequence[Compared],
) -> str:
    """A whole page."""
    people = done[0].people
    sections = "\n".join(_section(number, each) for number, each in enumerate(done, 1))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>untold: answers from data that nobody disclosed</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Answers from data that nobody disclosed</h1>
<p class="soft">A shop with {people:,} made-up people. Each device perturbed its own record before sending anything. The
questions below were answered from those reports alone. Everybody reported once more under a plan that was made for these
questions, at the same epsilon: how much closer that comes stands below each.</p>
<h2>One person, and what leaves the device</h2>
<div class="two">{_card(record_lines(record, bought))}{_card(report_lines(record, sent))}</div>
<p>{escape(meaning(sent[0]))}</p>
<p>{escape(cost(plan))}</p>
<h2>Eight questions</h2>
<p>Of 100 intervals of 95%, 5 miss the truth on average: of the 20 below, about one.</p>
{KEY}
{sections}
<section>
<p><strong>{escape(covered(done))}</strong></p>
<p class="soft">Noise is the price: it hides each person, and only numbers of people wash it out. With {LARGE // 10**6} million
people the same questions would be {(LARGE / people) ** 0.5:.0f} times as precise. Forecasts are made from the plan alone,
for values spread evenly; <code>untold forecast</code> makes them before anything is collected.</p>
</section>
</body>
</html>
"""


def _section(number: int, done: Compared) -> str:
    return (
        f"<section>\n<h3>{number}. {escape(done.asked.words)}</h3>\n<pre>{escape(done.asked.sql)}</pre>\n"
        f'{figure(done.lines, done.asked.unit)}\n<p><span class="precision">{escape(precision(done))}</span></p>\n'
        f"{_made(done)}"
        f'<p class="soft">{escape(done.asked.remark)}</p>\n</section>'
    )


def _made(done: Compared) -> str:
    told = precision_made(done)
    return "" if told is None else f'<p><span class="precision">{escape(told)}</span></p>\n'


def _card(lines: Sequence[str]) -> str:
    head, *body = map(escape, lines)
    rows = "\n".join(body)
    return f'<div class="card"><h3>{head}</h3><pre>{rows}</pre></div>'
