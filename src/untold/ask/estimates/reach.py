"""What one person can add to the totals of a question, whatever their devices send: any message of any view, in every slot, in
any public group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from sqlglot import exp

from untold.ask.question.model import Floats, PublicNumber
from untold.ask.scores.compile import Compiled
from untold.ask.scores.scan import Piece, Scan, ScoreColumn

Ends = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Reach:
    """What one person can add to the totals of a group: a column of `each` for everything that can be sent, or else only
    the lowest and highest score of every total."""

    lows: Floats
    highs: Floats
    each: Floats | None = None  # shape (totals, messages)

    def range(self, gradient: Floats) -> float:
        """Between the least and the most that one person can add to this combination of totals."""
        if self.each is not None:
            scores = gradient @ self.each
            return float(scores.max() - scores.min())
        (used,) = np.nonzero(gradient)
        return float(np.abs(gradient[used]) @ (self.highs - self.lows)[used])


def reaches(compiled: Compiled) -> Iterator[Reach]:
    """One for each combination of sensitive groups, in their order."""
    every = tuple(compiled.plan.service(name).slots for name in compiled.question.services)  # a liar fills all parts
    scan, share = replace(compiled.scan, slots=every), compiled.over_time.sampling.share
    elsewhere = scan.filter is not None or bool(scan.keys)  # a liar may also be in no group that is counted
    known: dict[int, Ends] = {}
    joint = _one_message(scan)
    for _, numbers in compiled.groups:
        ends = [_total_ends(scan, scan.totals[number], known) for number in numbers]
        lows, highs = (np.array([end[i] for end in ends]) / share for i in (0, 1))
        if elsewhere:
            lows, highs = np.minimum(lows, 0.0), np.maximum(highs, 0.0)
        each = None
        if joint:
            each = np.stack([_scores(scan, scan.totals[number]) for number in numbers]) / share
            each = np.hstack([each, np.zeros((len(each), 1))]) if elsewhere else each
        yield Reach(lows, highs, each)


def times(factor: float, amount: float) -> float:
    """Nothing times anything is nothing."""
    return 0.0 if factor == 0 or amount == 0 else factor * amount


def _one_message(scan: Scan) -> bool:
    """Whether one listed message is all that a person sends."""
    if len(scan.services) != 1 or any(scan.by_user) or not all(column.finite for column in scan.columns):
        return False
    return all(len(piece.columns) == 1 and not piece.publics for total in scan.totals for piece in total)


def _scores(scan: Scan, total: Sequence[Piece]) -> Floats:
    """Of every message."""
    return np.asarray(sum(piece.coefficient * scan.columns[piece.columns[0]].table() for piece in total))


def _total_ends(scan: Scan, total: Sequence[Piece], known: dict[int, Ends]) -> Ends:
    low = high = 0.0
    for piece in total:
        ends: Ends = (piece.coefficient, piece.coefficient)
        for public in piece.publics:
            ends = _product(ends, _public_ends(public))
        for number in piece.columns:
            if number not in known:
                known[number] = _column_ends(scan, scan.columns[number])
            ends = _product(ends, known[number])
        low, high = low + ends[0], high + ends[1]
    return low, high


def _column_ends(scan: Scan, column: ScoreColumn) -> Ends:
    """The least and the most that one person's reports can score, in all slots."""
    views = []
    for view, cells, constant in zip(
        column.design.views, column.coefficients.cells, column.coefficients.constants, strict=True
    ):
        if cells is None:
            views.append((float(constant), float(constant)))
            continue
        oracle = view.oracle.listed
        if oracle is not None:
            scores = oracle.scores(cells)
            views.append((float(constant + scores.min()), float(constant + scores.max())))
            continue
        q, gap = float(view.oracle.q), float(view.oracle.p - view.oracle.q)  # it may support any set of cells
        rest = float(constant) - q / gap * float(cells.sum())
        views.append((rest + float(np.minimum(cells, 0).sum()) / gap, rest + float(np.maximum(cells, 0).sum()) / gap))
    lows, highs = zip(*views, strict=True)
    slots = scan.slots[column.service] if scan.slots else 1
    if column.design.weights is None:  # a report speaks of every view
        return slots * sum(lows), slots * sum(highs)
    return slots * min(lows), slots * max(highs)


def _public_ends(public: PublicNumber) -> Ends:
    """A condition is 0 or 1; a number may be anything, since who lies about a report lies about what stands beside it."""
    tree = public.tree
    if isinstance(tree, exp.Case):
        results = [each.args["true"] for each in tree.args["ifs"]] + [tree.args.get("default")]
        if all(isinstance(each, exp.Literal) and each.name in ("0", "1") for each in results):
            return 0.0, 1.0
    return -inf, inf


def _product(a: Ends, b: Ends) -> Ends:
    corners = [times(x, y) for x in a for y in b]
    return min(corners), max(corners)
