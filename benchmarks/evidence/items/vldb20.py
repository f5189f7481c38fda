"""Items of VLDB'20."""

from __future__ import annotations

from benchmarks.evidence.exhibit import DIFFERENT
from benchmarks.evidence.item import Item

USER_LEVEL, JOINS = "tests/privacy/test_user_level.py", "tests/contracts/test_expectation_joins.py"
BOUNDS, CLOSED = "tests/test_evidence_theorems.py", "tests/test_evidence_closed_forms.py"

ITEMS: tuple[Item, ...] = (
    Item(
        "Figures 1, 2", "several services, and the attack by numbers of rows", where="src/untold/device", run=USER_LEVEL
    ),
    Item("Table 1", "notations", where="docs/how_it_works.md", run="tests/test_docs.py"),
    Item(
        "Definitions 1, 3",
        "user-level privacy over all services, checked exactly",
        where="src/untold/plan",
        run=USER_LEVEL,
    ),
    Item("Proposition 2", "composition over services", where="src/untold/plan", run=USER_LEVEL),
    Item("Section 3.2", "SR-HIO: all roundings in every report", where="src/untold/plan/designs/sr_hio.py", run=JOINS),
    Item(
        "Section 3.3.1, Figure 3, Lemma 4",
        "AHIO: augment, then perturb",
        where="src/untold/plan/designs/ahio.py",
        run=BOUNDS,
    ),
    Item(
        "Section 3.3.2",
        "EHIO: embed, then perturb",
        where="src/untold/plan/designs/ehio.py",
        run=CLOSED,
        verdict=DIFFERENT,
        why="The mirrored range is printed with its ends exchanged; the tree parts the halves at its first level.",
    ),
    Item(
        "Section 4.1",
        "SC-JOIN",
        where="src/untold/plan/designs/sc_join.py",
        run=JOINS,
        verdict=DIFFERENT,
        why="All attributes are rounded instead of partitioning people: its reports speak of every attribute anyway.",
    ),
    Item(
        "Section 4.2, Figure 4, Lemma 5",
        "HIO-JOIN: products of scores in place of inverted states",
        where="src/untold/plan/designs/hio_join.py",
        run="tests/scores/test_state_inversion.py",
    ),
    Item(
        "Section 5.2, Lemma 6",
        "tau-truncation is user-level private",
        where="src/untold/plan/designs/base.py",
        run=USER_LEVEL,
        verdict=DIFFERENT,
        why="Dummies are one fixed row of weight 0. Epsilon / (tau + 1) for each report is a "
        "choice of the plan: "
        "epsilon_share = tau / (tau + 1).",
    ),
    Item(
        "Section 5.3, Lemmas 7, 8", "double rounding is unbiased", where="src/untold/plan/designs/derived.py", run=JOINS
    ),
    Item(
        "Section 6, Figure 5, Lemma 9",
        "range consistency (RDC)",
        where="src/untold/ask/scores/decompose.py",
        run=BOUNDS,
    ),
    Item("Figure 6", "sums of a sensitive attribute", exhibit="vldb20_fig6"),
    Item("Table 2", "averages over census records", exhibit="vldb20_table2"),
    Item("Figure 7", "RDC by number of ranges and of decompositions", exhibit="vldb20_fig7"),
    Item("Figure 8", "joins, one-to-one and one-to-many", exhibit="vldb20_fig8"),
    Item("Figure 9", "households of two states; made-up ones of the published sizes", exhibit="vldb20_fig9"),
    Item(
        "Section 8.1, Figure 10",
        "HIO-GROUP-BY",
        where="src/untold/ask/scores/grouped.py",
        run="tests/decoded/test_joined_groups.py",
    ),
    Item("Figures 11, 12", "groups of a sensitive attribute", exhibit="vldb20_fig12"),
    Item(
        "Section 8.2",
        "star schema: public and sensitive tables",
        where="src/untold/ask/star",
        run="tests/test_star_sensitive.py",
    ),
)
