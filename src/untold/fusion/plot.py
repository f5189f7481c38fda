"""Charts of fused distributions; altair is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from untold.errors import UntoldError

if TYPE_CHECKING:
    from untold.fusion.results import FusedDistribution

MOST_POINTS = 256


def plot_distribution(result: FusedDistribution, reference: npt.ArrayLike | None, z: float) -> Any:
    """Density, band and reference as layers."""
    try:
        import altair as alt
    except ImportError as error:
        raise UntoldError("plots need altair: pip install 'untold[plots]'") from error
    size = max(1, -(-len(result.probabilities) // MOST_POINTS))
    width = (result.high - result.low) / len(result.probabilities) * size
    middles, groups = _sums(result.middles / size, size), _sums(result.probabilities, size)
    errors = np.linalg.norm(_sums(result.factor, size), axis=1)
    rows = [
        {"x": x, "density": p / width, "low": max(0.0, p - z * e) / width, "high": (p + z * e) / width, "of": "fused"}
        for x, p, e in zip(middles.tolist(), groups.tolist(), errors.tolist(), strict=True)
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(x=alt.X("x:Q", title="value"))
    layers = [
        base.mark_area(opacity=0.25).encode(y=alt.Y("low:Q", title="density"), y2="high:Q"),
        base.mark_line().encode(y="density:Q", color="of:N"),
    ]
    if reference is not None:
        truth = np.asarray(reference, dtype=np.float64)
        if len(truth) != len(result.probabilities):
            raise ValueError(f"the reference has {len(truth)} buckets, the distribution {len(result.probabilities)}")
        shown = _sums(truth / truth.sum(), size) / width
        points = [
            {"x": x, "density": y, "of": "reference"} for x, y in zip(middles.tolist(), shown.tolist(), strict=True)
        ]
        line = alt.Chart(alt.Data(values=points)).mark_line(strokeDash=[4, 2])
        layers.append(line.encode(x="x:Q", y="density:Q", color="of:N"))
    from untold.answers.plots.offline import offline

    title = f"{result.method}, {result.people} people"
    return offline(alt.layer(*layers).properties(width=560, height=280, title=title))


def _sums(values: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.float64]:
    """Sums of `size` neighbours; the last group may be smaller."""
    return np.add.reduceat(values, np.arange(0, len(values), size), axis=0)
