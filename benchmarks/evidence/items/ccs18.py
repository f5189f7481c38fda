"""Items of CCS'18."""

from __future__ import annotations

from benchmarks.evidence.item import Item

ITEMS: tuple[Item, ...] = (
    Item("Equations 1 to 3", "variance of GRR, OUE and of the better of both", where="src/untold/oracles/grr.py",
         run="tests/contracts/test_oracle_noise.py"),
    Item("Section 3.3, equation 4", "FC: one table of all attributes (design `mg`)", where="src/untold/plan/designs/mg.py",
         run="tests/contracts/test_designs.py"),
    Item("Section 3.4, equation 5", "AM: all k-way marginals (design `am`)", where="src/untold/plan/designs/am.py",
         run="tests/marginals/test_marginals_plan.py"),
    Item("Section 3.5, A.1, equations 6 and 9", "FT: Fourier coefficients (design `ft`)", where="src/untold/plan/designs/ft.py",
         run="tests/marginals/test_marginals_rivals.py"),
    Item("Section 3.6, A.2", "EM: every attribute by itself (design `em`)", where="src/untold/plan/designs/em.py",
         run="tests/marginals/test_marginals_rivals.py"),
    Item("Section 4.3, equations 7 and 8, Algorithm 1", "noise and sampling errors; l and m",
         where="src/untold/plan/designs/choose.py", run="tests/marginals/test_marginals_choose.py"),
    Item("Figure 3", "noise error times k; the numbers behind Table 2", where="src/untold/plan/designs/choose.py",
         run="tests/marginals/test_marginals_choose.py"),
    Item("Section 4.4, A.3", "consistency of overlapping views", where="src/untold/marginals/family.py",
         run="tests/marginals/test_marginals_linear.py"),
    Item("A.3", "Ripple", where="src/untold/marginals/nonnegative.py", run="tests/marginals/test_marginals_plausible.py"),
    Item("A.3", "maximum entropy", where="src/untold/marginals/maximum_entropy.py",
         run="tests/marginals/test_marginals_plausible.py"),
    Item("Table 1", "notation", where="docs/papers_marginals.md", run="scripts/docs"),
    Item("Table 2", "l and m for 36 settings", exhibit="ccs18_table2"),
    Item("Table 3, A.4", "complexity: time for 32 attributes and a million people", where="benchmarks/speed/marginals.py",
         run="scripts/bench speed marginals"),
    Item("Figure 4", "CALM and rivals, binary tables", exhibit="ccs18_fig4"),
    Item("Figure 5", "the same on tables of categories, and BE", exhibit="ccs18_fig5"),
    Item("Figure 6", "a classifier trained on a noisy marginal", exhibit="ccs18_fig6"),
    Item("Figure 7", "size and number of views, and epsilon", exhibit="ccs18_fig7"),
    Item("Figure 8", "views chosen for another k, and PriView", exhibit="ccs18_fig8"),
    Item("Figure 9", "marginals of 2 to 10 attributes", exhibit="ccs18_fig9"),
    Item("Section 4.3, beyond it", "views by the noise of pairs, on other tables", exhibit="ccs18_views"),
    Item("Section 5.2", "the example of 0.0055 against 0.2266", exhibit="ccs18_example"),
)  # fmt: skip
