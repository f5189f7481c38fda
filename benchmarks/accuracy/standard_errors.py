"""Standard errors of wide tables against their exact expectation, computed from the true records.

    scripts/bench accuracy standard_errors [--people 100000] [--collections 10] [--attributes 4]

The variance of a total is the sum over people of E[z^2 | record] - w^2, z the score of a report and w what it stands for. For
listed messages, with s the scores of a view's messages and c a person's cell in it,

    E[z^2 | record] = sum over views of pi (out sum s^2 + (in - out) sum over messages that support c of s^2)

`in` and `out` being the chances of a message that supports the cell, and of one that does not. The line: within 2%.
"""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks.speed.width import declared, raw_table
from benchmarks.table import Value, show

import untold
from untold.ask.scores.coefficients import blue
from untold.ask.scores.compile import compile_question
from untold.ask.scores.scan import Scan
from untold.ask.sql.question import question
from untold.plan.designs import Design

LINE = 0.02
ASKED = {
    "COUNT of a range": ("SELECT COUNT(*) AS x FROM t WHERE a0 BETWEEN 20 AND 60", 1),
    "GROUP BY 8": ("SELECT a1, COUNT(*) AS x FROM t GROUP BY a1", 8),
    "GROUP BY 100 (every tenth)": ("SELECT a0, COUNT(*) AS x FROM t GROUP BY a0", 100),
    "SUM by 8": ("SELECT a1, SUM(a0) AS x FROM t GROUP BY a1", 8),
    "COUNT by 8 under a range": ("SELECT a1, COUNT(*) AS x FROM t WHERE a3 > 30 GROUP BY a1", 8),
}
Codes = list[Any]


def main(argv: list[str]) -> None:
    parser = ArgumentParser(prog="scripts/bench accuracy standard_errors")
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--collections", type=int, default=10)
    parser.add_argument("--attributes", type=int, default=4)
    given = parser.parse_args(argv)
    plan = untold.Plan.from_dict(declared(given.attributes))
    table = raw_table(given.attributes, given.people)
    expected = {what: expectations(plan, sql, groups, table) for what, (sql, groups) in ASKED.items()}
    found: dict[str, list[list[tuple[float, float]]]] = {what: [] for what in ASKED}
    for seed in range(given.collections):
        with tempfile.TemporaryDirectory(prefix="untold-bench-") as folder:
            untold.perturb(plan, "t", table, out=Path(folder) / "r", seed=seed, progress=False)
            with untold.connect(Path(folder) / "r", summaries=False) as con:
                for what, (sql, groups) in ASKED.items():
                    answer = con.sql(sql).arrow()
                    chosen = list(zip(answer["x"].to_pylist(), answer["x_se"].to_pylist(), strict=True))
                    found[what].append(chosen[:: 10 if groups == 100 else 1])
    rows: list[list[Value]] = []
    for what, numbers in expected.items():
        values, errors = np.array(found[what]).transpose(2, 0, 1)  # each of shape (collections, groups)
        truth, exact = np.array(numbers).T
        mean = np.sqrt((errors**2).mean(axis=0)) / exact - 1
        single = errors / exact - 1
        covered = float((np.abs(values - truth) <= 1.96 * errors).mean())
        worst = float(np.abs(mean).max())
        rms = sqrt(float((mean**2).mean()))
        spread = sqrt(float((single**2).mean()))
        verdict = "held" if worst <= LINE else "NO"
        rows.append([what, len(exact), 100 * rms, 100 * worst, 100 * spread, 100 * covered, verdict])
    title = f"Standard errors, {given.attributes} attributes, {given.people:,} people, {given.collections} collections"
    columns = ["asked", "groups", "rms %", "worst %", "one collection, rms %", "covered %", f"worst within {LINE:.0%}"]
    show("accuracy-standard-errors", title, columns, rows)


def expectations(plan: untold.Plan, sql: str, groups: int, table: pa.Table) -> list[tuple[float, float]]:
    """For each group that is looked at: the true total, and its exact standard error."""
    compiled = compile_question(question(sql, plan), plan, blue)
    design, scan = plan.design("t"), compiled.scan
    codes = [
        np.array([a.code_of(v) for v in a_values])[places]
        for a in plan.service("t").sensitive
        for a_values, places in [_distinct(table[a.name])]
    ]
    chosen = compiled.groups[:: 10 if groups == 100 else 1]
    return [exact(design, scan, numbers[0], codes) for _, numbers in chosen]


def _distinct(column: pa.ChunkedArray) -> tuple[list[Any], Any]:
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()


def exact(design: Design, scan: Scan, total: int, codes: Codes) -> tuple[float, float]:
    """The true total and its exact standard error: the mean of a score is what a record stands for."""
    (piece,) = scan.totals[total]
    column = scan.columns[piece.columns[0]]
    people = len(codes[0])
    own = np.zeros(people)  # w of every record
    squares = 0.0
    for number, view in enumerate(design.views):
        chance = float(design.probability(number))
        blocks, constant = column.coefficients.blocks[number], float(column.coefficients.constants[number])
        if blocks is None or view.oracle.domain_size == 1:
            level = constant + (0.0 if blocks is None else float(blocks.spelled()[0]))
            own += chance * level
            squares += chance * level**2 * people
            continue
        cells = np.zeros(people, dtype=np.int64)
        for i, level_of in enumerate(view.levels):
            tree = design.space.trees[i]
            if level_of:
                cells = cells * tree.blocks(level_of) + codes[i] // tree.block_size(level_of)
        own += chance * (constant + blocks.spelled()[cells])
        oracle = view.oracle.listed
        assert oracle is not None
        inside, outside = oracle.likelihoods
        scored = column.of_view(number) ** 2
        mean = outside * scored.sum() + (inside - outside) * oracle.supports_from_counts(scored)
        squares += chance * float(mean @ np.bincount(cells, minlength=view.oracle.domain_size))
    scale = piece.coefficient
    return scale * float(own.sum()), abs(scale) * sqrt(squares - float(own @ own))
