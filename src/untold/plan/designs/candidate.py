"""One candidate for the default design: trees with one fan-out, the views that are worth their messages, and how often.

Views are chosen by type (symmetry.py). Those that add nothing noticeable go first; if the rest is too large, those that
tell least per message go next (fitting.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement, product
from math import prod

import numpy as np

from untold.plan.designs.base import DesignError
from untold.plan.designs.fitting import Bools, Floats, advice, coarsened, limits, sizes, within_limits
from untold.plan.designs.optimise import QUICK, Problem, optimise, worth_keeping
from untold.plan.designs.symmetry import Below, Type, below
from untold.plan.designs.trees import Trees, class_level
from untold.plan.designs.variances import NOTHING
from untold.plan.designs.workload import attribute_energies

MOST_PAIRS = 3_000_000  # (view, band) that the optimiser takes on
WORTH_SAYING = 0.01  # of more variance
LOST_DIGITS = 6  # beyond, it is rounding
NOBODY = 1e-6  # the share of a view that is not worth a report
FEW_CELLS = 2048  # of views that no question needs, where questions are declared


@dataclass(frozen=True)
class Candidate:
    """Types of views, the share of reports about each, the share of what is asked that no view reaches, the mean log variance
    of the rest, and what had to be left out, in words."""

    trees: Trees
    kinds: list[Type]
    shares: Floats
    lost: float
    cost: float
    notes: tuple[str, ...] = ()


def candidate(trees: Trees) -> Candidate:
    """Choose views of these trees, with probabilities good enough to compare fan-outs."""
    caps, notes = coarsened(trees)
    needed = trees.needed(caps)
    kinds = list(dict.fromkeys([*needed, *view_types(trees, caps)]))
    problem = problem_of(trees, kinds)
    stays = np.arange(len(kinds)) < len(needed)
    shares = optimise(problem, QUICK)
    kinds, problem, stays, shares = _only(kinds, problem, stays, shares, worth_keeping(problem, shares) | stays)
    before, most, size = problem.cost(shares), limits(trees), sizes(trees, kinds)
    while (kept := within_limits(size, most, shares, stays)) is not None:
        kinds, problem, stays, shares = _only(kinds, problem, stays, shares, kept)
        shares, size = optimise(problem, QUICK, shares), size[:, kept]
    cost = problem.cost(shares)
    if cost > before + WORTH_SAYING:
        left = f"leaves out views to keep within {most[0]:,} messages and {most[1]:,} views"
        notes = (*notes, f"{left}: {np.expm1(cost - before):.0%} more variance on average")
    return Candidate(trees, kinds, shares, problem.lost, cost, notes)


def polished(found: Candidate) -> Candidate:
    """The same views with their probabilities settled."""
    problem = problem_of(found.trees, found.kinds)
    shares = optimise(problem, start=found.shares)
    if not found.trees.asked:
        return replace(found, shares=shares, cost=problem.cost(shares))
    # other views tell what these were needed for: nobody is asked to report them
    drawn = shares > NOBODY
    kinds = [kind for kind, keep in zip(found.kinds, drawn, strict=True) if keep]
    return replace(found, kinds=kinds, shares=shares[drawn] / shares[drawn].sum(), cost=problem.cost(shares))


def view_types(trees: Trees, caps: Mapping[int, int]) -> list[Type]:
    """Types of views with at most `most` active attributes, within the caps where more than one is active; if these are too
    many, only of attributes that are asked for together."""
    if trees.asked:
        return _asked_types(trees, caps)
    kins = trees.interests.kins
    sets = [each for size in range(1, trees.most + 1) for each in trees.shapes.sets(size) if set(each) <= set(kins)]
    if _pairs(trees, caps, sets) > MOST_PAIRS:
        asked = trees.interests.sets
        sets = sorted({part for each in asked for size in range(1, len(each) + 1) for part in combinations(each, size)})
    if _pairs(trees, caps, sets) > MOST_PAIRS:
        raise DesignError(f"has too many views to choose from; {advice(trees)}")
    found: list[Type] = [()] if trees.hidden else []
    for each in sets:
        several = caps if len(each) > 1 else {}
        ways = [
            combinations_with_replacement(trees.shapes.items_of(k, several), each.count(k)) for k in sorted(set(each))
        ]
        found += [tuple(sorted(sum(parts, ()))) for parts in product(*ways)]
    return found


def _asked_types(trees: Trees, caps: Mapping[int, int]) -> list[Type]:
    """Where questions are declared: all levels of what each of them asks, and of any two attributes that others may; and small
    views of any three attributes by whole classes, which are cheap where epsilon is large."""
    shapes = trees.shapes
    live = sorted({*trees.interests.kins, *(i for each in trees.asked for i in each.attributes)})
    levels: list[dict[int, int]] = [
        {k: caps.get(k, shapes.kins[k].tree.height) if len(each) > 1 else shapes.kins[k].tree.height for k in each}
        for each in trees.interests.sets
    ]
    levels += [
        {i: level for i, level in zip(each.attributes, each.finest, strict=True) if level} for each in trees.asked
    ]
    few = {i: class_level(trees.service.sensitive[i], trees.space.trees[i]) for i in live}
    blocks = {i: shapes.kins[i].tree.blocks(few[i]) for i in live}
    levels += [
        {i: few[i] for i in three}
        for three in combinations(live, min(trees.most, 3))
        if prod(blocks[i] for i in three) <= FEW_CELLS
    ]
    found: dict[Type, None] = {(): None} if trees.hidden else {}
    for each in levels:
        parts = [[0, *(shapes.numbers[i, j] for j in range(1, top + 1))] for i, top in each.items()]
        found |= dict.fromkeys(tuple(sorted(filter(None, kind))) for kind in product(*parts))
    if not trees.hidden:
        found.pop((), None)
    return list(found)


def _pairs(trees: Trees, caps: Mapping[int, int], sets: Sequence[tuple[int, ...]]) -> float:
    """At most so many (view, band) belong to these sets of attributes."""
    many = {k: sum(range(2, len(trees.shapes.items_of(k, caps)) + 2)) for k in trees.interests.kins}
    return sum(prod(many[k] for k in each) for each in sets)


def _only(
    kinds: list[Type], problem: Problem, stays: Bools, shares: Floats, kept: Bools
) -> tuple[list[Type], Problem, Bools, Floats]:
    rest = np.maximum(shares[kept], 1e-9)
    return (
        [kind for kind, keep in zip(kinds, kept, strict=True) if keep],
        problem.only(kept),
        stays[kept],
        rest / rest.sum(),
    )


def problem_of(trees: Trees, kinds: Sequence[Type]) -> Problem:
    """What the optimiser works on."""
    wanted = [trees.shapes.finest(kins, {}) for kins in trees.interests.sets]
    wanted += [trees.finest_asked(each) for each in trees.asked]
    width = max(1, *map(len, kinds), *map(len, wanted))
    rows = np.array([(0,) * (width - len(kind)) + kind for kind in (*kinds, *wanted)], dtype=np.int64)
    both = below(trees.shapes, rows)
    told = both.views < len(kinds)
    own = _own_energy(trees, both, len(kinds) + len(trees.interests.sets))
    energy: Floats = own * _beside(trees, np.asarray(~both.types.any(axis=1)))[both.bands]
    reached = np.zeros(len(both.types), dtype=bool)
    reached[both.bands[told]] = True
    energy[told] = 0.0
    ask = reached[both.bands] & (energy > NOTHING)
    sets, number = np.unique(both.views[ask], return_inverse=True)
    information = np.array([1 / (oracle.domain_size * oracle.noise) for oracle in map(trees.oracle, kinds)])
    count = np.array([trees.shapes.count(kind) for kind in both.types.tolist()], dtype=np.float64)
    every = np.concatenate([trees.interests.shares, [each.share for each in trees.asked]])
    shares = every[sets - len(kinds)]
    return Problem(
        both.views[told],
        both.bands[told],
        information[both.views[told]] / count[both.bands[told]],
        number.reshape(-1),
        both.bands[ask],
        energy[ask],
        shares / shares.sum(),
        round(1 - float(energy[ask].sum() / energy.sum()), LOST_DIGITS),
    )


def _own_energy(trees: Trees, both: Below, first: int) -> Floats:
    """The energy of every pair (set, band): products of mean energies; of declared questions, from row `first` on, their own."""
    energy = both.energy.copy()
    kin, level = np.array(trees.shapes.items).T
    for number, each in enumerate(trees.asked, first):
        pairs = np.flatnonzero(both.views == number)
        items = both.types[both.bands[pairs]]
        at = tuple(np.where(kin[items] == i, level[items], 0).max(axis=1) for i in each.attributes)
        energy[pairs] = each.energy[at]
    return energy


def _beside(trees: Trees, root: Bools) -> Floats:
    """What the hidden weight multiplies energies with. It is active in every view, so the bands with and without it are
    equally well known; the mean over everybody, the root of all, is known exactly."""
    if not trees.hidden:
        return np.where(root, 0.0, 1.0)
    none, some = map(float, attribute_energies(trees.service, trees.space)[-1])
    return np.where(root, some, none + some)
