"""The client in Python as a program that `untold audit` can run: python -m untold.auditing

Reads the plan and then one person a line, and writes what leaves that person's device (docs/audit.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import IO, Any

from untold.auditing.events import Reply
from untold.auditing.histories import Step, Steps
from untold.device.client import Client
from untold.errors import BudgetExceeded, PlanError
from untold.plan import Plan
from untold.randomness import Replayed
from untold.wire.layout import Layout
from untold.wire.strict_json import json_report


def replies(
    plan: Plan, user: str, steps: Steps, client_type: Callable[[Plan, str], Client] = Client
) -> Sequence[Reply]:
    """What leaves the device of a new person: for each step the report as in docs/wire.md, or None if there is silence."""
    client = client_type(plan, user)
    return [reply(client, step) for step in steps]


def reply(client: Client, step: Step) -> Reply:
    """Of one step."""
    try:
        reports = client.report(step.service, step.rows, step.epoch)
    except BudgetExceeded:
        return None
    if not reports:
        return None
    layout = Layout.of(client.plan, step.service)
    return json_report(
        layout, reports[0].epoch, str(client.user), [r.messages for r in reports], dict(reports[0].public)
    )


def main(lines: IO[str], out: IO[str], client_type: type[Client] = Client) -> None:
    """Until the lines end."""
    text, refused = json.loads(lines.readline())["plan"], ""
    try:
        plan = Plan.from_json(text)
    except PlanError as error:
        refused = str(error)
    for line in lines:
        answer = {"refused": refused} if refused else _answer(plan, json.loads(line), client_type)
        print(json.dumps(answer), file=out, flush=True)


def _answer(plan: Plan, person: dict[str, Any], client_type: type[Client]) -> Sequence[Reply]:
    steps = tuple(Step(each["service"], tuple(each["rows"]), each["epoch"]) for each in person["steps"])
    if "words" not in person:
        return replies(plan, person["user"], steps, client_type)
    given = Replayed(list(map(int, person["words"])))
    return replies(plan, person["user"], steps, lambda plan, user: client_type(plan, user, rng=given))
