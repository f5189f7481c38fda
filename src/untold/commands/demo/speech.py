"""What the tour says on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from textwrap import wrap
from typing import Any

from untold.answers.numbers import interval_text, number_text
from untold.commands.demo.compare import LARGE, Compared
from untold.commands.demo.person import Sent
from untold.exact import NANO, at_least_text, at_most_text
from untold.plan import Plan
from untold.plan.in_words.promise import guess_in_words

WIDTH = 96
WHOLE = 99.0  # the truth has no error: all of its whole digits are shown
CLOSEST = "best: the best guess, where it differs. It is biased; the interval is the unbiased one."
USEFUL = 0.5  # the widest half interval, as a share of the answer, that tells anything


class Speaker:
    """Headings in bold where that is possible; flushed line by line, for the impatient."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(highlight=False, soft_wrap=True)

    def say(self, text: str = "", style: str = "") -> None:
        """One or more lines."""
        self._console.print(text, style=style or None, markup=False)

    def begin(self, n: int) -> None:
        """What will happen."""
        self.say(f"A shop with {n:,} made-up people. Their records never leave their devices; only reports do.\n")

    def person(
        self, plan: Plan, record: Mapping[str, Any], bought: Sequence[Mapping[str, Any]], sent: Sequence[Sent]
    ) -> None:
        """Record and report, side by side."""
        self.say("1. One person, and what leaves the device", "bold")
        self.say(side_by_side(record_lines(record, bought), report_lines(record, sent)))
        self.say()
        for text in (meaning(sent[0]), cost(plan)):
            self.say("\n".join(wrap(text, WIDTH, initial_indent="   ", subsequent_indent="   ")))
        self.say()

    def collected(self, n: int, size: int, seconds: float, folder: Path) -> None:
        """Everybody has reported, twice."""
        self.say("2. Everybody reports", "bold")
        self.say(
            f"   {2 * n:,} reports with secure randomness in {seconds:.1f} s: {size / 1e6:.1f} MB in {folder / 'reports'}"
        )
        self.say("   And once more under a plan that was made for the eight questions, at the same epsilon.\n")
        self.say("3. Eight questions: the truth, and the answer from reports with its 95% interval", "bold")
        self.say("   Of 100 such intervals, 5 miss the truth on average: of the 20 below, about one.")
        self.say(f"   {CLOSEST}", "dim")

    def answered(self, number: int, done: Compared) -> None:
        """One question, its lines, and how precise they are."""
        self.say(f"\n   {number}. {done.asked.words}", "bold")
        self.say(f"      {done.asked.sql}", "dim")
        label = max(len(line.label) for line in done.lines)
        size = max((half for line in done.lines if isfinite(half := (line.high - line.low) / 2)), default=1.0)
        truths = [number_text(line.truth, min(size, WHOLE)) for line in done.lines]
        answers = [interval_text(line.value, line.low, line.high) for line in done.lines]
        others = ["" if line.closest is None else f"best {number_text(line.closest, size)}" for line in done.lines]
        for line, truth, answer, other in zip(done.lines, truths, answers, others, strict=True):
            beside = f"   {other:<{max(map(len, others))}}" if any(others) else ""
            mark = "✓" if line.covered else "✗ the interval misses the truth"
            name = f"{line.label:<{label}}  " if label else ""
            self.say(
                f"      {name}truth {truth:>{max(map(len, truths))}}   answer {answer:>{max(map(len, answers))}}{beside}  {mark}"
            )
        self.say(f"      {precision(done)}", "dim")
        if (told := precision_made(done)) is not None:
            self.say(f"      {told}", "dim")

    def end(self, done: Sequence[Compared], page: Path, folder: Path, seconds: float) -> None:
        """How it went, and where to go."""
        self.say(f"\n{covered(done)}\n")
        self.say(f"Plots: {page}   ({seconds:.0f} s in all)\n")
        self.say("Try next", "bold")
        for line in next_steps(folder, done[0].people):
            self.say(f"  {line}")


