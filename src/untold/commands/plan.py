"""`untold plan check`, `show`, `init`, `improve`, `discover`: checks a plan file, prints it in plain words, or proposes one."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.inputs import read_plan, read_question_file, read_question_log, write_questions
from untold.commands.parser import Parser, count, part
from untold.exact import at_most_text
from untold.plan.schema.service import DEFAULT_UNDECLARED


def plan_command(argv: Sequence[str]) -> int:
    """Check a plan, show it in words or in its frozen form, or propose one for a table."""
    if argv and argv[0] == "improve":
        return plan_improve_command(argv[1:])
    if argv and argv[0] == "init":
        from untold.commands.plan_init import plan_init_command

        return plan_init_command(argv[1:])
    if argv and argv[0] == "discover":
        from untold.commands.plan_discover import plan_discover_command

        return plan_discover_command(argv[1:])
    if argv and argv[0] == "diff":
        return plan_diff_command(argv[1:])
    if argv and argv[0] == "dossier":
        return plan_dossier_command(argv[1:])
    parser = Parser(
        "plan",
        "Check a plan file, or show what it collects and what it costs a person. `untold plan init TABLE` proposes one.",
        "untold plan show shop.toml",
    )
    parser.add_argument(
        "action",
        choices=("check", "show", "init", "improve", "discover", "diff", "dossier"),
        help="check: all mistakes at once; show: the plan in words; init: propose one; improve: what one for questions would give; "
        "discover: the frequent texts among reports; diff: what another one changes; dossier: for a data protection officer",
    )
    parser.add_argument("plan", help="a plan file, or a folder of reports")
    parser.add_argument("--json", action="store_true", help="show the frozen form that clients read")
    parser.add_argument(
        "--mixed", type=count, metavar="PEOPLE", help="show what mixing the reports of so many people promises"
    )
    parser.add_argument("--epochs", type=count, default=1, help="with mixing: of so many epochs together (default: 1)")
    parser.add_argument(
        "--people",
        type=count,
        help="show what to expect of so many, where questions are declared (default: what the plan says)",
    )
    given = parser.parse_args(argv)
    plan = read_plan(given.plan)
    if given.json:
        print(plan.to_json())
    elif given.action == "check":
        services = ", ".join(plan.services)
        print(
            f"{given.plan} is a valid plan: '{plan.name}', user-level epsilon {at_most_text(plan.epsilon)}, services: {services}."
        )
    else:
        from untold.plan.in_words.plan import plan_in_words

        print(plan_in_words(plan, given.mixed, given.epochs))
        if any(service.questions for service in plan.schema.services):
            from untold.ask.dashboard.in_words import answers_in_words

            print("\n" + "\n".join(answers_in_words(plan, given.people)))
    return 0


def plan_diff_command(argv: Sequence[str]) -> int:
    """What changes from one plan to another; 1 if installed devices refuse the second one."""
    parser = Parser(
        "plan diff",
        "Say what another version of a plan changes: for people, for devices that have followed the first one, and for "
        "analysts. Ends with 1 if these devices would refuse it.",
        "untold plan diff shop.toml shop_v2.toml",
    )
    parser.add_argument("before", help="the plan that devices have followed: a plan file, or a folder of reports")
    parser.add_argument("now", help="the plan that they are offered")
    given = parser.parse_args(argv)

    from untold.device.difference import difference

    found = difference(read_plan(given.before), read_plan(given.now))
    print(found)
    return 0 if found.followed else 1


def plan_dossier_command(argv: Sequence[str]) -> int:
    """What a data protection officer needs to know of a plan."""
    parser = Parser(
        "plan dossier",
        "What a data protection officer needs, made from the plan: what is collected, what a person gives up, who sees what, what "
        "is not protected, which errors to expect. What only your organisation knows is left to be filled in.",
        "untold plan dossier shop.toml --format html > dossier.html",
    )
    parser.add_argument("plan", help="a plan file, or a folder of reports")
    parser.add_argument(
        "--format",
        choices=("markdown", "html", "json"),
        default="markdown",
        help="markdown (default), html, or json: an entry for a register of deployments",
    )
    given = parser.parse_args(argv)

    from untold.plan.in_words.dossier import dossier

    found = dossier(read_plan(given.plan))
    print({"markdown": found.markdown, "html": found.html, "json": found.json}[given.format]())
    return 0


def plan_improve_command(argv: Sequence[str]) -> int:
    """Say what a plan made for a file of questions would give, against the plan that is there."""
    parser = Parser(
        "plan improve",
        "What a plan made for a file of questions would give: errors now and then, and how many people that saves. "
        "Nothing is written: `untold plan init TABLE --questions FILE` writes such a plan.",
        "untold plan improve shop.toml --questions asked.sql",
    )
    asked_in = parser.add_mutually_exclusive_group(required=True)
    parser.add_argument("plan", help="a plan file, or a folder of reports")
    asked_in.add_argument("--questions", metavar="FILE", help="SQL that was or will be asked; statements end by ;")
    asked_in.add_argument(
        "--log",
        metavar="FILE",
        help="questions that were asked, of untold.connect(log=...) or `untold serve --log-questions`",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="with --log: write the questions there, for `untold plan init --questions`. Read it first: every number and text in "
        "it becomes part of a public plan",
    )
    parser.add_argument("--people", type=count, help="for so many (default: what the plan says, or 500,000)")
    parser.add_argument(
        "--undeclared", type=part, default=DEFAULT_UNDECLARED, metavar="SHARE", help="the weight of all other questions"
    )
    parser.add_argument(
        "--parts", type=count, metavar="N", help="parts of every class (default: as many as so many people can tell)"
    )
    given = parser.parse_args(argv)
    from untold.ask.dashboard.improved import improvements_in_words

    if given.out is not None and given.log is None:
        parser.error("--out needs --log")
    plan = read_plan(given.plan)
    told: list[str] = []
    if given.log is None:
        asked = read_question_file(given.questions)
    else:
        asked, told = read_question_log(given.log, plan)
    lines = told + improvements_in_words(plan, asked, given.undeclared, given.parts, given.people)
    print("\n".join(lines))
    if given.out is not None:
        write_questions(given.out, asked)
        print(f"{given.out}: read it, then untold plan init TABLE --questions {given.out}")
    return 0
