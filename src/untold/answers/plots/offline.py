"""Charts that notebooks show without the internet.

altair hands a notebook the specification of a chart, and a script that fetches Vega from a server. Ours come as a drawing
(SVG), made here. It is still an altair chart: it can be changed, and `.plot("chart.html")` writes one with tooltips.
"""

from __future__ import annotations

from typing import Any


class Offline:
    """What a notebook asks of a chart, before it asks altair."""

    def _repr_mimebundle_(self, *_: Any, **__: Any) -> dict[str, str]:
        from untold.answers.optional import library

        svg = library("vl_convert", "plots", "A plot in a notebook").vegalite_to_svg(self.to_dict())  # type: ignore[attr-defined]
        return {"image/svg+xml": svg, "text/plain": f"<{type(self).__name__}>"}


def offline(chart: Any) -> Any:
    """The chart, and everything made of it by its methods, as a drawing in notebooks."""
    if not isinstance(chart, Offline):
        object.__setattr__(chart, "__class__", _kind(type(chart)))  # altair takes others for properties
    return chart


_kinds: dict[Any, type] = {}


def _kind(kind: Any) -> type:
    """A class of altair with ours before it, made once."""
    if kind not in _kinds:
        _kinds[kind] = type(kind.__name__, (Offline, kind), {})
    return _kinds[kind]
