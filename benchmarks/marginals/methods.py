"""CALM and its rivals in one contract: columns of codes in, a function from attributes to a marginal out.

Every user's report is really drawn. A method that cannot be run at some size returns None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.collect.bulk import encode_codes
from untold.decoded.norm_sub import norm_sub
from untold.decoded.views import views_of
from untold.designs.base import MOST_MESSAGES, most_cells, oracle_for
from untold.errors import UntoldError
from untold.exact import to_nano
from untold.marginals import plan_for
from untold.marginals.asked import Marginals, marginals_from
from untold.marginals.fourier import Fourier
from untold.marginals.split_em import SplitEM
from untold.plan import Plan
from untold.randomness import Seeded

Codes = Sequence[npt.NDArray[np.uint32]]
Sizes = tuple[int, ...]
Query = tuple[int, ...]
Floats = npt.NDArray[np.float64]
Ask = Callable[[Query], Floats]


@lru_cache(maxsize=512)
def plan(sizes: Sizes, epsilon: float, users: int, k: int, design: str) -> Plan:
    """The plan of a design for attributes of these sizes."""
    attributes = {f"a{i}": {"kind": "categorical", "values": list(range(c))} for i, c in enumerate(sizes)}
    return plan_for(attributes, epsilon, users, k, design=design)


def counted(codes: Codes, compiled: Plan, seed: int, **options: str) -> Marginals:
    """Reports of everybody under a plan, counted."""
    design = compiled.design("people")
    _, messages = encode_codes(design, codes, Seeded(seed))
    counts = np.bincount(messages.index, minlength=design.messages).astype(np.float64)
    every = np.arange(design.messages, dtype=np.uint32)
    return marginals_from(compiled.service("people"), design, views_of(design, every, counts), len(codes[0]), **options)


def calm(codes: Codes, sizes: Sizes, k: int, epsilon: float, queries: Sequence[Query], seed: int) -> Ask:
    """As published: mean by cells, Ripple."""
    compiled = plan(sizes, epsilon, len(codes[0]), k, "calm")
    found = counted(codes, compiled, seed, weights="published", nonnegative="ripple").releaser
    return lambda query: found.table(query)[0]


def calm_blue(codes: Codes, sizes: Sizes, k: int, epsilon: float, queries: Sequence[Query], seed: int) -> Ask:
    """untold's default: least variance, Norm-Sub."""
    found = counted(codes, plan(sizes, epsilon, len(codes[0]), k, "calm"), seed).releaser
    return lambda query: found.table(query)[0]


def full_contingency(
    codes: Codes, sizes: Sizes, k: int, epsilon: float, queries: Sequence[Query], seed: int
) -> Ask | None:
    """FC: one view of all attributes, added up."""
    if prod(sizes) > most_cells("auto") or prod(sizes) * 4 > MOST_MESSAGES:
        return None
    linear = counted(codes, plan(sizes, epsilon, len(codes[0]), k, "mg"), seed).releaser.linear
    whole = linear.views[0].table
    return lambda query: whole.sum(axis=tuple(i for i in range(len(sizes)) if i not in query))


def all_marginals(
    codes: Codes, sizes: Sizes, k: int, epsilon: float, queries: Sequence[Query], seed: int
) -> Ask | None:
    """AM: every user reports one of the C(d, k) marginals. Only the users of the marginals that are asked for are
    drawn: the others' reports would not be looked at."""
    d, n = len(sizes), len(codes[0])
    if comb(d, k) > n:
        return None
    rng = Seeded(seed)
    assigned = (rng.words((n,)) % np.uint64(comb(d, k))).astype(np.int64)
    rank = {each: i for i, each in enumerate(combinations(range(d), k))} if comb(d, k) <= 1 << 20 else {}
    tables: dict[Query, Floats] = {}
    for i, query in enumerate(queries):
        rows = np.flatnonzero(assigned == rank.get(query, i))
        shape = [sizes[a] for a in query]
        oracle = oracle_for("auto", to_nano(epsilon), prod(shape))
        if len(rows) == 0:
            tables[query] = np.full(shape, 1 / prod(shape))
            continue
        cells = np.ravel_multi_index([codes[a][rows] for a in query], shape).astype(np.uint32)
        tables[query] = oracle.estimate(oracle.encode_many(cells, rng)).reshape(shape) / len(rows)
    return lambda query: tables[query]


def fourier(codes: Codes, sizes: Sizes, k: int, epsilon: float, queries: Sequence[Query], seed: int) -> Ask | None:
    """FT."""
    rival = _fourier(epsilon, sizes, k)
    try:
        theta = rival.coefficients(rival.encode_many(codes, Seeded(seed)))
    except UntoldError:
        return None
    return lambda query: rival.marginal(theta, query)


@lru_cache(maxsize=4)
def _fourier(epsilon: float, sizes: Sizes, k: int) -> Fourier:
    rival = Fourier(epsilon, sizes, k)
    known = _masks(sizes, k)
    if known is not None:
        rival.__dict__["masks"] = known  # a list of a million sets is made once, not for every epsilon
    return rival


@lru_cache(maxsize=4)
def _masks(sizes: Sizes, k: int) -> Any:
    try:
        return Fourier(1.0, sizes, k).masks
    except UntoldError:
        return None


def split_em(codes: Codes, sizes: Sizes, k: int, epsilon: float, queries: Sequence[Query], seed: int) -> Ask | None:
    """EM; as in the paper up to k = 5."""
    if k > 5:
        return None
    rival = SplitEM(epsilon, sizes)
    reports = rival.encode_many(codes, Seeded(seed))
    return lambda query: rival.marginal(reports, query)


def uniform(codes: Codes, sizes: Sizes, k: int, epsilon: float, queries: Sequence[Query], seed: int) -> Ask:
    """Uni: no report at all."""
    return lambda query: np.full([sizes[a] for a in query], 1 / prod(sizes[a] for a in query))


def clean(ask: Ask | None) -> Ask | None:
    """The same without negative cells (Norm-Sub): post-processing that the paper does not grant the rivals."""
    return None if ask is None else lambda query: norm_sub(ask(query)[None])[0]


METHODS: dict[str, Callable[..., Ask | None]] = {
    "CALM": calm,
    "CALM blue": calm_blue,
    "FT": fourier,
    "FC": full_contingency,
    "AM": all_marginals,
    "EM": split_em,
    "Uni": uniform,
}
RIVALS = ("FT", "FC", "AM", "EM")
