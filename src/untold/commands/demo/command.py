"""`untold demo`: simulates a shop, collects its reports and answers eight questions."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.parser import Parser, count
from untold.commands.serve import need_serving

PEOPLE = 200_000
FEW_PEOPLE = 20_000
MIXED_PEOPLE = 100_000


def demo_command(argv: Sequence[str]) -> int:
    """Simulate, collect, ask."""
    parser = Parser(
        "demo",
        "Simulate a shop, collect reports with secure randomness, ask eight questions; truth and answers side by side.",
        "untold demo --users 1e6 --open",
    )
    parser.add_argument("--quick", action="store_true", help=f"{FEW_PEOPLE:,} people instead of {PEOPLE:,}")
    parser.add_argument("--users", type=count, metavar="N", help="how many people")
    parser.add_argument(
        "--out", default="untold-demo", metavar="FOLDER", help="where to leave everything (default untold-demo)"
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser at the end")
    parser.add_argument(
        "--serve", action="store_true", help=f"instead: a collector, {FEW_PEOPLE:,} devices over HTTP, and its pages"
    )
    parser.add_argument(
        "--mixed", action="store_true", help=f"instead: {MIXED_PEOPLE:,} devices, whose reports another party mixes"
    )
    parser.add_argument("--port", type=int, default=8000, help="of --serve (default 8000, or another if it is taken)")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which --serve ends (default 60)")
    given = parser.parse_args(argv)
    if given.serve:
        need_serving("untold demo --serve")

        from untold.commands.demo.live import live

        live(given.users or FEW_PEOPLE, given.out, given.port, given.minutes)
        return 0

    if given.mixed:
        need_serving("untold demo --mixed")

        from untold.commands.demo.mixed import mixed_tour

        mixed_tour(given.users or (FEW_PEOPLE if given.quick else MIXED_PEOPLE), given.out)
        return 0

    from untold.commands.demo.tour import tour

    page = tour(given.users or (FEW_PEOPLE if given.quick else PEOPLE), given.out)
    if given.open:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
    return 0
