"""Items of CCS'18."""

from __future__ import annotations

from benchmarks.evidence.exhibit import DIFFERENT
from benchmarks.evidence.item import Item

BENCH, RUN = "benchmarks/accuracy/marginals.py", "scripts/bench accuracy marginals"
RIVALS, PLAUSIBLE = "tests/marginals/test_marginals_rivals.py", "tests/marginals/test_marginals_plausible.py"
OTHER_DATA = "POS and Kosarak are not to be had as packages: flights, police stops and voters in their place."

ITEMS: tuple[Item, ...] = (
    Item(
        "Definition 1",
        "local differential privacy, checked exactly",
        where="src/untold/exact.py",
        run="tests/privacy/test_oracles_exact.py",
    ),
    Item("Section 2.2", "GRR and OUE", where="src/untold/oracles", run="tests/contracts/test_oracle_noise.py"),
    Item(
        "Figure 1, Table 1",
        "tables and marginals",
        where="src/untold/marginals",
        run="tests/marginals/test_marginals_linear.py",
    ),
    Item(
        "Section 3.1",
        "FC: one full table (`mg`)",
        where="src/untold/designs/mg.py",
        run="tests/contracts/test_designs.py",
    ),
    Item(
        "Section 3.2",
        "AM: all k-way marginals",
        where="src/untold/designs/am.py",
        run="tests/contracts/test_designs.py",
    ),
    Item("Section 3.3", "EM, started as in appendix A.2", where="src/untold/marginals/split_em.py", run=RIVALS),
    Item("Section 3.4", "FT, Fourier coefficients", where="src/untold/marginals/fourier.py", run=RIVALS),
    Item(
        "Figure 2",
        "CALM from end to end",
        where="src/untold/designs/calm.py",
        run="tests/marginals/test_marginals_reports.py",
    ),
    Item(
        "Algorithm 1",
        "m and l from n, d, k and epsilon",
        where="src/untold/designs/choose.py",
        run="tests/marginals/test_marginals_choose.py",
        verdict=DIFFERENT,
        why="Its line 10 as printed does not give the paper's own Table 2; with the size of the covering design it does.",
    ),
    Item(
        "Figure 3",
        "noise errors by m and l",
        where="src/untold/designs/choose.py",
        run="tests/marginals/test_marginals_choose.py",
    ),
    Item(
        "Section 4.4",
        "consistency, all steps at once",
        where="src/untold/marginals/linear.py",
        run="tests/marginals/test_marginals_linear.py",
    ),
    Item("Appendix A.3", "Ripple, maximum entropy", where="src/untold/marginals/nonnegative.py", run=PLAUSIBLE),
    Item("Figure 4", "SSE on binary data", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item("Figure 5", "SSE on categorical data", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item("Figure 6", "classification", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item("Figure 7", "effects of l, m and epsilon", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item("Figure 9", "by k", where=BENCH, run=RUN, verdict=DIFFERENT, why=OTHER_DATA),
    Item(
        "Table 2",
        "all 360 cells of l and m",
        where="tests/marginals/table2.py",
        run="tests/marginals/test_marginals_choose.py",
    ),
    Item(
        "Table 3",
        "complexity of the methods",
        where="benchmarks/speed/marginals.py",
        run="scripts/bench speed marginals",
    ),
)
