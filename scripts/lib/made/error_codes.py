"""Errors by code: HTTP codes of the wire, codes of queries, exceptions of Python, exit codes of the command line."""

from __future__ import annotations

import inspect

import untold
from untold import cli
from untold.errors import REFUSALS, UntoldError
from untold.serve.queries.faults import STATUS
from untold.wire.contract import CODES

CODE_WORDS = {
    "conflict": "Another report of this person, service and epoch is stored. The first one stays.",
    "epoch-closed": "The report came after its epoch was closed.",
    "epoch-not-open": "The epoch is not open yet.",
    "bad-service": "The plan has no such service.",
    "bad-epoch": "Not an epoch, or not one that this service may report in.",
    "bad-user": "Not a user key of this collector's type.",
    "bad-slots": "More or fewer reports than the plan asks for.",
    "bad-message": "Not a message that the plan's design can send.",
    "bad-public": "A public value of another type, or too long.",
    "insecure": "The report was drawn with a seed. It protects nobody, so nobody takes it.",
    "other-plan": "The report was made for another plan.",
    "bad-json": "The body is not JSON, or not of this form.",
    "bad-binary": "The body is not in the binary form.",
    "bad-gzip": "The body says gzip and is not.",
    "bad-type": "Another content type or encoding.",
    "too-large": "The body, or what a query would make, is too large.",
    "no-length": "Content-Length is missing.",
    "slow": "The body took longer than 30 seconds to arrive.",
    "gone": "The sender went away while it sent.",
    "bad-token": "No token, or not the one that this needs. Get a new one.",
    "other-user": "A device sent reports of several people.",
    "bad-method": "Not a method of this path.",
    "not-found": "Nothing is at this path.",
    "bad-request": "An analyst's request that is not one.",
    "busy": "Too many requests, or (429) too many people who enrol. `Retry-After` says when to come again.",
    "stopping": "The collector stops, or its disk has failed.",
    "failed": "The collector failed. Its log says why.",
    "no-reports": "Nothing was collected yet in these epochs.",
    "unsupported-query": "This SQL has no answer from these reports. The message says why, and what to write.",
    "too-slow": "The query took longer than the collector allows (`--query-seconds`).",
}
assert set(CODE_WORDS) == set(CODES) | set(STATUS)
ALSO = {"bad-epoch": 409, "busy": 429}  # beside the usual status: an operator's epoch, and too many who enrol at once
CLIENT = {"forget": "forgets it", "keep": "keeps it", "later": "sends it again later"}
EXITS = {
    0: "Done.",
    cli.FAILED: "untold itself failed, or an audit found something.",
    cli.REFUSED: "What was asked cannot be done as it was asked. The message says why and what to do.",
    cli.DONE_ALREADY: "People of the table have reported in this epoch already: done, or a mistake in `--epoch`. Nothing was written.",
    cli.STOPPED: "Ctrl-C.",
    cli.PIPE_CLOSED: "The reader of the output went away, as with a pipe to `head`.",
}


def codes() -> str:
    """Codes in JSON answers of a collector."""
    lines = ["| code | status | meaning | a client with a report |", "| --- | ---: | --- | --- |"]
    for code in sorted(CODE_WORDS):
        usual = {CODES[code].status} if code in CODES else set()
        statuses = usual | {table[code] for table in (STATUS, ALSO) if code in table}
        client = CLIENT[CODES[code].client] if code in CODES else ""
        lines.append(f"| `{code}` | {', '.join(map(str, sorted(statuses)))} | {CODE_WORDS[code]} | {client} |")
    return "\n".join(lines)


def exceptions() -> str:
    """Exceptions of Python."""
    lines = ["| exception | meaning |", "| --- | --- |"]
    for name in sorted(untold.__all__):
        kind = getattr(untold, name)
        if inspect.isclass(kind) and issubclass(kind, UntoldError):
            lines.append(
                f"| `untold.{name}` | {' '.join((inspect.getdoc(kind) or '').partition(chr(10) * 2)[0].split())} |"
            )
    return "\n".join(lines)


def refusals() -> str:
    """Codes of refused SQL."""
    return "\n".join(["| code | meaning |", "| --- | --- |", *(f"| `{code}` | {told} |" for code, told in REFUSALS.items())])


def exits() -> str:
    """Exit codes of the command line."""
    return "\n".join(
        ["| exit code | meaning |", "| ---: | --- |", *(f"| {code} | {told} |" for code, told in EXITS.items())]
    )
