"""`untold compact`: puts the small segments that tables were perturbed into together."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.parser import Parser

SMALL, LARGE = 1 << 20, 1 << 21  # rows: smaller segments are put together, into ones of at most so many


def compact_command(argv: Sequence[str]) -> int:
    """Fewer files, the same reports."""
    parser = Parser(
        "compact",
        "Put small segments together: a file costs a query about as much as a thousand reports in it. For reports of `untold "
        "perturb`; a collector does this by itself. Files that were put together stay for an hour, for those who read them.",
        "untold compact reports/",
    )
    parser.add_argument("reports", help="a folder of reports that no collector runs on, or a place in a bucket")
    given = parser.parse_args(argv)

    from untold.answers.numbers import count_text
    from untold.commands.inputs import readable_reports
    from untold.serve.reports.merge import Merger
    from untold.store import Folder
    from untold.store.bucket_writer import writer_to

    plan = Folder.open(readable_reports(given.reports)).plan
    with writer_to(given.reports, plan) as writer:
        merger = Merger(plan, writer, small=SMALL, large=LARGE)
        merger.forget()
        less = merger.compact()
        left = len(writer.manifest.segments)
    print(f"{count_text(left, 'segment')}, {less:,} fewer than before.")
    return 0
