"""What a person has told through a memory, and what it cost: integers of nano-epsilon, paid before anything is handed out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from untold.device.memory import Memory, Overtaken
from untold.errors import AlreadyReported, BudgetExceeded, StoreError
from untold.exact import nano_text
from untold.store.sealed import sealed, unsealed

FORMAT = 1
TRIES = 100  # of storage that compares versions instead of locking
Result = TypeVar("Result")


@dataclass
class Account:
    """One person, named as on the wire: 17 and "17" are the same."""

    lifetime: int | None = None  # the least that an accepted plan or the app has promised
    spent: int = 0  # through this memory, on fresh draws in all plans and epochs
    before: int = 0  # elsewhere: the most that the app has said so far
    left: dict[str, dict[str, int]] = field(default_factory=dict)  # by epoch, what left in it: plan/service -> cost
    reports: dict[str, Any] = field(default_factory=dict)  # plan/service/epoch, or mechanism/once -> the report
    values: dict[str, Any] = field(default_factory=dict)  # for `repeat = "changes"` alone: digest -> messages
    aside: dict[str, list[int]] = field(default_factory=dict)  # likewise: name/service -> set aside, and used of that
    panels: dict[str, list[int]] = field(default_factory=dict)  # name/panel/cycle -> the epochs in which it reports
    versions: dict[str, str] = field(default_factory=dict)  # name/epoch -> the plan under which it took part
    # what other keys of this memory have let leave, by epoch; not kept here
    elsewhere: dict[str, int] = field(default_factory=dict, compare=False)

    @property
    def total(self) -> int:
        """What this person has spent, here and elsewhere."""
        return self.spent + self.before

    @property
    def entry(self) -> dict[str, Any]:
        """As it is kept."""
        kept = dict(vars(self))
        del kept["elsewhere"]
        return kept

    def share(self, others: Iterable[Account]) -> None:
        """One budget for all keys of a memory: they are one person, as far as anybody knows. A second key would else be
        a second lifetime. Whoever paid last holds the sum of all that was paid, so the largest of them is that sum."""
        for other in others:
            self.spent, self.before = max(self.spent, other.spent), max(self.before, other.before)
            self.bind(other.lifetime)
            for epoch, left in other.left.items():
                self.elsewhere[epoch] = self.elsewhere.get(epoch, 0) + sum(left.values())

    def take_part(self, name: str, epoch: int, plan: str) -> None:
        """An epoch has one version of a plan: the first in which this person took part. Another would be drawn beside it."""
        if self.versions.setdefault(f"{name}/{epoch}", plan) != plan:
            raise AlreadyReported(
                f"this person took part in epoch {epoch} under another version of plan '{name}'; a second draw for the same "
                "epoch would cost twice. Nothing was reported.\nHint: this version counts from the next epoch on."
            )

    def bind(self, *promised: int | None) -> None:
        """No later plan can raise what was promised once."""
        for each in promised:
            if each is not None:
                self.lifetime = each if self.lifetime is None else min(self.lifetime, each)

    def pay(self, what: str, cost: int) -> None:
        """Take the cost of a fresh draw from the lifetime, or refuse."""
        if self.lifetime is not None and self.total + cost > self.lifetime:
            raise over(f"a new report for '{what}'", cost, "lifetime budget", self.lifetime, self.total)
        self.spent += cost

    def set_aside(self, what: str, whole: int) -> None:
        """Take what new values of a service may cost, once and before any of them: what is left for others never depends
        on data. If less is left, that."""
        if what not in self.aside:
            left = whole if self.lifetime is None else min(whole, max(self.lifetime - self.total, 0))
            self.spent += left
            self.aside[what] = [left, 0]

    def pay_aside(self, what: str, service: str, cost: int) -> None:
        """Take the cost of a new value from what is set aside for the service, or refuse. What a plan that came later has
        promised not to spend is set aside no more."""
        whole, used = self.aside[what]
        beyond = 0 if self.lifetime is None else max(self.total - self.lifetime, 0)
        if used + cost > whole - beyond:
            name = f"part of the lifetime budget that is set aside for '{service}'"
            raise over(f"a new value for '{service}'", cost, name, max(whole - beyond, 0), used)
        self.aside[what] = [whole, used + cost]

    def leave(self, epoch: int, what: str, service: str, cost: int, ceiling: int | None) -> None:
        """Count a report among all that leave in an epoch, new or kept, or refuse; the same one again counts once."""
        now = self.left.setdefault(str(epoch), {})
        left = sum(now.values()) + self.elsewhere.get(str(epoch), 0)
        if what not in now and ceiling is not None and left + cost > ceiling:
            raise over(f"a report for '{service}'", cost, f"device's ceiling for epoch {epoch}", ceiling, left)
        now[what] = cost


def over(what: str, cost: int, name: str, most: int, spent: int) -> BudgetExceeded:
    """What was asked, what remains, and the difference."""
    return BudgetExceeded(
        f"{what} costs epsilon {nano_text(cost)}; {nano_text(max(most - spent, 0))} of the {name} of {nano_text(most)} remains, "
        f"{nano_text(cost - most + spent)} too little. Nothing was reported."
    )


def adopt(kept: dict[str, Any], name: str, earlier: str) -> None:
    """What an earlier version of this program kept under the id of a plan belongs to all of its versions."""
    if name not in kept and earlier in kept:
        kept[name] = kept.pop(earlier)


def transact(memory: Memory, user: str, work: Callable[[Account], Result], several: bool = False) -> Result:
    """Work on a person's account while nobody else does. Its result is handed out when the account is durable; if it raises,
    nothing has changed. All keys of a memory share one budget, unless they are said to be `several` people."""
    for _ in range(TRIES):
        with memory.exclusive():
            before = memory.read()
            people = _read(before, memory)
            account = Account(**people.get(user, {}))
            if not several and len(people) > (user in people):
                account.share(Account(**people[other]) for other in people if other != user)
            result = work(account)
            after = _text({**people, user: account.entry})
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
        found = json.loads(unsealed(text, memory))
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
