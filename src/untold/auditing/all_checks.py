"""Whether a client in any language is one: it makes the same reports as untold's own from the same random words, refuses what
no client may follow, keeps the promise, and its reports mean what the plan says."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from untold.auditing.auditor import audit
from untold.auditing.histories import Step
from untold.auditing.known_plans import audited_plan, hostile_plans, known_plans
from untold.auditing.meaning import audit_meaning
from untold.auditing.programs import as_json, converse
from untold.auditing.python_client import replies
from untold.auditing.values import drawn_rows, odd_rows
from untold.auditing.verdict import aligned
from untold.device.client import Client
from untold.plan import Plan
from untold.randomness import Randomness, Recorded, Secure

VECTORS = 12  # people of each plan
RUNS = 1000  # of the audit
PEOPLE = 2000  # whose reports are read
CONFIDENCE = 0.9999  # that a sound client is not accused, of each audit


@dataclass(frozen=True)
class Part:
    """One thing that was tried."""

    name: str
    what: str
    wrong: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong."""
        return not self.wrong


@dataclass(frozen=True)
class Conformance:
    """All parts, on one page."""

    client: str
    parts: tuple[Part, ...]

    @property
    def passed(self) -> bool:
        """Whether all parts have passed."""
        return all(part.passed for part in self.parts)

    def __str__(self) -> str:
        rows = [(part.name, "passed" if part.passed else "FAILED", part.what) for part in self.parts]
        wrong = [f"{part.name}: {each}" for part in self.parts for each in part.wrong]
        end = "This client speaks the wire format, keeps the promise, and means what plans say, as far as was tried."
        return "\n".join(
            [
                f"Client: {self.client}",
                "",
                aligned([("part", "verdict", "tried"), *rows]),
                "",
                *(wrong or [end]),
                *(["", "This client does not conform. docs/wire.md is the contract."] if wrong else []),
            ]
        )


def conformance(
    client: str, plans: Mapping[str, Plan] | None = None, runs: int = RUNS, rng: Randomness | None = None
) -> Conformance:
    """Try a client in every way that is known.

    client  a command that speaks the protocol of docs/audit.md, `words` included
    plans   further plans, by name: yours
    runs    of the audit, on either side of each comparison

        print(untold.conformance("node client.js"))
    """
    rng = rng or Secure()
    every = {**known_plans(), **(plans or {})}
    parts = [_vectors(client, every, rng), _refusals(client)]
    # a client that draws otherwise is told so first; the rest would only repeat it, at length
    if all(part.passed for part in parts):
        parts += [_audited(client, runs, rng), _meaning(client, every, rng)]
    return Conformance(client, tuple(parts))


def _vectors(client: str, plans: Mapping[str, Plan], rng: Randomness) -> Part:
    wrong, count = [], 0
    for name, plan in plans.items():
        people = [_person(plan, rng) for _ in range(VECTORS)]
        asked = [{**as_json((user, steps)), "words": words} for user, steps, words, _ in people]
        count += sum(reply is not None for _, _, _, sent in people for reply in sent)
        with tempfile.TemporaryFile("w+") as errors:
            lines = converse(client, plan.to_json(), asked, errors)
            for question, (_, steps, _, sent) in zip(asked, people, strict=True):
                line = next(lines)
                if difference := _difference(line, sent, steps, question):
                    errors.seek(0)
                    wrong.append(f"{name}: {difference}{_said(errors.read())}")
                    break
            lines.close()
    return Part("vectors", f"{count:,} reports of {len(plans)} plans, drawn anew, from given words", tuple(wrong))


def _person(plan: Plan, rng: Randomness) -> tuple[str, tuple[Step, ...], list[str], Sequence[Any]]:
    """Every service in two epochs, and in the first of them again; what our client makes of it, and the words it took."""
    user, epoch = f"{rng.word():016x}", rng.below(1 << 20)
    steps = tuple(
        Step(service.name, odd_rows(service, rng) if service.total and rng.below(2) else drawn_rows(service, rng), when)
        for when in (epoch, epoch, epoch + 1)
        for service in plan.schema.services
    )
    words = Recorded(rng)
    sent = replies(plan, user, steps, lambda plan, user: Client(plan, user, rng=words))
    return user, steps, [str(word) for word in words.drawn], sent


def _difference(line: str, sent: Sequence[Any], steps: Sequence[Step], question: Mapping[str, Any]) -> str:
    """What a client answers otherwise than ours, with all that is needed to find out why; nothing if it is the same."""
    try:
        found = json.loads(line)
    except ValueError:
        return f"it answers {line[:80]!r}, which is not a line of JSON, to {json.dumps(question, default=str)[:2000]}."
    if not isinstance(found, list) or len(found) != len(sent):
        return (
            f"it answers {line[:300].strip()} to {len(steps)} steps; expected is a list with a report or null for each."
        )
    for number, (step, one, other) in enumerate(zip(steps, found, sent, strict=True)):
        if json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True):
            return (
                f"step {number} ({step.service}, epoch {step.epoch}): it answers {json.dumps(one)}, ours {json.dumps(other)}.\n"
                f"  asked: {json.dumps(question, default=str)}"
            )
    return ""


def _said(errors: str) -> str:
    return f"\n  standard error: {errors[-1000:].strip()}" if errors.strip() else ""


def _refusals(client: str) -> Part:
    """A refusal is an answer in words, or a program that ends."""
    wrong = []
    hostile = hostile_plans()
    row = {"age": 1, "income": 1.0, "state": "NY"}
    question = {"user": "0" * 16, "steps": [{"service": "users", "epoch": 0, "rows": [row]}]}
    for name, text in hostile.items():
        with tempfile.TemporaryFile("w+") as errors:
            lines = converse(client, text, [question], errors)
            line = next(lines)
            lines.close()
        if line and "refused" not in line:
            wrong.append(f"it follows a plan with {name}: {line[:200].strip()}")
    return Part("refusals", f"{len(hostile)} plans that no client may follow", tuple(wrong))


def _audited(client: str, runs: int, rng: Randomness) -> Part:
    plan = audited_plan()
    found = audit(plan, client, runs, CONFIDENCE, rng)
    wrong = () if found.passed else tuple(str(found).split("\n\n")[2].splitlines())
    return Part(
        "audit", f"{len(found.findings)} comparisons of {runs:,} runs on either side, epsilon {plan.epsilon}", wrong
    )


def _meaning(client: str, plans: Mapping[str, Plan], rng: Randomness) -> Part:
    wrong = tuple(_meant(client, plans, rng))
    return Part("meaning", f"{PEOPLE:,} people of each of {len(plans)} plans", wrong)


def _meant(client: str, plans: Mapping[str, Plan], rng: Randomness) -> Iterator[str]:
    for name, plan in plans.items():
        found = audit_meaning(plan, client, PEOPLE, CONFIDENCE, rng)
        if not found.passed:
            yield f"{name}: " + "; ".join(
                line for line in str(found).splitlines() if line.startswith(("WRONG", "BROKEN"))
            )
