"""How far the reports of two people can differ at most: the total variation of everything that one person sends in an epoch."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import exp, expm1, tanh

from untold.exact import NANO
from untold.oracles import Oracle
from untold.plan.designs import Design

MOST_SUMS = 20_000  # different sums of losses; beyond, any randomiser's variation is taken
Part = tuple[int, float]  # what a message spends, in billionths of epsilon, and its total variation at most


def parts_of(design: Design) -> list[Part]:
    """The independent messages of one report. Which view was picked is in the message, so the variations of the views
    add up by their weights."""
    if design.weights is None:
        return [(view.oracle.spent, float(_variation(view.oracle))) for view in design.views if view.oracle.spent]
    mean = sum(
        (design.probability(i) * _variation(view.oracle) for i, view in enumerate(design.views)), start=Fraction(0)
    )
    return [(design.nano, float(mean))]


def _variation(oracle: Oracle) -> Fraction:
    """p - q: how likely a message is depends only on whether it supports the true cell."""
    return oracle.p - oracle.q if oracle.domain_size > 1 else Fraction(0)


def total_variation_at_most(parts: Iterable[Part]) -> float:
    """Of independent messages together. Each is at most as telling as a coin with three sides (docs/mixing.md, section 2):

        loss +eps with chance e^eps r,  loss -eps with chance r,  0 else;   r = beta/(e^eps - 1)

    Losses add up, and the total variation of the product is sum over losses l > 0 of Pr[l] (1 - e^-l).

    >>> round(total_variation_at_most([(10**9, 0.46211715726)]), 6)  # nothing hides behind beta = (e - 1)/(e + 1)
    0.462117
    """
    parts = list(parts)
    losses = {0: 1.0}
    for nano, beta in parts:
        light = min(beta, tanh(nano / NANO / 2)) / expm1(nano / NANO)
        heavy = exp(nano / NANO) * light
        sums: dict[int, float] = {}
        for loss, chance in losses.items():
            for step, share in ((nano, heavy), (-nano, light), (0, max(1 - heavy - light, 0.0))):
                sums[loss + step] = sums.get(loss + step, 0.0) + chance * share
        if len(sums) > MOST_SUMS:
            return tanh(sum(each for each, _ in parts) / NANO / 2)
        losses = sums
    found = -sum(chance * expm1(-loss / NANO) for loss, chance in losses.items() if loss > 0)
    return min(found * (1 + 1e-12), 1.0)
