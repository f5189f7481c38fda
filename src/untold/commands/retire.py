"""`untold retire`: removes the reports of old epochs, for good."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.parser import Parser


def retire_command(argv: Sequence[str]) -> int:
    """Remove reports; what they cost stays known."""
    parser = Parser(
        "retire",
        "Remove the reports of all epochs before one, for good. What people have given up is not given back: these epochs still "
        "count for the lifetime, and nobody can be drawn for them again. Reports that are made once for all epochs stay.",
        "untold retire reports/ --before 12",
    )
    parser.add_argument("reports", help="a folder of reports that no collector runs on, or a place in a bucket")
    parser.add_argument("--before", type=int, required=True, metavar="EPOCH", help="the first epoch that stays")
    given = parser.parse_args(argv)
    if given.before < 0:
        parser.error(f"--before {given.before}: epochs are numbered 0, 1, 2, ...")

    from untold.commands.inputs import readable_reports
    from untold.serve.reports.merge import remove_summaries
    from untold.store import Folder
    from untold.store.bucket_writer import writer_to

    plan = Folder.open(readable_reports(given.reports)).plan
    with writer_to(given.reports, plan) as writer:
        kept = {service.name for service in plan.schema.services if service.repeat == "once"}
        before = writer.manifest
        gone = writer.withdraw(range(given.before), keep=kept)
        remove_summaries(writer.path, gone)
        rows = sum(each.rows for each in before.segments) - sum(each.rows for each in writer.manifest.segments)
    print(f"Removed {rows:,} reports of epochs before {given.before}; what they cost still counts.")
    return 0
