"""Charts as one HTML file that fetches nothing: the drawing library is inside, and the page forbids itself the network.

Values in a chart may come from a stranger's report, so no "<" of it reaches the page: a key `</script>` stays a key.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from untold.answers.optional import library
from untold.answers.plots.look import altair

POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"
MENU = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}, "renderer": "svg"}
STYLE = """
body { font: 16px/1.5 Helvetica, Arial, sans-serif; color: #222; background: #fff; }
body { max-width: 64em; margin: 2em auto; padding: 0 1em; }
figure { margin: 0 0 2.5em; overflow-x: auto; } pre { background: #f5f5f5; padding: 0.8em; overflow-x: auto; }
"""
SCRIPT = """
for (const holder of document.querySelectorAll('script[type="application/json"]')) {
  vegaEmbed('#' + holder.dataset.chart, JSON.parse(holder.textContent), %s).catch(console.error);
}
"""


@dataclass(frozen=True)
class Figure:
    """A chart with what stands around it: a heading, the SQL, and HTML that is safe already (`_repr_html_`)."""

    chart: Any
    heading: str = ""
    sql: str = ""
    below: str = ""


def page(title: str, figures: Sequence[Figure], introduction: str = "") -> str:
    """A whole HTML page. Without JavaScript the tables below the charts remain."""
    version = ".".join(altair().SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    bundle = library("vl_convert", "plots", "A plot in a file").javascript_bundle(vl_version=version)
    body = "\n".join(_figure(i, figure) for i, figure in enumerate(figures))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{f"<p>{escape(introduction)}</p>" if introduction else ""}
{body}
<script>{bundle}</script>
<script>{SCRIPT % json.dumps(MENU)}</script>
</body>
</html>
"""


def _figure(number: int, figure: Figure) -> str:
    spec = json.dumps(figure.chart.to_dict()).replace("<", "\\u003c")
    heading = f"<h2>{escape(figure.heading)}</h2>\n" if figure.heading else ""
    sql = f"<pre><code>{escape(figure.sql.strip())}</code></pre>\n" if figure.sql else ""
    return (
        f'<section>\n{heading}{sql}<figure><div id="chart-{number}"></div></figure>\n'
        f'<script type="application/json" data-chart="chart-{number}">{spec}</script>\n{figure.below}\n</section>'
    )
