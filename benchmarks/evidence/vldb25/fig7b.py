"""VLDB'25, Figure 7b once more: which reading of "26.04% below any single service" comes out, one assumption changed at a time.

The authors' public code ends EM as Li et al. do for SW: smoothed after every step, on 1,024 buckets, until a step moves the
log-likelihood by less than 0.001. It measures the divergence without the root that section 6.1.3 prints.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Outcome, Results, Table, Value
from benchmarks.evidence.line import above, between
from benchmarks.evidence.vldb25.counts import THREE, js
from benchmarks.evidence.vldb25.people import FINE, Floats, density
from untold.fusion.binning import usual_bins
from untold.fusion.maximise import maximise
from untold.fusion.tensor import Tensor, midpoints

EPSILON, STRETCHES, BINS, STOP, MOST = 0.1, 32, 64, 1e-3, 10_000
MANY, FEWER, SINE, NO_SINE = 1_000_000, 200_000, "Beta+Sin", "Beta(2,5)"
SMOOTHED, PLAIN = "smoothed", "plain"
ALONE = [kind.name for kind in THREE]


def cells() -> list[Cell]:
    found = [(15, FEWER, SMOOTHED, SINE), (3, FEWER, SMOOTHED, SINE), (15, FEWER, PLAIN, SINE)]
    found += [(15, FEWER, SMOOTHED, NO_SINE), (6, FEWER, SMOOTHED, SINE), (15, MANY, SMOOTHED, SINE)]
    return [{"services": m, "people": n, "steps": s, "data": d} for m, n, s, d in found]


@lru_cache(maxsize=1)
def kernel() -> Any:
    """One pass over people: log-likelihood, and for every stretch the sum of rows over what is expected of them."""
    from numba import njit

    def one_pass(rows: Any, mass: Any) -> Any:
        back, total, product = np.zeros(rows.shape[1]), 0.0, 1.0
        for i in range(rows.shape[0]):
            expected = 0.0
            for b in range(rows.shape[1]):
                expected += rows[i, b] * mass[b]
            product *= expected
            if i % 64 == 63:  # one logarithm for 64 people
                total += np.log(product)
                product = 1.0
            for b in range(rows.shape[1]):
                back[b] += rows[i, b] / expected
        return total + np.log(product), back

    return njit(one_pass, fastmath=True)


@dataclass(frozen=True, eq=False)
class Stretches:
    """What each person's reports say of each stretch of the line: steps of EM over finer buckets need no more."""

    rows: npt.NDArray[np.float32]  # people x stretches

    @property
    def people(self) -> float:
        return float(len(self.rows))

    @property
    def buckets(self) -> int:
        return FINE

    def step(self, found: Floats) -> tuple[float, Floats]:
        """As `Tensor.step`."""
        total, back = kernel()(self.rows, found.reshape(self.rows.shape[1], -1).sum(axis=1))
        return float(total), np.repeat(back, FINE // self.rows.shape[1])

    information = resampled = None  # not needed to climb


def run(cell: Cell, seed: int) -> Numbers:
    """One round: each person's number is at every service; the first of each kind is also taken alone."""
    rng, n = np.random.default_rng([77, seed]), int(cell["people"])
    held = rng.multinomial(n, density(str(cell["data"])))
    ends = np.concatenate([[0], np.cumsum(held)])
    rows = np.ones((n, STRETCHES), dtype=np.float32)
    likelihoods: dict[str, Any] = {}
    for j in range(int(cell["services"])):
        mechanism = THREE[j % 3](EPSILON)
        chances = mechanism.bin_probabilities(midpoints(mechanism, FINE), usual_bins(mechanism, BINS))
        sent = drawn(chances, ends, rng)
        coarse = chances.reshape(len(chances), STRETCHES, -1).mean(axis=2)
        rows *= (coarse / coarse.mean(axis=1, keepdims=True)).astype(np.float32)[sent]
        if j < 3:
            counts = np.bincount(sent, minlength=len(chances)).astype(np.float64)
            likelihoods[mechanism.name] = Tensor(counts[:, None], chances, np.ones((1, FINE)))
    likelihoods["ULE"] = Stretches(rows)
    smoothing = cell["steps"] == SMOOTHED
    fits = {k: maximise(x, smoothing, STOP, MOST, accelerate=False).density for k, x in likelihoods.items()}
    numbers = {k: js(fit, held / n) for k, fit in fits.items()}
    numbers |= {f"squared {k}": x**2 for k, x in numbers.items()}
    differences = {f"{p}ULE - {k}": numbers[f"{p}ULE"] - numbers[f"{p}{k}"] for k in ALONE for p in ("", "squared ")}
    return numbers | differences


def drawn(chances: Floats, ends: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """The bin of everybody's report; people are in the order of their numbers."""
    below, uniform = np.cumsum(chances, axis=0), rng.random(int(ends[-1]))
    sent = np.empty(len(uniform), dtype=np.int64)
    for bucket, (start, end) in enumerate(itertools.pairwise(ends)):
        sent[start:end] = np.searchsorted(below[:-1, bucket], uniform[start:end])
    return sent


def gain(o: Outcome, over: str, squared: bool = False) -> Estimate:
    """By which share ULE is below one service, in per cent; its error is of the paired rounds."""
    p = "squared " if squared else ""
    return Estimate(
        -o.mean[f"{p}ULE - {over}"] / o.mean[p + over], o.error[f"{p}ULE - {over}"] / o.mean[p + over]
    ).percent()


def best(o: Outcome) -> str:
    """The service with the smallest mean divergence."""
    return min(ALONE, key=lambda name: o.mean[name])


def first(results: Results, services: int) -> Outcome:
    """The authors' way with so many services."""
    (found,) = results.where(services=services, people=FEWER, steps=SMOOTHED, data=SINE)
    return found


def rows_of(results: Results) -> Sequence[Sequence[Value | Estimate]]:
    return [
        [
            o.cell["services"], o.cell["people"], o.cell["steps"], o.cell["data"],
            Estimate(o.mean["ULE"], o.error["ULE"]), best(o), gain(o, best(o)), gain(o, best(o), True), gain(o, "sr"),
        ]
        for o in results.outcomes
    ]  # fmt: skip


def label(o: Outcome) -> str:
    """What is changed, with 15 services."""
    if o.cell["people"] == MANY:
        return "1m people"
    return "no sine" if o.cell["data"] == NO_SINE else str(o.cell["steps"])


def draw(results: Results) -> object:
    def points(across: Callable[[Outcome], str], chosen: Sequence[Outcome]) -> list[Point]:
        return [Point(across(o), o.mean[x], x, o.error[x]) for x in ("ULE", *ALONE) for o in chosen]

    several = [o for m in (3, 6, 15) for o in results.where(services=m, people=FEWER, steps=SMOOTHED, data=SINE)]
    panels = [
        Panel("By number of services", "services", "JS divergence", points(lambda o: str(o.cell["services"]), several)),
        Panel("15 services, by reading", "changed", "JS divergence", points(label, results.where(services=15))),
    ]
    return lines(panels, ours=("ULE",), columns=2)


def findings(results: Results) -> list[str]:
    o = first(results, 15)
    told = ", ".join(f"{gain(o, name).value:.0f}% below {name}" for name in ALONE)
    return [
        "The paper does not print its sine, and its formula of the divergence has a root that its public code leaves out. So "
        "readings are shown here, each with one assumption changed. The small gain in figure 7 comes from the estimator: there "
        "every service alone is estimated by the same log-spline as ULE, which is already close. EM that stops as in the "
        f"authors' code, smoothed or not, leaves a single service farther from the truth at epsilon {EPSILON}. Then ULE with 15 "
        f"services is {told}.",
        "EM starts from an even spread, and a step is longer the more the reports say. So fifteen services come nearer to the "
        "truth than one before it stops.",
    ]


FIG7B = Exhibit(
    id="vldb25_fig7b",
    title="Figure 7b by other readings",
    what="By which share ULE is below single services, with EM ended as in the authors' public code, by assumption.",
    parameters={"epsilon": EPSILON, "services": "SR, PM, SW in turn", "buckets": FINE, "stop": f"a step adds less than {STOP}",
                "a person's likelihood": f"on {STRETCHES} stretches", "steps": f"at most {MOST:,}"},
    cells=cells,
    run=run,
    runs=6,
    claims=(
        Claim("ULE with 15 services is below the best single one by", "26.04%", "stated in the text; within 10 points",
              lambda r: gain(first(r, 15), best(first(r, 15))), between(16, 36)),
        Claim("with 15 services by more than with 3 (difference)", "above 0", "stated in the text",
              lambda r: gain(first(r, 15), best(first(r, 15))) - gain(first(r, 3), best(first(r, 3))), above(0)),
    ),
    draw=draw,
    tables=(
        Table(["services", "people", "EM", "data", "ULE", "best service", "ULE below it by", "by, without the root", "below SR by"],
              rows_of),
    ),
    findings=findings,
    uses=("benchmarks.evidence.vldb25.people", "benchmarks.evidence.vldb25.counts", "untold.fusion.maximise"),
)  # fmt: skip
