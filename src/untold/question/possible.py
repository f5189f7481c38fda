"""Which groups can have members at all: WHERE age > 5 leaves none of age 3, whatever people report."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from untold.question.model import Column, Factor, PublicKey, Question, SensitiveKey, Term

Found = npt.NDArray[np.bool_]


def possible_groups(question: Question) -> Found:
    """For every combination of sensitive labels, in the order of the keys, whether some tuple of it may meet WHERE.

    WHERE is a sum of product terms (`question.where`). A term leaves a combination possible if, for each attribute, some
    code has all labels of the combination and a factor that is not zero.
    """
    keys = [key for key in question.keys if isinstance(key, SensitiveKey)]
    shape = tuple(len(key.labels) for key in keys)
    if question.where is None or not keys:  # without GROUP BY there is a row in any case
        return np.ones(shape, dtype=bool).reshape(-1)
    out = np.zeros(shape, dtype=bool)
    for term in question.where.terms:
        out |= _of_term(term, keys, shape)
    return out.reshape(-1)


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
        codes = codes[..., None, :] & (keys[k].indicators != 0)
    fits = codes.any(axis=-1)
    return np.asarray(fits.reshape([len(key.labels) if k in own else 1 for k, key in enumerate(keys)]))


def is_across_public(question: Question) -> bool:
    """Whether a total is taken over several groups of a public key."""
    public = {n for n, key in enumerate(question.keys) if isinstance(key, PublicKey)}
    return any(total.within is not None and public - set(total.within) for total in question.totals)
