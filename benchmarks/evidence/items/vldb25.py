"""Items of VLDB'25."""

from __future__ import annotations

from benchmarks.evidence.exhibit import DIFFERENT
from benchmarks.evidence.item import Item

BENCH, RUN = "benchmarks/accuracy/fusion.py", "scripts/bench accuracy fusion"
NUMERIC, MEAN, DISTRIBUTION = (
    "tests/numeric/test_numeric_contract.py",
    "tests/fusion/test_fusion_mean.py",
    "tests/fusion/test_fusion_distribution.py",
)
OTHER_DATA = "Flights in place of taxi rides; the shape of Beta+Sin is not published."

ITEMS: tuple[Item, ...] = (
    Item(
        "Section 2",
        "Laplace, SR, PM, SW",
        where="src/untold/numeric",
        run=NUMERIC,
        verdict=DIFFERENT,
        why="Answers are whole numbers on a grid, so that privacy is exact; SW's constants are misprinted in the paper.",
    ),
    Item(
        "Figures 1, 2",
        "one number, several services",
        where="src/untold/fusion/read.py",
        run="tests/fusion/test_fusion_read.py",
    ),
    Item("Theorem 4.1", "SW made unbiased", where="src/untold/numeric/square_wave.py", run=NUMERIC),
    Item("Section 4.1", "UA: plain averages", where="src/untold/fusion/averaging.py", run=MEAN),
    Item("Figure 3", "variances of the mechanisms", where="src/untold/numeric/base.py", run=NUMERIC),
    Item(
        "Algorithm 1",
        "Bayesian updating of a person's posterior",
        where="src/untold/fusion/user_likelihood.py",
        run=MEAN,
    ),
    Item(
        "Theorem 4.2, Algorithm 2",
        "UWA: weights by posterior variance",
        where="src/untold/fusion/user_weighting.py",
        run=MEAN,
        verdict=DIFFERENT,
        why="Weights are normalised over services; the paper prints buckets.",
    ),
    Item(
        "Theorem 5.1, Algorithm 3",
        "ULE: maximum likelihood by EM",
        where="src/untold/fusion/maximise.py",
        run=DISTRIBUTION,
    ),
    Item("Figure 4", "by epsilon", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item("Figure 5", "by budgets of the services", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item("Figure 6", "one mechanism; many dimensions", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item("Figure 7", "by number of services and of people", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item("Figure 8", "strategies of collectors", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item("Table 1", "execution time", where="benchmarks/speed/fusion.py", run="scripts/bench speed fusion"),
)
