"""How much less variance at equal epsilon and users than the paper's HIO: exactly, and by experiment.

HIO of SIGMOD'19 is design = "hio", oracle = "olh", estimator = "greedy". Averages are taken over random ranges, every
range of a domain as likely, before dividing: a ratio of mean squared errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.queries.repeat import Collections, compiled, kind, truths
from benchmarks.queries.tables import GROUPS, NAMES, ORDINAL, SERVICE, Table, categorical, ordinal, syn1
from benchmarks.queries.variances import Factors, blue_variance, count_variance, point, random_range
from untold.plan import Plan
from untold.plan.designs import Design


@dataclass(frozen=True)
class Setup:
    """Attributes of a plan, and the kind of count asked of it; `wanted` are the least gains that are called good."""

    name: str
    ordinals: int
    grouped: bool  # a categorical attribute beside them, counted by its values
    ranges: int
    max_active: int
    blue: float | None  # of `blue` on the reports of HIO
    default: float | None  # of the default design
    queries: int
    dense: bool = True  # whether HIO has views small enough for score tables

    def plan(self, epsilon: float, **method: object) -> Plan:
        """The plan, for one service."""
        attributes = {f"a{i}": ordinal(0, ORDINAL - 1) for i in range(self.ordinals)}
        if self.grouped:
            attributes["k"] = categorical(NAMES)
        most = {} if "design" in method else {"max_active": self.max_active}
        service = {"attributes": attributes, **most, **method}
        declared = {"name": "gain", "user_key": "uid", "epsilon": epsilon, "services": {SERVICE: service}}
        return Plan.from_dict(declared)

    def factors(self, rng: np.random.Generator) -> Factors:
        """One random query."""
        ranges = [random_range(ORDINAL, rng) if i < self.ranges else None for i in range(self.ordinals)]
        return [*ranges, point(GROUPS, rng)] if self.grouped else ranges


SETUPS = (
    Setup("1 ordinal, one range", 1, False, 1, 1, 2.3, 3.5, 2000),  # against Algorithm 1, which has no noisy root
    Setup("2 ordinals, one range", 2, False, 1, 2, 2.3, 4.0, 1000),
    Setup("2 ordinals, two ranges", 2, False, 2, 2, 5.0, 10.0, 200),
    Setup(f"GROUP BY {GROUPS} values under a range", 1, True, 1, 2, None, 3.0, 300),
    Setup("4 ordinals, max_active 2, two ranges", 4, False, 2, 2, None, 20.0, 100, dense=False),
)


@dataclass(frozen=True)
class Gains:
    """Mean variance per user of HIO as published, and how many times smaller the others are; `agr`: HIO with AGR, not OLH."""

    published: float
    rdc: float
    blue: float | None
    default: float
    agr_blue: float | None
    agr_default: float | None


def exact_gains(setup: Setup, epsilon: float, seed: int = 7) -> Gains:
    """From exact variances, the same queries for all."""
    rng = np.random.default_rng(seed)
    queries = [setup.factors(rng) for _ in range(setup.queries)]
    olh, ours = (setup.plan(epsilon, **m).design(SERVICE) for m in ({"design": "hio", "oracle": "olh"}, {}))
    published = _mean(olh, lambda d, f: count_variance(d, "greedy", f), queries)
    rdc = _mean(olh, lambda d, f: count_variance(d, "rdc", f), queries)
    default = _mean(ours, blue_variance, queries)
    if not setup.dense:
        return Gains(published, published / rdc, None, published / default, None, None)
    agr = setup.plan(epsilon, design="hio", oracle="agr").design(SERVICE)
    greedy = _mean(agr, lambda d, f: count_variance(d, "greedy", f), queries)
    blue, agr_blue = _mean(olh, blue_variance, queries), _mean(agr, blue_variance, queries)
    return Gains(published, published / rdc, published / blue, published / default, greedy / agr_blue, greedy / default)


def _mean(design: Design, variance: Callable[[Design, Factors], float], queries: Sequence[Factors]) -> float:
    return float(np.mean([variance(design, factors) for factors in queries]))


@dataclass(frozen=True)
class Tried:
    """Mean squared errors by experiment on SYN-1 (per user), with what the formulas say for the same queries on even data."""

    what: str
    measured: float
    exact: float


def tried_gains(ranges: int, epsilon: float, users: int, queries: int, times: int) -> list[Tried]:
    """HIO (with AGR) by all three estimators on the same reports, and the default design."""
    whole = syn1(users)
    table = Table("SYN-1", {n: whole.attributes[n] for n in ("a", "b")}, whole.codes[:2], whole.rows.select(["a", "b"]))
    rng = np.random.default_rng(11)
    asked = [[random_range(ORDINAL, rng) if i < ranges else None for i in range(2)] for _ in range(queries)]
    texts = [f"SELECT COUNT(*) FROM {SERVICE} WHERE {_where(factors)}" for factors in asked]
    out = []
    for name, method in (("hio", {"design": "hio", "oracle": "agr"}), ("default", {})):
        plan = table.plan(epsilon, **method)
        collections = Collections(table, plan, [kind(texts[0], plan)], times, seed=ranges)
        for estimator in ("greedy", "rdc", "blue") if name == "hio" else ("blue",):
            errors, exact = [], []
            for text, factors in zip(texts, asked, strict=True):
                question = compiled(text, plan, estimator)
                truth = truths(question, table)[()][0] or 0.0
                errors += [(answer[()][0].value - truth) ** 2 / users for answer in collections.answers(question)]
                exact.append(count_variance(plan.design(SERVICE), estimator, factors))
            out.append(Tried(f"{name} {estimator}", float(np.mean(errors)), float(np.mean(exact))))
    return out


def _where(factors: Factors) -> str:
    inside = [(name, np.flatnonzero(f)) for name, f in zip("ab", factors, strict=True) if f is not None]
    return " AND ".join(f"{name} BETWEEN {codes[0]} AND {codes[-1]}" for name, codes in inside)
