"""Whether a client's reports mean what the plan says: reports of made-up people, whose records are known, are read and asked.

A client can keep every promise of privacy and still number its messages wrongly. Its reports are then accepted, and every
answer is wrong. Three things are compared with the plan:

1. how often each view is reported,
2. how often a message speaks for the cell of the person who sent it (p) and for some other cell (q),
3. the answers to SQL over all of these reports with what is true of the made-up people.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untold.ask.connection import connect
from untold.auditing.asked import Asked, ask_all, questions_of
from untold.auditing.auditor import AnyClient, all_sent
from untold.auditing.bounds import highest, lowest
from untold.auditing.events import Reply, messages_of
from untold.auditing.histories import Step
from untold.auditing.programs import Run
from untold.auditing.rules import Rules
from untold.auditing.values import Rows, drawn_rows
from untold.auditing.verdict import aligned
from untold.collect.deliver import deliver
from untold.device.encoder import Encoder
from untold.device.report import Report
from untold.errors import UntoldError
from untold.oracles import Message
from untold.plan import Plan
from untold.plan.schema import Service
from untold.randomness import Randomness, Secure

PEOPLE = 5000
CONFIDENCE = 0.999
FEWEST = 30  # messages about a view for a line of its own
EPOCH = 0


@dataclass(frozen=True)
class Frequency:
    """How often something happened that the plan gives a probability."""

    words: str
    probability: float
    seen: int
    of: int
    low: float  # bounds on the true probability, with the confidence of all of them together
    high: float

    @property
    def wrong(self) -> bool:
        """Whether it is surely another one."""
        return not self.low <= self.probability <= self.high


@dataclass(frozen=True)
class Meaning:
    """What was compared, and what does not fit."""

    plan: str
    people: int
    frequencies: tuple[Frequency, ...]
    asked: tuple[Asked, ...]
    broken: tuple[tuple[str, int], ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything fits."""
        wrong = [*(each.wrong for each in self.frequencies), *(each.wrong for each in self.asked)]
        return not self.broken and not any(wrong)

    def __str__(self) -> str:
        wrong = [each for each in self.frequencies if each.wrong]
        lines = [
            f"Plan '{self.plan}': reports of {self.people:,} made-up people, whose records are known.",
            f"{len(self.frequencies):,} frequencies compared with the plan, {len(self.asked)} questions asked.",
            "",
        ]
        if self.asked:
            cells = [each.cells() for each in sorted(self.asked, key=lambda each: -each.errors)]
            lines += [aligned([("question", "truth", "answer", "standard errors off"), *cells]), ""]
        lines += [f"BROKEN in {times:,} runs: {rule}." for rule, times in self.broken]
        lines += [
            f"WRONG: {each.words}: {each.seen:,} of {each.of:,}, so {each.low:.3f} to {each.high:.3f}; the plan says "
            f"{each.probability:.3f}."
            for each in wrong
        ]
        lines += [
            f"WRONG: {each.sql}: {each.value:,.0f} +- {each.error:,.0f}; the truth is {each.truth:,.0f}."
            for each in self.asked
            if each.wrong
        ]
        lines.append(
            "These reports mean what the plan says, as far as was tried."
            if self.passed
            else "These reports do not mean what the plan says. Whoever asks them gets wrong answers."
        )
        return "\n".join(lines)


def audit_meaning(
    plan: Plan | str | Path,
    client: str | AnyClient | None = None,
    people: int = PEOPLE,
    confidence: float = CONFIDENCE,
    rng: Randomness | None = None,
) -> Meaning:
    """Compare the reports that a client makes of known records with what the plan says they mean.

    client, confidence  as in `untold.audit`
    people              how many are made up; their records are drawn for this call

        print(untold.audit_meaning("shop.toml", "node client.js"))
    """
    plan, rng = plan if isinstance(plan, Plan) else Plan.load(plan), rng or Secure()
    if people < 2 or not 0 < confidence < 1:
        raise UntoldError(
            f"two people or more and a confidence between 0 and 1 are needed, not {people} and {confidence}."
        )
    # half of them are alike: among people who are spread evenly, a wrong answer would often be a right one
    usual = {service.name: drawn_rows(service, rng) for service in plan.schema.services}
    crowd: list[Run] = [(f"{rng.word():016x}", _person(plan, usual, rng)) for _ in range(people)]
    rules, replies = Rules(plan), list[Sequence[Reply]]()
    for run, sent in zip(crowd, all_sent(plan, client, crowd), strict=True):
        rules.check(run, sent)
        replies.append(sent.replies)
    if rules.broken:
        return Meaning(plan.name, people, (), (), tuple(rules.broken.items()))
    counted = list[Count]()
    for number, service in enumerate(plan.schema.services):
        told = [(run[1][number].rows, sent[number]) for run, sent in zip(crowd, replies, strict=True)]
        counted += _counted(plan, service, told, rng)
    alpha = (1 - confidence) / (2 * max(len(counted), 1))
    frequencies = tuple(
        Frequency(words, p, k, n, lowest(k, n, alpha), highest(k, n, alpha)) for words, p, k, n in counted
    )
    return Meaning(plan.name, people, frequencies, _asked(plan, crowd, replies))


