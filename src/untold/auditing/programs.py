"""A client as a program: a plan and people as lines of JSON in, what leaves their devices as lines of JSON out."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from untold.auditing.events import Reply
from untold.auditing.histories import Steps
from untold.errors import UntoldError
from untold.plan import Plan

Run = tuple[str, Steps]  # a user key of its own, and what the app does


def as_json(run: Run) -> dict[str, Any]:
    """A run as a line of the protocol."""
    user, steps = run
    return {"user": user, "steps": [{"service": s.service, "epoch": s.epoch, "rows": list(s.rows)} for s in steps]}


def answers(command: str, plan: Plan, runs: Sequence[Run]) -> Iterator[Sequence[Reply]]:
    """What a program answers to each run, in order."""
    with tempfile.TemporaryFile("w+") as errors:
        try:
            program = subprocess.Popen(
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        except OSError as error:
            raise UntoldError(f"the client cannot be started: {command}: {error.strerror or error}.") from error
        assert program.stdin is not None
        assert program.stdout is not None
        feeder = threading.Thread(target=_feed, args=(program.stdin, plan, runs), daemon=True)
        feeder.start()
        try:
            for run in runs:
                yield read(program.stdout.readline(), run, errors)
        finally:
            program.kill()
            program.wait()
            feeder.join()
            program.stdout.close()


def _feed(sink: IO[str], plan: Plan, runs: Iterable[Run]) -> None:
    """In a thread of its own: a program may answer as late as it likes."""
    try:
        with sink:
            sink.write(json.dumps({"plan": plan.to_json()}) + "\n")
            for run in runs:
                sink.write(json.dumps(as_json(run), default=str) + "\n")
    except (BrokenPipeError, ValueError):
        pass  # the program has ended; the reader says so


def read(line: str, run: Run, errors: IO[str]) -> Sequence[Reply]:
    """One answer: as many entries as there are steps."""
    if not line:
        errors.seek(0)
        said = errors.read()[-2000:].strip()
        raise UntoldError(f"the client ended before it had answered.{chr(10) + said if said else ''}")
    try:
        found = json.loads(line)
    except ValueError as error:
        raise UntoldError(f"the client answers {line[:80]!r}, which is not a line of JSON.") from error
    return checked(found, run)


def checked(found: Any, run: Run) -> Sequence[Reply]:
    """Refuse an answer that is not one entry for each step."""
    if not isinstance(found, list | tuple) or len(found) != len(run[1]):
        raise UntoldError(
            f"the client answers {str(found)[:80]!r} to {len(run[1])} steps; expected is a list with a report or null for "
            "each of them.\nHint: docs/audit.md has the protocol."
        )
    return found