def record_lines(record: Mapping[str, Any], bought: Sequence[Mapping[str, Any]]) -> list[str]:
    """The true record."""
    lines = ["true record (stays there)", *(f"{name:<9}{_plain(value)}" for name, value in record.items())]
    return lines + [
        f"{'bought' if i == 0 else '':<9}{row['category']} for {row['amount']:,.2f}" for i, row in enumerate(bought)
    ]


def report_lines(record: Mapping[str, Any], sent: Sequence[Sent]) -> list[str]:
    """What leaves the device."""
    reports = [f"{each.service}: message {each.message:,} of {each.messages:,}" for each in sent]
    return ["report (all that is sent)", *reports, f"os: {record['os']} (public in this plan)"]


def side_by_side(left: Sequence[str], right: Sequence[str]) -> str:
    """Two columns."""
    rows = max(len(left), len(right))
    padded = [[*column, *[""] * (rows - len(column))] for column in (left, right)]
    width = max(map(len, left)) + 6
    return "\n".join(f"   {a:<{width}}{b}".rstrip() for a, b in zip(*padded, strict=True))


def meaning(sent: Sent) -> str:
    """What can be read from a report."""
    among = "is" if sent.truthful else "is not"
    return (
        f"Read apart, message {sent.message:,} speaks of {sent.view}, and for {sent.hinted:,} of "
        f"{sent.combinations:,} combinations. Somebody among these sends it with chance {at_most_text(sent.likely, 2)}, everybody "
        f"else with chance {at_least_text(sent.unlikely, 2)}: {at_most_text(sent.ratio, 4)} to 1, and never more. This person "
        f"{among} among them, but nobody can tell."
    )


def cost(plan: Plan) -> str:
    """What a person gives up."""
    total = plan.schema.budget.total / NANO
    each = " + ".join(f"{at_most_text(plan.schema.budget.service_nano(s) / NANO)}" for s in plan.services)
    return f"Cost: epsilon {each} = {at_most_text(total)}. {guess_in_words(total)}; no more than that, whatever else they know."


def precision(done: Compared) -> str:
    """How good the answer is here, and how good it would be with many people."""
    here, large = done.precision, done.precision_at_large
    verdict = "; too noisy to use yet" if here > USEFUL else ""
    most = ", in the largest group" if len(done.lines) > 1 else ""
    return (
        f"± {_percent(here)} with {done.people:,} people{verdict}; "
        f"± {_percent(large)} forecast for {LARGE // 10**6} million{most}"
    )


def precision_made(done: Compared) -> str | None:
    """How good it is from as many reports under a plan for these questions; None if nobody collected them."""
    here, made = done.precision, done.precision_made
    if made is None:
        return None
    nearer = f": {here / made:.1f} times closer" if isfinite(here / made) and made < here else ""
    return f"± {_percent(made)} where the plan was made for these questions{nearer}"


def covered(done: Sequence[Compared]) -> str:
    """The score of the intervals."""
    lines = [line for each in done for line in each.lines]
    held = sum(line.covered for line in lines)
    return f"{held} of {len(lines)} intervals hold the truth. They are made to do so 95 times in 100."


def next_steps(folder: Path, people: int) -> list[str]:
    """Commands to go on with."""
    return [
        f'untold query {folder}/reports "SELECT os, AVG(age) AS age FROM users GROUP BY os"',
        f'untold explain {folder}/reports "SELECT COUNT(*) AS n FROM users WHERE age < 35"',
        f'untold forecast {folder}/shop.toml "SELECT COUNT(*) AS n FROM users WHERE age < 35" --error 0.5%',
        f"untold plan show {folder}/shop.toml",
        f"untold demo --users {10 * people}        # ten times the people: a third of the error",
    ]


def _percent(share: float) -> str:
    if not isfinite(share):
        return "∞"
    return f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.1f}%"


def _plain(value: Any) -> str:
    return f"{value:,.0f}" if isinstance(value, float) else str(value)
