"""A client as a program: a plan and people as lines of JSON in, what leaves their devices as lines of JSON out."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from untold.auditing.events import Reply
from untold.auditing.histories import Steps
from untold.errors import UntoldError
from untold.plan import Plan

Run = tuple[str, Steps]  # a user key of its own, and what the app does


@dataclass(frozen=True)
class Sent:
    """What a client answered: for each step a report or None, and the line itself where it is a program."""

    replies: Sequence[Reply]
    line: str | None = None


def as_json(run: Run) -> dict[str, Any]:
    """A run as a line of the protocol."""
    user, steps = run
    return {"user": user, "steps": [{"service": s.service, "epoch": s.epoch, "rows": list(s.rows)} for s in steps]}


def answers(command: str, plan: Plan, runs: Sequence[Run]) -> Iterator[Sent]:
    """What a program answers to each run, in order."""
    with tempfile.TemporaryFile("w+") as errors:
        lines = converse(command, plan.to_json(), map(as_json, runs), errors)
        try:
            for run in runs:
                yield read(next(lines), run, errors)
        finally:
            lines.close()


def converse(command: str, plan: str, people: Iterable[dict[str, Any]], errors: IO[str]) -> Generator[str, None, None]:
    """The lines that a program answers, without an end: empty ones after it has ended."""
    try:
        program = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
        )
    except OSError as error:
        raise UntoldError(f"the client cannot be started: {command}: {error.strerror or error}.") from error
    assert program.stdin is not None
    assert program.stdout is not None
    feeder = threading.Thread(target=_feed, args=(program.stdin, plan, people), daemon=True)
    feeder.start()
    try:
        while True:
            yield program.stdout.readline()
    finally:
        program.kill()
        program.wait()
        feeder.join()
        program.stdout.close()


def _feed(sink: IO[str], plan: str, people: Iterable[dict[str, Any]]) -> None:
    """In a thread of its own: a program may answer as late as it likes."""
    try:
        with sink:
            sink.write(json.dumps({"plan": plan}) + "\n")
            for person in people:
                sink.write(json.dumps(person, default=str) + "\n")
    except (BrokenPipeError, ValueError):
        pass  # the program has ended; the reader says so


def read(line: str, run: Run, errors: IO[str]) -> Sent:
    """One answer: as many entries as there are steps."""
    if not line:
        errors.seek(0)
        said = errors.read()[-2000:].strip()
        raise UntoldError(f"the client ended before it had answered.{chr(10) + said if said else ''}")
    try:
        found = json.loads(line)
    except ValueError as error:
        raise UntoldError(f"the client answers {line[:80]!r}, which is not a line of JSON.") from error
    return Sent(checked(found, run), line.rstrip("\r\n"))


def checked(found: Any, run: Run) -> Sequence[Reply]:
    """Refuse an answer that is not one entry for each step."""
    if not isinstance(found, list | tuple) or len(found) != len(run[1]):
        raise UntoldError(
            f"the client answers {str(found)[:80]!r} to {len(run[1])} steps; expected is a list with a report or null for "
            "each of them.\nHint: docs/audit.md has the protocol."
        )
    return found
