"""What a person has told through a memory, and what it cost: integers of nano-epsilon, paid before anything is handed out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from untold.device.memory import Memory, Overtaken
from untold.errors import BudgetExceeded, StoreError
from untold.exact import NANO
from untold.store.sealed import sealed, unsealed

FORMAT = 1
TRIES = 100  # of storage that compares versions instead of locking
Result = TypeVar("Result")


@dataclass
class Account:
    """One person, named as on the wire: 17 and "17" are the same."""

    lifetime: int | None = None  # the least that an accepted plan or the app has promised
    spent: int = 0  # on fresh draws, in all plans and epochs
    left: dict[str, dict[str, int]] = field(default_factory=dict)  # by epoch, what left in it: plan/service -> cost
    reports: dict[str, Any] = field(default_factory=dict)  # plan/service/epoch -> the report
    values: dict[str, Any] = field(default_factory=dict)  # for `repeat = "changes"` alone: digest -> messages
    aside: dict[str, list[int]] = field(default_factory=dict)  # likewise: plan/service -> set aside, and used of that
    panels: dict[str, list[int]] = field(default_factory=dict)  # plan/cycle -> the epochs in which this device reports

    def bind(self, *promised: int | None) -> None:
        """No later plan can raise what was promised once."""
        known = [each for each in (self.lifetime, *promised) if each is not None]
        self.lifetime = min(known, default=None)

    def pay(self, what: str, cost: int) -> None:
        """Take the cost of a fresh draw from the lifetime, or refuse."""
        if self.lifetime is not None and self.spent + cost > self.lifetime:
            raise over(f"a new report for '{what}'", cost, "lifetime budget", self.lifetime, self.spent)
        self.spent += cost

    def set_aside(self, what: str, whole: int) -> None:
        """Take what new values of a service may cost, once and before any of them: what is left for others never depends
        on data. If less is left, that."""
        if what not in self.aside:
            left = whole if self.lifetime is None else min(whole, max(self.lifetime - self.spent, 0))
            self.spent += left
            self.aside[what] = [left, 0]

    def pay_aside(self, what: str, service: str, cost: int) -> None:
        """Take the cost of a new value from what is set aside for the service, or refuse. What a plan that came later has
        promised not to spend is set aside no more."""
        whole, used = self.aside[what]
        beyond = 0 if self.lifetime is None else max(self.spent - self.lifetime, 0)
        if used + cost > whole - beyond:
            name = f"part of the lifetime budget that is set aside for '{service}'"
            raise over(f"a new value for '{service}'", cost, name, max(whole - beyond, 0), used)
        self.aside[what] = [whole, used + cost]

    def leave(self, epoch: int, what: str, service: str, cost: int, ceiling: int | None) -> None:
        """Count a report among all that leave in an epoch, new or kept, or refuse; the same one again counts once."""
        now = self.left.setdefault(str(epoch), {})
        if what not in now and ceiling is not None and sum(now.values()) + cost > ceiling:
            name = f"device's ceiling for epoch {epoch}"
            raise over(f"a report for '{service}'", cost, name, ceiling, sum(now.values()))
        now[what] = cost


def over(what: str, cost: int, name: str, most: int, spent: int) -> BudgetExceeded:
    """What was asked, what remains, and the difference."""
    return BudgetExceeded(
        f"{what} costs epsilon {cost / NANO:g}; {max(most - spent, 0) / NANO:g} of the {name} of {most / NANO:g} remains, "
        f"{(cost - most + spent) / NANO:g} too little. Nothing was reported."
    )


def transact(memory: Memory, user: str, work: Callable[[Account], Result]) -> Result:
    """Work on a person's account while nobody else does. Its result is handed out when the account is durable; if it raises,
    nothing has changed."""
    for _ in range(TRIES):
        with memory.exclusive():
            before = memory.read()
            people = _read(before, memory)
            account = Account(**people.get(user, {}))
            result = work(account)
            after = _text({**people, user: vars(account)})
            if after == before or (user not in people and account == Account()):
                return result
            try:
                memory.write(after)
            except Overtaken:
                continue
            return result
    raise StoreError(f"{memory} is changed by others all the time. Nothing was reported.\nHint: try again later.")


def _text(people: dict[str, Any]) -> str:
    return sealed(json.dumps({"format": FORMAT, "people": people}))


def _read(text: str | None, memory: Memory) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        found = json.loads(unsealed(text, Path(str(memory))))
        if found["format"] == FORMAT:
            return dict(found["people"])
    except (StoreError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{memory} is damaged. It held what this device has told and what that cost; both are lost. Nothing was reported.\n"
            "Hint: do not start anew and do not restore an older copy: either forgets what was spent since, and the same "
            "values would be drawn again. Report nothing more for these people, or begin a new memory with "
            "Client(..., spent_before=<the lifetime>)."
        ) from error
    raise StoreError(
        f"{memory} is of format {found['format']}, this version of untold reads format {FORMAT}.\nHint: update untold."
    )
