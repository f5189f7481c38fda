"""Few things: their noise takes few values, and 1.96 standard errors may hold less often than 95%.

Six products that answer yes or no are wrong about 0, 1, 2, ... of them, so the error of a total is a sum of a few jumps, and
which ones are possible depends on what is true of them. All probabilities of a report are known. So the law of that sum is
computed for several truths, and errors are stretched to where 95% of it lie in the worst of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from untold.ask.forecast.expected_moments import spread
from untold.ask.question.model import Floats
from untold.ask.scores.compile import Compiled
from untold.plan.designs import Design

MOST_THINGS = 100  # beyond, a single one hardly shows
MOST_MESSAGES = 256  # beyond, scores take many values
MOST_CASES = 64  # of what a thing may hold, evenly chosen
TRUTHS = 8  # how many truths are tried, and one more
GRID, FINENESS = 4096, 128  # places of a law, and how many of them are one standard error
LEVEL = 0.95  # where a law is met
NORMAL = NormalDist().inv_cdf(0.5 + LEVEL / 2)  # standard errors to there, of a normal one


@dataclass(frozen=True, eq=False)
class Laws:
    """The scores of every message, (functions, messages), and how likely it is in each case, (cases, messages)."""

    scores: Floats
    chances: Floats


def laws_of(compiled: Compiled, functions: int, things: int) -> Laws | None:
    """Those of the things' reports. None where there are so many things or messages that errors are normal."""
    scan = compiled.scan
    designs = {id(column.design): column.design for column in scan.columns}
    if len(designs) != 1 or things > MOST_THINGS:
        return None
    (design,) = designs.values()
    if not design.listed or design.messages_per_report > 1 or design.messages > MOST_MESSAGES:
        return None
    scores = np.zeros((functions, design.messages))
    for own, number in zip(scores, compiled.groups[0][1][:functions], strict=True):
        for piece in scan.totals[number]:
            own += piece.coefficient * np.prod([scan.columns[c].vector for c in piece.columns], axis=0)
    return Laws(scores, np.array(list(_chances(design))))


def _chances(design: Design) -> Iterator[Floats]:
    """Of every message, for what a thing may hold."""
    sizes = [tree.size for tree in design.space.trees[: design.attributes]]
    number = int(np.prod(sizes))
    for case in range(0, number, -(-number // MOST_CASES)):
        codes = np.unravel_index(case, sizes)
        held = tuple(tuple(np.eye(size)[code]) for size, code in zip(sizes, codes, strict=True))
        views = enumerate(design.views)
        yield np.concatenate(
            [float(design.probability(v)) * view.oracle.listed.chances(spread(design, v, held)) for v, view in views]  # type: ignore[union-attr]
        )


def stretch(laws: Laws, weights: Floats, rest: float) -> float:
    """How much longer than 1.96 standard errors an interval must be, at least 1.

    weights[thing, function] multiply the scores of a thing; `rest` is the variance of an independent normal error.
    """
    said = weights @ laws.scores
    means = said @ laws.chances.T
    n, things = len(weights), np.arange(len(weights))
    cases = np.argmin(means, axis=1), np.argmax(means, axis=1)  # of each thing, what makes the total least, and most
    errors = [said - means[things, case][:, None] for case in cases]
    squares = [(error**2 * laws.chances[case]).sum(axis=1) for error, case in zip(errors, cases, strict=True)]
    unit = float(np.sqrt(max(each.sum() for each in squares) + rest)) / FINENESS
    if not np.isfinite(unit) or unit == 0:
        return 1.0
    least, most = (
        np.array([_spectrum(own / unit, laws.chances[c]) for own, c in zip(error, case, strict=True)])
        for error, case in zip(errors, cases, strict=True)
    )
    normal = np.exp(-rest / unit**2 / 2 * (2 * np.pi * np.fft.rfftfreq(GRID)) ** 2)
    longest = 1.0
    for many in {round(n * part / TRUTHS) for part in range(TRUTHS + 1)}:
        true = (things + 1) * many // n > things * many // n  # so many things, evenly taken
        law = np.fft.irfft(normal * np.where(true[:, None], most, least).prod(axis=0), GRID)
        size = np.sqrt(np.where(true, squares[1], squares[0]).sum() + rest)
        longest = max(longest, _reach(law) * unit / float(NORMAL * size))
    return longest


def _spectrum(errors: Floats, chances: Floats) -> npt.NDArray[np.complex128]:
    """Of the law of one thing's error. What lies between two places is shared out so that its mean stays."""
    place = np.floor(errors).astype(np.int64)
    upper = chances * (errors - place)
    law = np.bincount(place % GRID, chances - upper, GRID) + np.bincount((place + 1) % GRID, upper, GRID)
    return np.fft.rfft(law)


def _reach(law: Floats) -> float:
    """How many places from 0 on both sides hold 95%, and one more, as an error may lie between two."""
    half = GRID // 2
    within = np.cumsum(law[:half] + np.concatenate(([0.0], law[:half:-1])))
    at = int(np.searchsorted(within, LEVEL))
    below = within[at - 1] if at else 0.0
    return at + float((LEVEL - below) / (within[at] - below))
