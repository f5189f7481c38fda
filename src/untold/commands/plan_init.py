"""`untold plan init`: proposes a plan for tables that somebody has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from untold.commands.inputs import check_writable, read_question_file
from untold.commands.parser import Parser, count, part, share
from untold.errors import PlanError, UntoldError
from untold.plan.schema.service import DEFAULT_UNDECLARED

if TYPE_CHECKING:
    from untold.plan import Plan
    from untold.plan.proposals.plan_text import AskedService, ProposedService

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
    parser.add_argument(
        "--questions",
        metavar="FILE",
        help="a file of SQL that will be asked: the plan is made for it (statements end by ;)",
    )
    parser.add_argument(
        "--undeclared",
        type=part,
        default=DEFAULT_UNDECLARED,
        metavar="SHARE",
        help=f"with --questions: the weight of all other questions, 0 to below 1 (default {DEFAULT_UNDECLARED})",
    )
    parser.add_argument(
        "--parts",
        type=count,
        metavar="N",
        help="with --questions: parts of every class, for questions that are not in the file "
        "(default: as many as so many people can tell at this epsilon)",
    )
    given = parser.parse_args(argv)
    out = Path(given.out or Path(given.tables[0]).with_suffix(".toml").name)
    check_writable(str(out))
    if out.exists():
        raise UntoldError(f"{out} is there already, and is not overwritten.\nHint: --out another.toml.")

    from untold.plan import Plan
    from untold.plan.proposals.columns import plain_name
    from untold.plan.proposals.plan_text import made_for, plan_text, service_of
    from untold.plan.proposals.tables import find_table, key_of
    from untold.plan.schema.kinds.classes import PARTS as CLASS_PARTS

    tables = [find_table(path) for path in given.tables]
    key = key_of(tables, given.key)
    user_key = plain_name(key, set()) if key else "uid"
    services: list[ProposedService] = []
    for table in tables:
        services.append(service_of(table, key, user_key, [service.name for service in services]))
        if not services[-1].kept:
            said = "; ".join(f"{name}: {proposal.remark}" for _, name, proposal in services[-1].columns)
            raise UntoldError(f"{table.path} has no column to collect beside '{key}'. {said}.")
    people = given.people or max(service.people.number for service in services)
    named, asked = plain_name(out.stem, set()), None
    if given.questions is not None:
        if given.parts not in (None, *CLASS_PARTS):
            raise UntoldError(f"--parts {given.parts}: one of {', '.join(map(str, CLASS_PARTS))} is needed.")
        asked = _asked(
            given.questions, (named, user_key, given.epsilon, people), services, given.parts, given.undeclared
        )
    text = plan_text(named, user_key, given.epsilon, services, given.people or (people if asked else None), asked)
    plan = _loaded(text)
    if asked is not None:
        services = [made_for(service, asked[service.name]) for service in services]
    told = _expected_answers(plan, people) if asked else _expected(plan, people)
    lines = [*_commands(out, key, user_key, services, given.tables), *told]
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


def _asked(
    file: str,
    head: tuple[str, str, float, int],
    services: Sequence[ProposedService],
    parts: int | None,
    undeclared: float,
) -> dict[str, AskedService]:
    """What a file of questions makes of all services. PlanError names each question that cannot be answered; nothing is
    written then."""
    from untold.ask.dashboard.made import made_for
    from untold.plan.proposals.plan_text import AskedService, finest
    from untold.plan.schema import read_schema

    asked = read_question_file(file)
    name, user_key, epsilon, people = head
    declared = {
        service.name: {
            "attributes": finest(service),
            **({"rows_per_user": {"max": 2}} if service.people.most > 1 else {}),
        }
        for service in services
    }
    schema = read_schema(
        {"name": name, "user_key": user_key, "epsilon": epsilon, "people": people, "services": declared}, "the table"
    )
    try:
        made = made_for(schema, asked, undeclared, parts)
    except PlanError as refused:
        raise PlanError(refused.mistakes, file) from None
    silent = [name for name, columns in made.attributes.items() if not columns]
    if silent:
        raise UntoldError(f"No question names a column of {', '.join(silent)}.\nHint: leave that table out.")
    return {
        service.name: AskedService(
            made.questions[service.name],
            undeclared,
            made.attributes[service.name],
            made.shares[service.name],
        )
        for service in services
    }


def _expected_answers(plan: Plan, people: int) -> list[str]:
    """The errors of the declared questions, worst first, and what declaring them bought."""
    from untold.ask.dashboard.in_words import answers_in_words

    return ["", *answers_in_words(plan, people)]


def _loaded(text: str) -> Plan:
    import tomllib

    from untold.plan import Plan

    return Plan.from_dict(tomllib.loads(text))


def _commands(
    out: Path, key: str, user_key: str, services: Sequence[ProposedService], tables: Sequence[str]
) -> list[str]:
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
    from untold.answers.numbers import number_text
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
