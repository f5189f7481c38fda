"""Totals of a star join, and their covariances, from the scores of things and the totals of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from untold.ask.estimates.measured import Measured
from untold.ask.estimates.totals import Totals, totals
from untold.ask.evidence.scanned import ScannedEvidence, scanned_question
from untold.ask.question.model import Floats
from untold.ask.scores.compile import Compiled
from untold.ask.scores.scan import Moments
from untold.ask.star.few import Laws, stretch
from untold.ask.star.parting import Share, Star


def scores_of(compiled: Compiled, moments: Sequence[Moments]) -> dict[object, Floats]:
    """For every thing that has reported: the score of each function, then of each product of two."""
    numbers = list(compiled.groups[0][1])
    return {group.key[0]: group.first[numbers] for group in moments}


def combined(
    star: Star,
    scores: Mapping[object, Floats],
    whole: tuple[Compiled, Sequence[Moments]],
    each: tuple[Compiled, Sequence[Moments]],
    laws: Laws | None = None,
) -> list[Measured]:
    """Totals and covariances of all groups, from one scan with the scores as public numbers and one for each thing by itself.

    laws    of the errors of things, where they are few
    """
    out = []
    single = {group.key: group for group in sorted(each[1], key=lambda group: str(group.key[-1]))}
    for group in whole[1]:
        things = [
            (scores[key[-1]], found) for key, found in single.items() if key[:-1] == group.key and key[-1] in scores
        ]
        first = 0
        for number_, (labels, shares) in enumerate(star.groups):
            own = slice(first, first + len(shares))
            first += len(shares)
            totals = _totals(whole[0], group, own)
            spread = np.zeros_like(totals.covariance)
            parts = [(z, _totals(each[0], found, own)) for z, found in things]
            for z, part in parts:
                spread += _noise(star, shares, z) * (np.outer(part.values, part.values) - _best(part))
            belongs = _belongs(star, shares)
            floor = belongs @ _best(totals) @ belongs.T  # sum of v_p x_p x_p is not below 0, though its estimate may be
            added = belongs @ (totals.covariance + spread) @ belongs.T
            alone = np.maximum(np.diag(added), np.diag(floor))
            if laws is not None and parts:
                people = np.array([part.values for _, part in parts])
                longer = _stretches(laws, shares, belongs, people, np.diag(floor))
                added, alone = added * np.outer(longer, longer), alone * longer**2
            out.append(Measured(group.key, number_, labels, Totals(belongs @ totals.values, added, floor, alone)))
    return out


def _stretches(laws: Laws, shares: Sequence[Share], belongs: Floats, people: Floats, rest: Floats) -> Floats:
    """For each total, how much longer its error must be since things are few. `people` has a row for each thing."""
    used = np.zeros((len(shares), len(laws.scores)))
    used[np.arange(len(shares)), [share.function for share in shares]] = 1.0
    return np.array([stretch(laws, (people * own) @ used, float(r)) for own, r in zip(belongs, rest, strict=True)])


def _best(part: Totals) -> Floats:
    """Covariances, each the best that is known by itself."""
    covariance = part.covariance.copy()
    np.fill_diagonal(covariance, part.variances)
    return covariance


def _totals(compiled: Compiled, group: Moments, own: slice) -> Totals:
    asked = scanned_question(compiled, np.array(compiled.groups[0][1][own])[None])
    return totals(asked, ScannedEvidence(compiled, group), compiled.over_time.sampling).at(0)


def _noise(star: Star, shares: Sequence[Share], z: Floats) -> Floats:
    """Covariances of the scores of one thing, for each pair of shares: z_j z_k minus the score of h_j h_k."""
    place = {pair: len(star.functions) + n for n, pair in enumerate(star.pairs)}
    used = [share.function for share in shares]
    both = [[place.get((min(i, j), max(i, j))) for j in used] for i in used]  # None: no formula asks for it
    return np.array(
        [
            [0.0 if p is None else z[i] * z[j] - z[p] for j, p in zip(used, row, strict=True)]
            for i, row in zip(used, both, strict=True)
        ]
    )


def _belongs(star: Star, shares: Sequence[Share]) -> Floats:
    """1 where a share (column) is part of a total (row)."""
    belongs = np.zeros((len(star.question.totals), len(shares)))
    belongs[[share.total for share in shares], np.arange(len(shares))] = 1.0
    return belongs
