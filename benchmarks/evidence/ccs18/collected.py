"""CALM and its rivals on counts of messages: what n people drawn from a table would report.

How often each message comes is multinomial, by the exact probabilities of the shipped randomisers: a message of a view
has the probability sum over cells of Pr[message | cell] share(cell). So counts are drawn, and not people one by one.
Every method gives a function from attributes to a marginal; None where it cannot be run at this size, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, prod

import numpy as np
import numpy.typing as npt

from benchmarks.evidence.ccs18.reading import Ask, Floats, Query, reading
from benchmarks.evidence.ccs18.tables import columns, truth
from untold.ask.decoded.views import Views, views_of
from untold.exact import NANO, to_nano
from untold.marginals import plan_for
from untold.marginals.family import Family
from untold.marginals.fourier import Bits, table_of
from untold.marginals.likelihood import mixed, most_likely, unmixed
from untold.marginals.nonnegative import CLEARING
from untold.oracles import GRR, FiniteOracle, Fourier
from untold.oracles.fourier import coefficients_up_to
from untold.plan import Plan
from untold.plan.designs import Design
from untold.plan.designs.base import oracle_for
from untold.plan.designs.calm import of_sets
from untold.plan.designs.covering import Sets
from untold.plan.designs.ft import bits_of

USES = (  # of every exhibit that collects
    "benchmarks.evidence.ccs18.collected",
    "benchmarks.evidence.ccs18.reading",
    "benchmarks.evidence.ccs18.tables",
    "untold.marginals.family",
    "untold.marginals.nonnegative",
)
MOST_FULL_CELLS = 1 << 17  # of FC: one view of all attributes
MOST_COEFFICIENTS = 1 << 20  # of FT


@dataclass(frozen=True)
class People:
    """n people, drawn from the first d attributes of a table."""

    table: str
    d: int
    n: int

    @property
    def sizes(self) -> tuple[int, ...]:
        return columns(self.table, self.d)[2]

    def share(self, query: Query) -> Floats:
        return truth(self.table, self.d, query)


def queries(d: int, k: int, count: int, seed: int) -> list[Query]:
    """Random k-way marginals."""
    rng = np.random.default_rng([d, k, seed])
    return [tuple(sorted(map(int, rng.choice(d, k, replace=False)))) for _ in range(count)]


@lru_cache(maxsize=512)
def planned(sizes: tuple[int, ...], epsilon: float, n: int, k: int, **marginals: str | int) -> Plan:
    """A plan of design "calm"."""
    attributes = {f"a{i}": {"kind": "categorical", "values": list(range(c))} for i, c in enumerate(sizes)}
    return plan_for(attributes, epsilon, n, k, **marginals)  # type: ignore[arg-type]  # words are checked by the plan


@lru_cache(maxsize=512)
def designed(sizes: tuple[int, ...], epsilon: float, n: int, k: int, views: str) -> Design:
    """The views that "published" (Algorithm 1) or "auto" chooses."""
    return planned(sizes, epsilon, n, k, views=views).design("people")


@lru_cache(maxsize=512)
def with_sets(sizes: tuple[int, ...], epsilon: float, sets: Sets) -> Design:
    """A design with views of one's own."""
    service = planned(sizes, epsilon, 1 << 16, min(3, len(sizes))).service("people")
    return of_sets("calm", service, to_nano(epsilon), sets)


def counted(people: People, design: Design, rng: np.random.Generator) -> Views:
    """Counts of all messages of a sampled design."""
    chosen = rng.multinomial(people.n, [float(design.probability(i)) for i in range(len(design.views))])
    parts = []
    for view, users in zip(design.views, chosen, strict=True):
        own = tuple(i for i, level in enumerate(view.levels) if level)
        parts.append(drawn(view.oracle.listed, people.share(own).reshape(-1), int(users), rng))
    message = np.arange(design.messages, dtype=np.uint32)
    return views_of(design, message, np.concatenate(parts).astype(np.float64))


