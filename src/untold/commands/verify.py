"""`untold verify`: reads every file of a folder and compares it with its checksum."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.inputs import place_of_reports
from untold.commands.parser import Parser
from untold.errors import UntoldError


def verify_command(argv: Sequence[str]) -> int:
    """Read every byte of a folder."""
    parser = Parser("verify", "Check every byte of a folder of reports against its manifest.", "untold verify reports/")
    parser.add_argument("reports", help="a folder of reports")
    given = parser.parse_args(argv)

    from untold.answers.numbers import count_text
    from untold.serve.verify import faults
    from untold.store import Folder
    from untold.store.mirror import mirrored

    place = place_of_reports(given.reports)
    folder = Folder.open(mirrored(place) if isinstance(place, str) else place)
    folder.verify()
    if wrong := faults(folder.path, folder.plan):
        raise UntoldError(
            "\n".join([f"{given.reports} is not as its collector wrote it:", *(f"  - {w}" for w in wrong)])
        )
    for name in folder.plan.services:
        epochs = folder.epochs(name)
        listed = f", epoch{'s' if len(epochs) > 1 else ''} {', '.join(map(str, epochs))}" if epochs else ""
        print(f"{name}: {folder.rows(name):,} reports in {count_text(len(folder.segments(name)), 'segment')}{listed}")
    if folder.insecure:
        print("Some reports were made with a seed, for an experiment: they protect nobody.")
    print(f"{given.reports} is as it was written.")
    return 0
