"""`untold perturb`: a table in, a folder of perturbed reports out."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.inputs import read_plan
from untold.commands.parser import Parser, renamings
from untold.errors import AlreadyReported, UntoldError


def perturb_command(argv: Sequence[str]) -> int:
    """Turn a table into reports."""
    parser = Parser(
        "perturb",
        "Turn a table of records into reports, with secure randomness. Bad rows are refused, and then nothing is written.",
        "untold perturb shop.toml users users.parquet --out reports/",
    )
    parser.add_argument("plan", help="a plan file")
    parser.add_argument("service", help="which service of the plan the table belongs to")
    parser.add_argument(
        "table",
        help="a Parquet file, a folder or pattern of them, a .csv file (read into memory), or one of either at s3:// or gs://",
    )
    parser.add_argument(
        "--out",
        required=True,
        metavar="FOLDER",
        help="the folder, or the place in a bucket (s3://, gs://), to add the reports to",
    )
    parser.add_argument(
        "--population", metavar="FILE", help="everybody who is asked, for services with many rows per user"
    )
    parser.add_argument(
        "--epoch", type=int, default=0, metavar="N", help="the collection that the reports belong to (default 0)"
    )
    parser.add_argument("--on-invalid", choices=("refuse", "drop"), default="refuse", help="bad rows (default refuse)")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="repeatable draws, for experiments: such reports protect nobody"
    )
    parser.add_argument(
        "--columns",
        type=renamings,
        default={},
        metavar="NAME=COLUMN,...",
        help="where the table has other names than the plan; columns that the plan does not have are left aside",
    )
    parser.add_argument(
        "--run-id",
        metavar="NAME",
        help="a name for this run, such as a scheduler's date: once it has counted, starting it again draws nobody and succeeds",
    )
    given = parser.parse_args(argv)

    from untold.collect.perturb import perturb

    plan = read_plan(given.plan)
    options = {"columns": given.columns, "epoch": given.epoch, "seed": given.seed, "on_invalid": given.on_invalid}
    options |= {"run_id": given.run_id}
    try:
        print(perturb(plan, given.service, given.table, out=given.out, population=given.population, **options))
    except AlreadyReported as error:
        raise AlreadyReported(as_options(str(error))) from error
    except UntoldError as error:
        raise UntoldError(as_options(str(error))) from error
    return 0


def as_options(message: str) -> str:
    """Python's arguments, as the command line writes them.

    >>> as_options("pass the next epoch=.")
    'pass the next --epoch.'
    """
    for argument, option in (
        ('on_invalid="drop"', "--on-invalid drop"),
        ('population="present"', "--population present"),
        ("population=", "--population"),
        ("epoch=", "--epoch"),
        ("columns: ", "--columns: "),
        ("run_id", "--run-id"),
    ):
        message = message.replace(argument, option)
    return message.replace(" (a list, a column, a table or a Parquet path)", " (Parquet or CSV)")
