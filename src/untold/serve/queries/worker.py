"""A query process: reads requests from standard input, writes replies to standard output, until the input ends.

    python -P -m untold.serve.queries.worker FOLDER LIMITS

LIMITS is `QueryLimits` as JSON. The first frame that it writes is empty and says that it is ready.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

from untold.serve.events import failure, note
from untold.serve.queries.answering import Source, answer
from untold.serve.queries.faults import Fault, too_large
from untold.serve.queries.frames import LENGTHS, Reply, pack_reply, packed
from untold.serve.queries.limits import NICE, NICE_AT_FIRST, QueryLimits, bind, clear_alarm, set_alarm, yield_to_others

KERNELS = ("tally", "seeded", "hashing", "hadamard", "bits", "linear")


def main(folder: str, limits: str) -> int:
    """Serve until the input ends, or memory has run out: then a fresh process is better."""
    bounds = QueryLimits(**json.loads(limits))
    yield_to_others(NICE_AT_FIRST)
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints, prints to the log and not into a reply
    logging.disable()  # sqlglot would quote an analyst's text
    _load()
    source = Source(Path(folder), bounds)
    bind(bounds)
    yield_to_others(NICE - NICE_AT_FIRST)
    replies.write(packed({}))
    for _ in range(bounds.lifetime):
        body = _read(requests)
        if body is None:
            return 0
        set_alarm(bounds)
        reply = _answered(source, body)
        clear_alarm()
        replies.write(pack_reply(reply))
    return 0


def _answered(source: Source, body: bytes) -> Reply:
    request = json.loads(body)
    try:
        return answer(source, request["kind"], request["asked"])
    except MemoryError:
        return too_large(source.limits).reply()
    except (
        Exception
    ) as error:  # a mistake of ours: the log gets its place, the analyst learns nothing about the machine
        note("query failed", kind=request["kind"], **failure(error))
        return Fault("failed", "untold failed on this query. This should not happen; please report it.").reply()


def _load() -> None:
    """What answering needs, before the first deadline runs: kernels, whose import might have to write a cache, and parsers."""
    for name in KERNELS:
        import_module(f"untold.kernels.{name}")
    import_module("untold.serve.statements.reading").read("SELECT 1")
    import_module("untold.serve.statements.statement")


def _read(requests: BinaryIO) -> bytes | None:
    head = requests.read(LENGTHS.size)
    if len(head) < LENGTHS.size:
        return None
    size, _ = LENGTHS.unpack(head)
    return requests.read(size)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
