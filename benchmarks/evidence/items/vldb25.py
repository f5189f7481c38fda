"""Items of VLDB'25."""

from __future__ import annotations

from benchmarks.evidence.exhibit import DIFFERENT
from benchmarks.evidence.item import Item

NUMERIC, MEAN = "tests/numeric/test_numeric_contract.py", "tests/fusion/test_fusion_mean.py"

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
    Item("Figure 3", "variances of the mechanisms", exhibit="vldb25_fig3"),
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
    Item("Theorem 5.1, Algorithm 3", "ULE: maximum likelihood by EM", exhibit="vldb25_ule"),
    Item("Figure 4", "equal budgets, by epsilon", exhibit="vldb25_fig4"),
    Item("Figure 5", "unequal budgets of the services", exhibit="vldb25_fig5"),
    Item("Figure 6", "one mechanism; many dimensions", exhibit="vldb25_fig6"),
    Item("Figure 7", "by number of services and of people", exhibit="vldb25_fig7"),
    Item("Figure 7b", "more services, by other readings", exhibit="vldb25_fig7b"),
    Item("Figure 8", "strategies of collectors", exhibit="vldb25_fig8"),
    Item("Section 4.3, beyond it", "UWA's bias; the log-spline against smoothed EM", exhibit="vldb25_beyond"),
    Item("Table 1", "execution time", where="benchmarks/speed/fusion.py", run="scripts/bench speed fusion"),
)
