"""Questions made of a question: a total within one group, and one more total about the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from untold.ask.question.algebra import restricted
from untold.ask.question.model import (
    Column,
    EstimateOutput,
    Factor,
    PublicKey,
    Quantile,
    Question,
    SensitiveKey,
    Term,
    Total,
    TotalOf,
)


def of_group(asked: Question, total: Total, group: int) -> Total:
    """A total within one combination of sensitive labels, numbered as `Compiled.groups` numbers them."""
    whole = total
    for number, key in reversed([(n, key) for n, key in enumerate(asked.keys) if isinstance(key, SensitiveKey)]):
        group, label = divmod(group, len(key.labels))
        if (codes := whole.codes_of(number, key)) is not None:
            total = restricted(total, Factor(key.column, codes[label]))
    return total


def question_below(question: Question, formula: Quantile, size: int, codes: Sequence[int]) -> Question:
    """For each of some codes x and each group, the total 1[value <= x] - p over what the quantile counts: codes are groups of one
    more key, the last one."""
    steps = np.where(np.arange(size) <= np.array(codes)[:, None], 1.0 - formula.probability, -formula.probability)
    counted = question.totals[formula.total]
    within = None if counted.within is None else (*counted.within, len(question.keys))
    return replace(
        question,
        keys=(*question.keys, SensitiveKey("below", formula.column, tuple(codes), steps)),
        totals=(Total(counted.terms, is_count=False, within=within),),
        outputs=(EstimateOutput("d", TotalOf(0), ""),),
        having=None,
        order=(),
        limit=None,
        offset=0,
        where=None,
    )


def further_question(question: Question, total: Total) -> Question:
    """One more total, in the rows of each combination of public keys."""
    return replace(
        question,
        keys=tuple(key for key in question.keys if isinstance(key, PublicKey)),
        totals=(total,),
        outputs=(EstimateOutput("d", TotalOf(0), ""),),
        having=None,
        order=(),
    )


Found = npt.NDArray[np.bool_]


def possible_groups(question: Question) -> Found:
    """For every combination of sensitive labels, in the order of the keys, whether some tuple of it may meet WHERE.

    WHERE is a sum of product terms (`question.where`). A term leaves a combination possible if, for each attribute, some
    code has all labels of the combination and a factor that is not zero.
    """
    keys = [key for key in question.keys if isinstance(key, SensitiveKey)]
    return groups_left(question.where, keys).reshape(-1)


def groups_left(where: Total | None, keys: list[SensitiveKey]) -> Found:
    """The same with an axis for each key."""
    shape = tuple(len(key.labels) for key in keys)
    if where is None or not keys:
        return np.ones(shape, dtype=bool)
    out = np.zeros(shape, dtype=bool)
    for term in where.terms:
        out |= _of_term(term, keys, shape)
    return out


def _of_term(term: Term, keys: list[SensitiveKey], shape: tuple[int, ...]) -> Found:
    out = np.full(shape, term.coefficient != 0)
    factors = {factor.column: factor for factor in term.factors}
    for column in dict.fromkeys([*(key.column for key in keys), *factors]):
        out &= _of_column(column, factors.get(column), keys)
    return out


def _of_column(column: Column, factor: Factor | None, keys: list[SensitiveKey]) -> Found:
    """Whether some code of a column fits; one axis for each key, of length 1 for keys of other columns."""
    own = [k for k, key in enumerate(keys) if key.column == column]
    codes = np.ones(1, dtype=bool) if factor is None else factor.values != 0
    for k in own:
        codes = codes[..., None, :] & (keys[k].codes("touched") != 0)
    fits = codes.any(axis=-1)
    return np.asarray(fits.reshape([len(key.labels) if k in own else 1 for k, key in enumerate(keys)]))


def is_across_public(question: Question) -> bool:
    """Whether a total is taken over several groups of a public key."""
    public = {n for n, key in enumerate(question.keys) if isinstance(key, PublicKey)}
    return any(public - own_keys(total) for total in question.totals if total.within is not None)


def own_keys(total: Total) -> frozenset[int]:
    """The keys of a total that is not of the row's own group in all of them, but of the row's own group in these."""
    assert total.within is not None
    return frozenset(total.within) - ({total.frame.key} if total.frame is not None else set())
