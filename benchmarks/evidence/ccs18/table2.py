"""CCS'18, Table 2: the l and m that Algorithm 1 chooses."""

from __future__ import annotations

from benchmarks.evidence.ccs18.published import TABLE2
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results, Table
from benchmarks.evidence.line import exactly
from untold.plan.designs.balance import balance
from untold.plan.designs.choose import Setting, choose

EPSILONS = tuple(round(0.2 * (i + 1), 1) for i in range(10))


def cells() -> list[Cell]:
    return [{"d": d, "k": k, "log n": n} for d, k, n in TABLE2]


def run(cell: Cell, seed: int) -> Numbers:
    """How many of ten published pairs come out; what "auto" takes beside them."""
    d, k, n = int(cell["d"]), int(cell["k"]), int(cell["log n"])
    found: dict[str, float] = {"equal": 0.0}
    for epsilon, published in zip(EPSILONS, TABLE2[d, k, n].split(), strict=True):
        setting = Setting(2**n, epsilon, (2,) * d, k)
        ours, auto = choose(setting), balance(setting)
        found["equal"] += f"{ours.length},{ours.views}" == published
        found |= {f"l {epsilon}": ours.length, f"m {epsilon}": ours.views}
        found |= {f"auto l {epsilon}": auto.length, f"auto m {epsilon}": auto.views}
    return found


def table(results: Results) -> list[list[str]]:
    rows = []
    for o in results.outcomes:
        said = [f"{o.mean[f'l {e}']:.0f}, {o.mean[f'm {e}']:.0f}" for e in EPSILONS]
        rows.append([f"{o.cell['d']}, {o.cell['k']}, 2^{o.cell['log n']}", *said])
    return rows


def table_auto(results: Results) -> list[list[str]]:
    rows = []
    for o in results.outcomes:
        said = [f"{o.mean[f'auto l {e}']:.0f}, {o.mean[f'auto m {e}']:.0f}" for e in EPSILONS]
        rows.append([f"{o.cell['d']}, {o.cell['k']}, 2^{o.cell['log n']}", *said])
    return [row for row in rows if row[0].split(", ")[1] in ("3", "8")]


HEAD = ("d, k, n", *map(str, EPSILONS))

TABLE_2 = Exhibit(
    id="ccs18_table2",
    title="Table 2: the size l and the number m of views",
    what="Algorithm 1 chooses how many attributes a view holds and how many views there are, for 36 settings and ten epsilons.",
    parameters={"theta": 0.001, "attributes": "binary"},
    cells=cells,
    run=run,
    runs=1,
    claims=(
        Claim("entries of the table that are the same", "all", "printed",
              lambda r: Estimate(sum(o.mean["equal"] for o in r.outcomes), unit=" of 360"),
              exactly(360)),
    ),
    draw=None,
    tables=(
        Table(HEAD, table, "Algorithm 1 (`views = \"published\"`): l, m for each epsilon. All equal the printed ones."),
        Table(HEAD, table_auto, "What `views = \"auto\"` takes for k = 3 and k = 8."),
    ),
    findings=lambda _: (
        "Line 10 of the printed algorithm has C(d, l) where no smaller l is left. Only the size of the covering design in its "
        "place gives the printed table (d = 16, k = 3, n = 2^18).",
    ),
    uses=("untold.plan.designs.choose", "untold.plan.designs.covering", "untold.plan.designs.balance"),
)  # fmt: skip
