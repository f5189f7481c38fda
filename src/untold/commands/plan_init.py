"""`untold plan init`: proposes a plan for tables that somebody has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from untold.commands.inputs import check_writable
from untold.commands.parser import Parser, count, share
from untold.errors import UntoldError

if TYPE_CHECKING:
    from untold.plan import Plan
    from untold.proposals.plan_text import Service

EPSILON = 1.0
PATIENCE = 20.0  # seconds for questions to show: a plan is made once


def plan_init_command(argv: Sequence[str]) -> int:
    """Write a plan file that fits the tables, and say what to expect of it."""
    parser = Parser(
        "plan init",
        "Propose a plan for tables that you have: kinds, domains, rows per person, missing values. Bounds that it reads "
        "from the data are themselves information about people; each is marked.",
        "untold plan init users.parquet orders.csv --key uid --out shop.toml",
    )
    parser.add_argument(
        "tables", nargs="+", metavar="TABLE", help="Parquet, CSV or Arrow files; each becomes a service"
    )
    parser.add_argument(
        "--key", metavar="COLUMN", help="the column that tells people apart (default: uid, user_id, id ...)"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="the plan file to write (default: the first table's name with .toml)"
    )
    parser.add_argument("--epsilon", type=share, default=EPSILON, metavar="E", help=f"user-level (default {EPSILON})")
    parser.add_argument(
        "--people",
        type=count,
        metavar="N",
        help="how many will report, for forecasts (default: as many as in the data)",
    )
    given = parser.parse_args(argv)
    out = Path(given.out or Path(given.tables[0]).with_suffix(".toml").name)
    check_writable(str(out))
    if out.exists():
        raise UntoldError(f"{out} is there already, and is not overwritten.\nHint: --out another.toml.")

    from untold.plan import Plan
    from untold.proposals.columns import plain_name
    from untold.proposals.plan_text import plan_text, service_of
    from untold.proposals.tables import find_table, key_of

    tables = [find_table(path) for path in given.tables]
    key = key_of(tables, given.key)
    user_key = plain_name(key, set()) if key else "uid"
    services: list[Service] = []
    for table in tables:
        services.append(service_of(table, key, user_key, [service.name for service in services]))
        if not services[-1].kept:
            said = "; ".join(f"{name}: {proposal.remark}" for _, name, proposal in services[-1].columns)
            raise UntoldError(f"{table.path} has no column to collect beside '{key}'. {said}.")
    text = plan_text(plain_name(out.stem, set()), user_key, given.epsilon, services)
    plan = _loaded(text)
    people = given.people or max(service.people.number for service in services)
    lines = [*_commands(out, key, user_key, services, given.tables), *_expected(plan, people)]
    out.write_text(text + "\n" + "\n".join(f"# {line}".rstrip() for line in lines) + "\n", encoding="utf-8")
    Plan.load(out)
    marked = text.count("from the data:") - 1
    print(
        f"{out}: {len(services)} service{'s' if len(services) > 1 else ''}, "
        f"{sum(service.kept for service in services)} attributes; {marked} bounds are from the data: replace them."
    )
    for service in services:
        for column, _, proposal in service.columns:
            if proposal.declared is None:
                print(f"  left out: {service.name}.{column}. {proposal.remark}.")
    print("\n".join(["", *lines]))
    return 0


def _loaded(text: str) -> Plan:
    import tomllib

    from untold.plan import Plan

    return Plan.from_dict(tomllib.loads(text))


def _commands(out: Path, key: str, user_key: str, services: Sequence[Service], tables: Sequence[str]) -> list[str]:
    """What to type next, with the columns that have another name in the plan."""
    lines = ["Then:"]
    for service, table in zip(services, tables, strict=True):
        renamed = [
            f"{name}={column}" for column, name, proposal in service.columns if proposal.declared and name != column
        ]
        renamed = [f"{user_key}={key}", *renamed] if key != user_key else renamed
        columns = f" --columns '{','.join(renamed)}'" if renamed else ""
        population = " --population present" if service.people.most > 1 else ""
        lines.append(f"  untold perturb {out} {service.name} {table} --out reports/{population}{columns}")
    return lines


def _expected(plan: Plan, people: int) -> list[str]:
    """The errors of questions that make sense for this plan."""
    from untold.results.numbers import number_text
    from untold.serve.queries.examples import examples

    lines = ["", f"What to expect of {people:,} people, if values were spread evenly (95% interval):"]
    for example in examples(plan, PATIENCE):
        try:
            found = plan.forecast(example.sql, users=people)
        except UntoldError:  # public columns, which nobody can foresee
            continue
        widths = ", ".join(f"{column.name} ± {number_text(1.96 * column.se, column.se)}" for column in found.columns)
        per = f" in each of {found.groups} groups" if found.groups > 1 else ""
        lines.append(f"  {example.words}  {widths}{per}")
    return lines
