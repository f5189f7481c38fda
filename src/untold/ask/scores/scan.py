"""The work order for an engine: look up scores, multiply them per user, add up the sums and their products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from untold.ask.question.model import Floats, PublicNumber
from untold.ask.scores.coefficients import Coefficients
from untold.ask.scores.over_time import Pooling
from untold.oracles import Messages
from untold.plan.designs import Design


@dataclass(frozen=True, eq=False)
class ScoreColumn:
    """The score of every report of one service, for one (part of a) term: coefficients for each view of its design."""

    service: int  # number among the scan's services
    design: Design
    coefficients: Coefficients  # one entry per view of the design

    @property
    def finite(self) -> bool:
        """Whether a score is a lookup by message."""
        return self.design.listed

    @cached_property
    def vector(self) -> Floats:
        """The score of every possible message. Kept: for small designs only."""
        return self.table()

    def table(self) -> Floats:
        """The same, made anew."""
        scores = np.empty(self.design.messages)
        for number, view in enumerate(self.design.views):
            scores[view.offset : view.offset + view.oracle.indexes] = self.of_view(number)
        return scores

    def of_view(self, number: int) -> Floats:
        """The scores of a view's messages: all of them, or one number where they are equal."""
        own, constant = self.coefficients.blocks[number], self.coefficients.constants[number]
        if own is None:
            return np.asarray(constant, dtype=np.float64)
        oracle = self.design.views[number].oracle.listed
        assert oracle is not None
        return np.asarray(constant + oracle.scores(own.spelled()))

    def of_messages(self, number: int, messages: Messages) -> Floats:
        """The scores of messages of one view, by their indexes in it."""
        own, constant = self.coefficients.blocks[number], float(self.coefficients.constants[number])
        if own is None:
            return np.full(len(messages), constant)
        return constant + self.design.views[number].oracle.score_many(messages, own.spelled())

    def at(self, message: npt.NDArray[np.uint32]) -> Floats:
        """The scores of some messages, view by view: no table of all messages is made, and none is kept."""
        scores = np.empty(len(message))
        for number, rows in by_view(self.design, message):
            index = message[rows] - np.uint32(self.design.views[number].offset)
            scores[rows] = self.of_messages(number, Messages(index))
        return scores


def by_view(design: Design, message: npt.NDArray[np.uint32]) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
    """The views that occur among messages, and the places of their messages."""
    views = np.searchsorted(np.array(design.offsets), message, side="right") - 1
    order = np.argsort(views, kind="stable")
    ends = np.cumsum(np.bincount(views, minlength=len(design.views)))
    for number, (start, end) in enumerate(pairwise([0, *ends.tolist()])):
        if end > start:
            yield number, order[start:end]


@dataclass(frozen=True)
class Piece:
    """coefficient * product of public numbers * product of score columns, each summed over the user's reports."""

    coefficient: float
    publics: tuple[PublicNumber, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True)
class SharedProduct:
    """What one report that serves several epochs adds to the product of two totals: the sum of coefficients times products of
    its score columns, times (T_p T_q - sum of t_p t_q), t_p and t_q a user's rows with these numbers and T their sums."""

    left: int  # p
    right: int  # q
    scores: tuple[tuple[float, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Shared:
    """Reports that serve several epochs, joined with reports of each: z = A t, with A the score of the one and t that of the
    others in an epoch. Rows of a user have the covariance (E[A A'] - f f') g g', f and g the means; `scores` of a product are
    A A' minus the score of f f', so that their sum over pairs of rows is unbiased for it."""

    rows: tuple[Piece, ...]  # t_p: what belongs to an epoch
    products: tuple[tuple[SharedProduct, ...], ...]  # for each of the scan's pairs


@dataclass(frozen=True, eq=False)
class Scan:
    """One pass over the reports. `totals[t]` is the sum of its pieces for one user; `pairs` are the second moments wanted.

    by_user[s] says that a user may have several reports in service s: their scores are added before anything is multiplied.
    """

    services: tuple[str, ...]
    by_user: tuple[bool, ...]
    columns: tuple[ScoreColumn, ...]
    totals: tuple[tuple[Piece, ...], ...]
    pairs: tuple[tuple[int, int], ...]
    filter: PublicNumber | None = None
    keys: tuple[PublicNumber, ...] = ()
    slots: tuple[int, ...] = ()  # reports of each service behind one row of a user in an epoch; empty: one of each
    parted_by: tuple[
        str | None, ...
    ] = ()  # a column by which a user's reports in a service are kept apart; empty: none
    pooling: Pooling | None = None  # None: a user's rows of several epochs are independent
    shared: Shared | None = None  # unless one report serves several: its part in `pairs` is added to theirs

    @property
    def parted(self) -> bool:
        """Whether a user may have several joined rows in one epoch."""
        return any(self.parted_by)


@dataclass(frozen=True, eq=False)
class Moments:
    """What comes back for one group of public keys: how many users (those of several epochs counted in each), the sums of
    the totals, and of the products in `pairs`."""

    key: tuple[object, ...]
    users: int
    first: Floats
    second: Floats
