"""Many collections of one table, cheaply: perturbed in memory, kept as counts per message, and answered by the product's own code.

A collection is `collect.bulk.encode_codes` on the codes; what is kept of it is the summary (engines.base.Counts) of every
kind that the questions need, which answers exactly as a scan of the reports does: benchmarks.queries.agreement checks
this on real folders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.queries.tables import SERVICE, Table
from untold.ask.engines.base import Counts, Kind, kind_of, moments_from_counts, pairs_of
from untold.ask.estimates.estimate import Estimated
from untold.ask.estimates.measured import Block, Blocks, Measured
from untold.ask.estimates.rows import rows_of
from untold.ask.estimates.totals import totals
from untold.ask.evidence.counted import CountedEvidence
from untold.ask.evidence.routes import FromCounts, decode, kind_for
from untold.ask.evidence.scanned import scanned_groups
from untold.ask.question.model import EstimateOutput, PublicNumber
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import Compiled, compile_question
from untold.ask.sql.question import question
from untold.collect.bulk import encode_codes
from untold.plan import Plan
from untold.randomness import Seeded

Keys = tuple[object, ...]
Floats = npt.NDArray[np.float64]


def compiled(sql: str, plan: Plan, estimator: str = "blue") -> Compiled:
    """A query, ready to be asked of any collection of the plan."""
    return compile_question(question(sql, plan), plan, ESTIMATORS[estimator])  # type: ignore[index]  # a text


def kind(sql: str, plan: Plan) -> Kind:
    """What must be counted to answer a query; the same for all estimators."""
    return _kind(compiled(sql, plan))


def _kind(asked: Compiled) -> Kind:
    """As the product would count: for all groups at once, or for a scan."""
    found = kind_for(asked) if FromCounts().why_not(asked) is None else kind_of(asked.scan)
    assert found is not None, asked.question.sql
    return found


@dataclass(frozen=True, eq=False)
class Group:
    """Who is counted together, and the weights of the rows: one per entry of Kind.weights, then one per pair of them (None: 1)."""

    key: Keys
    members: npt.NDArray[np.bool_] | None
    weights: tuple[Floats | None, ...]


class Collections:
    """`times` collections of a table under a plan, counted for these kinds."""

    def __init__(self, table: Table, plan: Plan, kinds: Iterable[Kind], times: int, seed: int = 1) -> None:
        self.table, self.plan, self.times = table, plan, times
        design = plan.design(SERVICE)
        self._messages = np.arange(design.messages, dtype=np.uint32)
        groups = {each: _groups(each, table) for each in dict.fromkeys(kinds)}
        self._kept: dict[Kind, list[list[tuple[Keys, list[npt.NDArray[Any]]]]]] = {each: [] for each in groups}
        for t in range(times):
            order, messages = encode_codes(design, table.codes, Seeded(1000 * seed + t))
            for each, own in groups.items():
                counted = [(g.key, _count(g, order, messages.index, design.messages)) for g in own]
                self._kept[each].append(counted)

    def answers(self, asked: Compiled, confidence: float = 0.95) -> Iterator[dict[Keys, list[Estimated]]]:
        """For each collection: the estimates of every row of the answer, by the keys of GROUP BY."""
        which = _kind(asked)
        outputs = [output.formula for output in asked.question.outputs if isinstance(output, EstimateOutput)]
        for kept in self._kept[which]:
            counts = [self._counts(key, numbers, len(which.weights)) for key, numbers in kept]
            rows = rows_of(asked.question, self._measured(asked, which, counts), confidence, _no_quantile)
            keys = list(zip(*(rows.keys(k) for k in range(len(asked.question.keys))), strict=True)) or [()]
            columns = [rows.column(formula) for formula in outputs]
            yield {key: [column.at(i) for column in columns] for i, key in enumerate(keys)}

    def _measured(self, asked: Compiled, which: Kind, counts: Sequence[Counts]) -> Sequence[Measured]:
        """Totals of all groups at once where the product would have them so."""
        if FromCounts().why_not(asked):
            return scanned_groups(asked, moments_from_counts(asked.scan, which, list(counts)))
        assert asked.grouped is not None
        decoded = [decode(self.plan, which, each) for each in counts]
        found = [(each.key, totals(asked.grouped, CountedEvidence(asked.grouped, each))) for each in decoded]
        return Blocks(Block(key, asked.labels, each) for key, each in found)

    def _counts(self, key: Keys, numbers: Sequence[npt.NDArray[Any]], weights: int) -> Counts:
        sums = [each.astype(np.float64) for each in numbers]
        return Counts(
            key,
            self._messages,
            numbers[0].astype(np.int64),
            np.array(sums[1 : 1 + weights]),
            np.array(sums[1 + weights :]),
        )


def _count(
    group: Group, order: npt.NDArray[np.int32], index: npt.NDArray[np.uint32], size: int
) -> list[npt.NDArray[Any]]:
    if group.members is not None:
        inside = group.members[order]
        order, index = order[inside], index[inside]
    plain = np.bincount(index, minlength=size).astype(np.int32)
    return [plain] + [
        plain if w is None else _small(np.bincount(index, w[order], minlength=size)) for w in group.weights
    ]


def _small(sums: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers in half the space: hundreds of collections are kept."""
    whole = sums.astype(np.int32) if np.abs(sums).max() < 2**31 else sums
    return whole if (whole == sums).all() else sums


def _groups(wanted: Kind, table: Table) -> list[Group]:
    """Public conditions, keys and numbers of a kind, evaluated once on the true rows."""

    def values(public: PublicNumber) -> npt.NDArray[Any]:
        return np.asarray(true_rows(f"SELECT {public.sql} AS x FROM {SERVICE}", table).column(0).to_numpy())

    weights: list[Floats | None] = [
        np.prod([values(each).astype(np.float64) for each in publics], axis=0) if publics else None
        for publics in wanted.weights
    ]
    for i, j in pairs_of(len(wanted.weights)):
        a, b = weights[i], weights[j]
        weights.append(b if a is None else a if b is None else a * b)
    keep = None if wanted.filter is None else values(wanted.filter) != 0
    if not wanted.keys:
        return [Group((), keep, tuple(weights))]
    columns = [values(each) for each in wanted.keys]
    found = dict.fromkeys(zip(*(column.tolist() for column in columns), strict=True))
    groups = []
    for key in found:
        members = np.logical_and.reduce([column == value for column, value in zip(columns, key, strict=True)])
        groups.append(Group(key, members if keep is None else members & keep, tuple(weights)))
    return groups


def true_rows(sql: str, table: Table) -> Any:
    """What DuckDB answers on the true rows, as Arrow."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.register(SERVICE, table.rows)
        return connection.sql(sql).arrow().read_all()


def truths(asked: Compiled, table: Table) -> dict[Keys, list[float | None]]:
    """The true answer, by the keys of GROUP BY."""
    result = true_rows(asked.question.sql, table)
    is_estimate = [isinstance(output, EstimateOutput) for output in asked.question.outputs]
    rows = zip(*(column.to_pylist() for column in result.columns), strict=True)
    return {
        tuple(v for v, e in zip(row, is_estimate, strict=True) if not e): [
            None if v is None else float(v) for v, e in zip(row, is_estimate, strict=True) if e
        ]
        for row in rows
    }


def _no_quantile(*_: object) -> Estimated:
    raise AssertionError("no question here asks for a quantile")
