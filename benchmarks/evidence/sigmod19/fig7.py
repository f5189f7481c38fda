"""SIGMOD'19, Figure 7: two ordinal attributes, 256 x 256 and 1024 x 64; error by volume of the box."""

from __future__ import annotations

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Exhibit, Numbers, Results
from benchmarks.evidence.line import above, below
from benchmarks.evidence.sigmod19.boxes import NAMES, box_error

EPSILON, USERS = 2.0, 1_000_000
DOMAINS = {"256 x 256": (256, 256), "1024 x 64": (1024, 64)}
VOLUMES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
MECHANISMS = ("mg", "hi", "hio", "default")


def cells() -> list[Cell]:
    return [
        {"domain": d, "mechanism": NAMES[name], "volume": v} for d in DOMAINS for name in MECHANISMS for v in VOLUMES
    ]


def run(cell: Cell, seed: int) -> Numbers:
    mechanism = next(short for short, long in NAMES.items() if long == cell["mechanism"])
    sizes = DOMAINS[str(cell["domain"])]
    return {"error": box_error(mechanism, sizes, EPSILON, float(cell["volume"]), USERS, seed)}


def draw(results: Results) -> object:
    def panel(letter: str, domain: str) -> Panel:
        points = [
            Point(float(o.cell["volume"]), 100 * o.mean["error"], str(o.cell["mechanism"]), 100 * o.error["error"])
            for o in results.where(domain=domain)
        ]
        return Panel(f"({letter}) {domain}", "volume of the box", "mean error, % of all", points, log_x=True)

    return lines([panel(letter, domain) for letter, domain in zip("ab", DOMAINS, strict=True)])


def at(mechanism: str, volume: float, domain: str = "256 x 256") -> Cell:
    return {"domain": domain, "mechanism": mechanism, "volume": volume}


FIG7 = Exhibit(
    id="sigmod19_fig7",
    title="Figure 7: two ordinal attributes, by volume",
    what="A box over two sensitive attributes is counted by each mechanism; the volume is its share of the domain.",
    parameters={"m": "256 x 256 and 1024 x 64", "epsilon": EPSILON, "people": USERS, "oracle": "OLH", "data": "evenly spread"},
    cells=cells,
    run=run,
    runs=30,
    claims=(
        Claim("MG is better up to a volume of 0.01 (256 x 256)", "MG / HIO below 1", "stated in the text",
              lambda r: r.ratio("error", at("MG", 0.01), at("HIO", 0.01)), below(1)),
        Claim("the same, 1024 x 64", "MG / HIO below 1", "stated in the text",
              lambda r: r.ratio("error", at("MG", 0.01, "1024 x 64"), at("HIO", 0.01, "1024 x 64")), below(1)),
        Claim("MG is much worse beyond", "MG / HIO far above 1 at 0.8", "stated in the text",
              lambda r: r.ratio("error", at("MG", 0.8), at("HIO", 0.8)), above(2)),
        Claim("HI is worse by orders of magnitude in variance", "HI / HIO above 3.2, its square above 10",
              "stated in the introduction", lambda r: r.ratio("error", at("HI", 0.2), at("HIO", 0.2)), above(3.2)),
    ),
    draw=draw,
    uses=("benchmarks.evidence.sigmod19.boxes", "benchmarks.queries.variances"),
)  # fmt: skip