def _person(plan: Plan, usual: Mapping[str, Rows], rng: Randomness) -> tuple[Step, ...]:
    alike = rng.below(2)
    return tuple(
        Step(service.name, usual[service.name] if alike else drawn_rows(service, rng), EPOCH)
        for service in plan.schema.services
    )


Count = tuple[str, float, int, int]  # words, probability, how often, of how many


def _counted(plan: Plan, service: Service, told: Sequence[tuple[Rows, Reply]], rng: Randomness) -> Iterator[Count]:
    """Views, and what messages support."""
    cells, design = _Known(plan, service), plan.design(service.name)
    views: dict[int, int] = defaultdict(int)
    own: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    others: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    shift = {i: 1 + rng.below(max(view.oracle.domain_size - 1, 1)) for i, view in enumerate(design.views)}
    for rows, reply in told:
        if reply is None:
            continue
        messages = messages_of(reply)
        per_slot = design.messages_per_report
        for place, message in enumerate(messages):
            number = design.view_of(message.index)
            views[number] += 1
            cell = cells.cell(rows, number, slot=place // per_slot)
            if cell is None:
                continue
            view = design.views[number]
            message = Message(message.index - view.offset, message.extra)
            size = view.oracle.domain_size
            for tally, which in ((own, cell), (others, (cell + shift[number]) % size)):
                tally[number][0] += view.oracle.supports(message, which)
                tally[number][1] += 1
    every = sum(views.values())
    if design.weights is not None and every:
        for number in range(len(design.views)):
            share = float(design.probability(number))
            if share * every >= FEWEST:
                yield f"{service.name}: reports about view {number}", share, views[number], every
    for tally, words in ((own, "speaks for its sender's cell"), (others, "speaks for one other cell")):
        oracles: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
        for number, (k, n) in tally.items():
            oracle = design.views[number].oracle
            if oracle.domain_size < 2:
                continue
            p = float(oracle.p if tally is own else oracle.q)
            oracles[(oracle.name, p)][0] += k
            oracles[(oracle.name, p)][1] += n
            if n >= FEWEST:
                yield f"{service.name}: a message about view {number} {words}", p, k, n
        for (name, p), (k, n) in oracles.items():
            yield f"{service.name}: a message by {name} {words}", p, k, n


class _Last(Randomness):
    """Draws the last outcome, or the first one: what both agree on does not depend on draws."""

    def __init__(self, last: bool) -> None:
        self.last = last

    def word(self) -> int:
        return (1 << 64) - 1 if self.last else 0

    def below(self, n: int) -> int:
        return n - 1 if self.last else 0


class _Known:
    """The cells of a person's rows, where no draw decides which they are."""

    def __init__(self, plan: Plan, service: Service) -> None:
        self.encoder = Encoder.of(plan, service.name)

    def cell(self, rows: Rows, view: int, slot: int) -> int | None:
        """Of a view; None if a draw decides."""
        encoder = self.encoder
        each, limits = encoder.service.each, encoder.service.rows
        if each is not None:
            rows = tuple(row for row in rows if row[each.name] == encoder.service.spoken_of(slot))
        if any(row != rows[0] for row in rows):
            return None
        found = set()
        for rng in (_Last(False), _Last(True)):
            codes = encoder.codes(rows[0], rng) if limits is None else encoder.sampled(rows, limits.max, rng)
            found.add(encoder.design.space.cell(encoder.design.views[view].levels, encoder.derived(codes, rng)))
        return found.pop() if len(found) == 1 else None


def _asked(plan: Plan, crowd: Sequence[Run], replies: Sequence[Sequence[Reply]]) -> tuple[Asked, ...]:
    """Answers of SQL over a folder of these reports."""
    reports = [report for run, sent in zip(crowd, replies, strict=True) for report in _reports(plan, run, sent)]
    asked = [
        each for s in plan.schema.services for each in questions_of(plan, s, [_rows(run, s.name) for run in crowd])
    ]
    if not reports or not asked:
        return ()
    with tempfile.TemporaryDirectory() as scratch:
        deliver(Path(scratch) / "reports", reports, plan)
        with connect(Path(scratch) / "reports") as con:
            return tuple(ask_all(con, asked))


def _rows(run: Run, service: str) -> Rows:
    return next(step.rows for step in run[1] if step.service == service)


def _reports(plan: Plan, run: Run, sent: Sequence[Reply]) -> Iterator[Report]:
    user, steps = run
    for step, reply in zip(steps, sent, strict=True):
        if reply is None:
            continue
        service, design = plan.service(step.service), plan.design(step.service)
        messages, per_slot = messages_of(reply), design.messages_per_report
        for slot in range(service.slots):
            public: tuple[tuple[str, Any], ...] = tuple((column.name, None) for column in service.public)
            if service.each is not None:
                public = ((service.each.name, service.spoken_of(slot)),)
            own = tuple(messages[slot * per_slot : (slot + 1) * per_slot])
            yield Report(plan.id, step.service, user, reply["epoch"], slot, own, public, insecure=False)
