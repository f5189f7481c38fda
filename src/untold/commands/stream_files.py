"""What `untold stream` reads and keeps: numbers from a pipe, and the state of a stream."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from untold.errors import BadRecord
from untold.randomness import Randomness, Secure, Seeded
from untold.store import files
from untold.streams import STREAMS, Stream
from untold.streams.base import Floats

BATCH = 1 << 20  # characters read at once, at most


def open_stream(options: Namespace) -> Stream:
    """A new stream, or the one that the state file holds."""
    kind = next(s for s in STREAMS if s.kind == options.method)
    if options.state and options.state.exists():
        stream = kind.restore(options.state.read_bytes())
        kept: Any = getattr(stream, "settings", {})
        held = kept if isinstance(kept, dict) else vars(kept)
        for name in ("epsilon", "upper"):
            if held[name] != getattr(options, name):
                raise ValueError(
                    f"{options.state} holds a stream with {name} {held[name]:g}, not {getattr(options, name):g}.\n"
                    f"Hint: go on with --{name} {held[name]:g}, or begin anew with another --state."
                )
        return stream
    named = ("warmup", "threshold", "horizon", "block", "smoother", "consistency", "noise", "objective", "trimmed")
    settings: dict[str, Any] = {name: getattr(options, name) for name in named if getattr(options, name) is not None}
    rng: Randomness = Secure() if options.seed is None else Seeded(options.seed)
    try:
        return kind(epsilon=options.epsilon, upper=options.upper, rng=rng, **settings)  # type: ignore[call-arg]
    except TypeError as problem:
        alien = str(problem).rpartition("argument '")[2].rstrip("'")
        raise ValueError(f"--method {options.method} does not take --{alien}; leave it out") from None


def read_numbers(source: BinaryIO) -> Iterator[Floats]:
    """Numbers as they come: what the pipe holds now, up to the last white space, a large batch at most."""
    rest, read = b"", getattr(source, "read1", source.read)
    while True:
        piece: bytes = read(BATCH)
        words = (rest + piece).split()
        if piece and words and not piece[-1:].isspace():
            rest = words.pop()
        else:
            rest = b""
        if words:
            try:
                yield np.array(words, dtype="S").astype(np.float64)
            except ValueError:
                raise BadRecord(
                    f"the input holds something that is not a number: {_odd(words)!r}; clean it up"
                ) from None
        if not piece:
            return


def _odd(words: list[bytes]) -> str:
    """The first word that is not a number."""
    for word in words:
        try:
            float(word)
        except ValueError:
            return word.decode("utf-8", "replace")[:40]
    return ""


def keep_state(path: Path | None, stream: Stream) -> None:
    """Write the state beside its place, for the owner's eyes only, then move it there: whole, or not at all."""
    if path is not None:
        files.replace_durably(path, stream.state(), files.PRIVATE)
