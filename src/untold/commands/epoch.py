"""`untold epoch`: on which day an epoch of a folder began."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.parser import Parser


def epoch_command(argv: Sequence[str]) -> int:
    """Give an epoch a date, and show all that have one."""
    parser = Parser(
        "epoch",
        "Say on which day an epoch began: the column epoch_start in SQL. Without --from, show the dates that are known. Where "
        "a collector runs on the folder: untold serve epoch open 3 --from 2026-11-01 --data reports/.",
        "untold epoch reports/ 3 --from 2026-11-01",
    )
    parser.add_argument("reports", help="a folder of reports")
    parser.add_argument("epoch", nargs="?", type=int, help="its number")
    parser.add_argument("--from", dest="start", metavar="DATE", help="its first day, such as 2026-11-01")
    given = parser.parse_args(argv)
    if (given.epoch is None) != (given.start is None):
        parser.error("a number and --from belong together")

    from untold.store import Folder
    from untold.store.epoch_dates import date_epoch

    if given.start is not None:
        date_epoch(given.reports, given.epoch, given.start)
    known = Folder.open(given.reports).epoch_dates()
    print(
        "\n".join(f"epoch {number} began on {day}" for number, day in sorted(known.items())) or "No epoch has a date."
    )
    return 0
