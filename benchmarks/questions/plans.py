"""Plans of a dashboard's table, made for everything and made for its questions; and what they are expected to do."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from untold.ask.estimates.estimate import estimates
from untold.ask.estimates.totals import Totals
from untold.ask.question.groups import of_group
from untold.ask.question.model import EstimateOutput, Question, SensitiveKey
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.collect.columns import reader_of
from untold.commands.plan_init import plan_init_command
from untold.plan import Plan
from untold.plan.schema.read_questions import split_statements

Floats = np.ndarray[Any, np.dtype[np.float64]]


def statements(path: Path) -> list[str]:
    """The SQL of a file."""
    return [each["sql"] for each in split_statements(path.read_text(encoding="utf-8"))]


def plan_of(
    folder: Path,
    name: str,
    epsilon: float,
    people: int,
    sql: Path | None,
    undeclared: float = 0.2,
    parts: int | None = None,
) -> Plan:
    """What `untold plan init` writes for a table, with or without questions."""
    out = folder / f"{name}_{epsilon:g}_{'made' if sql else 'all'}_{undeclared:g}_{parts}.toml"
    if not out.exists():
        words = [str(folder / f"{name}.parquet"), "--key", "uid", "--epsilon", str(epsilon), "--people", str(people)]
        asked = ["--questions", str(sql), "--undeclared", str(undeclared)] if sql else []
        asked += ["--parts", str(parts)] if sql and parts else []
        with contextlib.redirect_stdout(io.StringIO()):
            plan_init_command([*words, *asked, "--out", str(out)])
    return Plan.load(out)


class Coded:
    """The rows of a table as a plan codes them: of each attribute the code below, and how far a number is to the next."""

    def __init__(self, plan: Plan, name: str, table: pa.Table) -> None:
        self.plan, self.service, self.rows = plan, plan.service(name), table.num_rows
        self.at: dict[str, tuple[Any, Floats]] = {}
        for a in self.service.sensitive:
            column = table.column(a.name).combine_chunks()
            batch = pa.RecordBatch.from_arrays([column], names=[a.name])
            found = reader_of(a, column.type, "t").read(batch)
            assert not found.bad.any(), a.name
            below = np.floor(found.values).astype(np.int64)
            self.at[a.name] = below, np.asarray(found.values - below, dtype=np.float64)

    def shares(self) -> dict[str, list[float]]:
        """How people are spread over the codes of each attribute."""
        out = {}
        for a in self.service.sensitive:
            below, fraction = self.at[a.name]
            counts = np.bincount(below, 1 - fraction, a.size + 1) + np.bincount(below + 1, fraction, a.size + 1)
            out[a.name] = counts[: a.size].tolist()
        return out

    def total(self, terms: Any) -> float:
        """What a total is on average over all roundings, without noise."""
        out = 0.0
        for term in terms:
            product = np.full(self.rows, term.coefficient)
            for factor in term.factors:
                below, fraction = self.at[factor.column.attribute]
                wide = np.append(factor.values, 0.0)
                product *= wide[below] * (1 - fraction) + wide[below + 1] * fraction
            out += float(product.sum())
        return out

    def answer(self, sql: str, people: int) -> Floats:
        """What a question would be answered without noise by so many such people: groups x outputs."""
        asked: Question = question(sql, self.plan)
        groups = int(np.prod([len(key.labels) for key in asked.keys if isinstance(key, SensitiveKey)]))
        totals = np.array(
            [[self.total(of_group(asked, each, g).terms) for each in asked.totals] for g in range(groups)]
        )
        scaled = Totals(totals * people / self.rows, np.zeros((*totals.shape, totals.shape[1])), known=True)
        outputs = [each for each in asked.outputs if isinstance(each, EstimateOutput)]
        return np.array([estimates(each.formula, scaled, 0.95).value for each in outputs]).T


def exact_error(coded: Coded, sql: str, people: int) -> float | None:
    """The exact standard deviation of a count: the chances of all messages, with people as the table has them. None for other
    questions.

        Var = n (sum over views l of pi_l E[score^2] - mean of w),    as w^2 = w
    """
    asked = question(sql, coded.plan)
    compiled = compile_question(asked, coded.plan, ESTIMATORS["blue"])
    if asked.keys or len(asked.totals) > 1 or not asked.totals[0].is_count or len(compiled.scan.columns) > 1:
        return None
    column, design = compiled.scan.columns[0], coded.plan.design(coded.service.name)
    chance = np.random.default_rng(1)
    codes = [below + (chance.uniform(size=coded.rows) < fraction) for below, fraction in coded.at.values()]
    second = first = 0.0
    for number, view in enumerate(design.views):
        cells, alpha = column.coefficients.cells[number], float(column.coefficients.constants[number])
        share, mean, square = float(design.probability(number)), 0.0, 0.0
        if cells is not None:
            at = np.zeros(coded.rows, dtype=np.int64)
            for tree, level, code in zip(design.space.trees, view.levels, codes, strict=True):
                at = at * tree.blocks(level) + code // tree.block_size(level)
            spread = np.bincount(at, minlength=view.oracle.domain_size) / coded.rows
            mean, square = float(cells @ spread), view.oracle.mean_product(cells, cells, spread)
        second += share * (square + 2 * alpha * mean + alpha**2)
        first += share * (mean + alpha)
    return float((people * (second - first)) ** 0.5)