def drawn(oracle: FiniteOracle | None, share: Floats, users: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """How often each message comes from so many users."""
    assert oracle is not None
    chances = np.maximum(oracle.chances(share), 0.0)
    return rng.multinomial(users, chances / chances.sum())


def calm(
    people: People, design: Design, rng: np.random.Generator, weights: str = "published", nonnegative: str = "ripple"
) -> Ask:
    """CALM with some views, and with the published clean-up or another one.

    A view weighs 1 / k ("published") or n_l / (v_l k) ("blue"), k its cells, n_l its users and v_l the noise of a report.
    """
    collected = counted(people, design, rng)
    views = tuple(collected)
    sets = tuple(view.attributes for view in views)
    if weights == "published":
        family = _published(sets, people.sizes)
    else:
        weight = collected.reports * collected.lattice.gain
        family = Family(sets, people.sizes, weight[[view.number for view in views]])
    return reading(family, [view.table for view in views], CLEARING[nonnegative])


@lru_cache(maxsize=64)
def _published(sets: Sets, sizes: tuple[int, ...]) -> Family:
    return Family(sets, sizes, np.array([1 / prod(sizes[a] for a in own) for own in sets]))


def full_contingency(people: People, epsilon: float, rng: np.random.Generator) -> Ask | None:
    """FC: one view of all attributes, added up."""
    cells = prod(people.sizes)
    if cells > MOST_FULL_CELLS:
        return None
    oracle = oracle_for("auto", to_nano(epsilon), cells)
    everything = tuple(range(people.d))
    counts = drawn(oracle.listed, people.share(everything).reshape(-1), people.n, rng).astype(np.float64)
    assert oracle.listed is not None
    (p, q), supports = oracle.floats, oracle.listed.supports_from_counts(counts)
    whole = ((supports / people.n - q) / (p - q)).reshape(people.sizes)
    return lambda query: whole.sum(axis=tuple(i for i in everything if i not in query))


def all_marginals(people: People, k: int, epsilon: float, rng: np.random.Generator) -> Ask | None:
    """AM: every user reports one of the C(d, k) marginals; only those asked for are drawn."""
    total = comb(people.d, k)
    if total > people.n:
        return None

    def ask(query: Query) -> Floats:
        share = people.share(query)
        users = int(rng.binomial(people.n, 1 / total))
        if users == 0:
            return np.full(share.shape, 1 / share.size)
        oracle = oracle_for("auto", to_nano(epsilon), share.size)
        counts = drawn(oracle.listed, share.reshape(-1), users, rng).astype(np.float64)
        assert oracle.listed is not None
        (p, q), supports = oracle.floats, oracle.listed.supports_from_counts(counts)
        return ((supports / users - q) / (p - q)).reshape(share.shape)

    return ask


def fourier(people: People, k: int, epsilon: float, rng: np.random.Generator) -> Ask | None:
    """FT: a coefficient gets n / C reports; each is the true sign with probability p. Only those asked for are drawn."""
    bits = Bits(tuple(map(bits_of, people.sizes)))
    order = sum(sorted(bits.counts, reverse=True)[:k])
    total = coefficients_up_to(sum(bits.counts), order)
    if total > MOST_COEFFICIENTS:
        return None
    heavy, light = Fourier(epsilon, 2, 1).weights
    p, known = heavy / (heavy + light), dict[int, float]()

    def ask(query: Query) -> Floats:
        share = people.share(query)
        wide = np.zeros([1 << bits.counts[a] for a in query])
        wide[tuple(slice(0, c) for c in share.shape)] = share
        signs = table_of(wide.reshape(-1)) * wide.size  # the transform is its own inverse, but for this factor
        masks = bits.masks(query)
        for mask, theta in zip(masks[1:].tolist(), signs[1:].tolist(), strict=True):
            if mask not in known:
                reports = int(rng.binomial(people.n, 1 / total))
                positive = rng.binomial(reports, 0.5 + theta * (p - 0.5))
                known[mask] = (2 * positive - reports) / max(reports, 1) / (2 * p - 1)
        found = table_of(np.array([1.0, *(known[mask] for mask in masks[1:].tolist())]))
        return found.reshape(wide.shape)[tuple(slice(0, c) for c in share.shape)]

    return ask


def split_em(people: People, k: int, epsilon: float, rng: np.random.Generator) -> Ask | None:
    """EM; as in the paper up to k = 5."""
    if k > 5:
        return None
    oracles = [GRR(to_nano(epsilon) // people.d / NANO, size) for size in people.sizes]

    def ask(query: Query) -> Floats:
        own = [oracles[a] for a in query]
        chances = np.maximum(mixed(people.share(query), own), 0.0)
        counts = rng.multinomial(people.n, chances.reshape(-1) / chances.sum()).reshape(chances.shape) / people.n
        return most_likely(unmixed(counts, own), own)

    return ask


def uniform(people: People) -> Ask:
    """Uni: no report at all."""
    return lambda query: np.full([people.sizes[a] for a in query], 1 / prod(people.sizes[a] for a in query))


def sse(people: People, ask: Ask, asked: Sequence[Query]) -> float:
    """The mean over marginals of the sum of squared errors."""
    return float(np.mean([((ask(query) - people.share(query)) ** 2).sum() for query in asked]))
