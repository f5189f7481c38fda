"""`untold plan check`, `show` and `init`: checks a plan file, prints it in plain words, or proposes one."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.inputs import read_plan
from untold.commands.parser import Parser, count


def plan_command(argv: Sequence[str]) -> int:
    """Check a plan, show it in words or in its frozen form, or propose one for a table."""
    if argv and argv[0] == "init":
        from untold.commands.plan_init import plan_init_command

        return plan_init_command(argv[1:])
    parser = Parser(
        "plan",
        "Check a plan file, or show what it collects and what it costs a person. `untold plan init TABLE` proposes one.",
        "untold plan show shop.toml",
    )
    parser.add_argument(
        "action",
        choices=("check", "show", "init"),
        help="check: all mistakes at once; show: the plan in words; init: propose one",
    )
    parser.add_argument("plan", help="a plan file, or a folder of reports")
    parser.add_argument("--json", action="store_true", help="show the frozen form that clients read")
    parser.add_argument(
        "--mixed", type=count, metavar="PEOPLE", help="show what mixing the reports of so many people promises"
    )
    parser.add_argument("--epochs", type=count, default=1, help="with mixing: of so many epochs together (default: 1)")
    given = parser.parse_args(argv)
    plan = read_plan(given.plan)
    if given.json:
        print(plan.to_json())
    elif given.action == "check":
        services = ", ".join(plan.services)
        print(
            f"{given.plan} is a valid plan: '{plan.name}', user-level epsilon {plan.epsilon:g}, services: {services}."
        )
    else:
        from untold.words.plan import plan_in_words

        print(plan_in_words(plan, given.mixed, given.epochs))
    return 0
