"""A picture of a stream and its release. Altair is imported when a picture is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

POINTS = 400  # the stream is shown as means over about this many windows


def plot_release(values: npt.ArrayLike, released: npt.ArrayLike, start: int = 0, title: str = "") -> Any:
    """Means of true and released values over equal windows, as an Altair chart: `.save("file.html")` or ".png".

    `values[i]` belongs to `released[i]`, both at position start + i. True values are for the curator's eyes only.
    """
    import altair as alt

    from untold.answers.plots.offline import offline

    rows = windows(values, released, start)
    return offline(
        alt.Chart(alt.Data(values=rows), title=title or "Stream and release")
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("position:Q", title="position in the stream"),
            y=alt.Y("mean:Q", title="mean over a window", scale=alt.Scale(zero=False)),
            color=alt.Color("series:N", title=None),
        )
        .properties(width=720, height=320)
    )


def windows(values: npt.ArrayLike, released: npt.ArrayLike, start: int = 0) -> list[dict[str, Any]]:
    """Rows of (position, series, mean)."""
    pair = [np.asarray(x, dtype=np.float64) for x in (values, released)]
    if len(pair[0]) != len(pair[1]):
        raise ValueError(f"{len(pair[0])} values but {len(pair[1])} released ones: leave out the warm-up")
    width = max(1, -(-len(pair[0]) // POINTS))
    cuts = np.arange(0, len(pair[0]), width)
    sizes = np.diff([*cuts, len(pair[0])])
    return [
        {"position": int(start + cut), "series": name, "mean": float(mean)}
        for name, array in zip(("true", "released"), pair, strict=True)
        for cut, mean in zip(cuts, np.add.reduceat(array, cuts) / sizes if len(cuts) else [], strict=True)
    ]
