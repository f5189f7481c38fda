"""What `untold stream` reads and keeps: numbers from a pipe until somebody ends it, and the state of a stream."""

from __future__ import annotations

import signal
import threading
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from untold.errors import BadRecord
from untold.randomness import Randomness, Secure, Seeded
from untold.store import files
from untold.store.lock import Busy
from untold.streams import STREAMS, Stream
from untold.streams.base import Floats
from untold.streams.state import ended_cleanly, reserved_place

BATCH = 1 << 20  # characters read at once, at most
LEAST_RESERVED, MOST_RESERVED = 256, 1 << 20  # values that may be released before the state is kept again
SECONDS_KEPT = 0.5  # a state that is kept more often than this reserves more at a time


def open_stream(options: Namespace, state: StateFile) -> Stream:
    """A new stream, or the one that the state file holds."""
    kind = next(s for s in STREAMS if s.kind == options.method)
    stream = state.load(kind)
    if stream is not None:
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


class StateFile:
    """The state of a stream in a file, always ahead of what was released.

    Before values are released, the file says durably up to which position that may go. A run that ends well writes
    where it stopped, and the next one goes on under the same noise. After any other end nobody knows how far the run
    got, so the next one goes on from the reserved position with fresh noise: no noise ever covers two values. During
    the warm-up nothing is released, hence nothing reserved.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self.renewed = path, False
        self._reserved, self._reach, self._written = -1, LEAST_RESERVED, 0.0
        self._lock = ExitStack()

    def __enter__(self) -> StateFile:
        if self.path is not None:
            self._lock.enter_context(_locked(self.path))
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def load(self, kind: type[Stream]) -> Stream | None:
        """The stream that the file holds, at the place from which it may go on."""
        if self.path is None or not self.path.exists():
            return None
        data = self.path.read_bytes()
        stream = kind.restore(data)
        if not ended_cleanly(data):
            stream.renew(reserved_place(data))
            self.renewed = stream.threshold is not None
        return stream

    def reserve(self, stream: Stream, values: int) -> None:
        """Make sure that this many further values may be released. The reach grows while the disk is asked too often."""
        if self.path is None:
            return
        now = time.monotonic()
        if stream.threshold is None:
            if now - self._written > SECONDS_KEPT:
                self._write(stream, stream.position)
        elif stream.position + values > self._reserved:
            often = now - self._written < SECONDS_KEPT
            self._reach = min(2 * self._reach, MOST_RESERVED) if often else max(self._reach // 2, LEAST_RESERVED)
            self._write(stream, stream.position + max(values, self._reach))

    def finish(self, stream: Stream) -> None:
        """The stream stops here, and nothing was released beyond."""
        if self.path is not None:
            self._write(stream, stream.position)

    def _write(self, stream: Stream, reserved: int) -> None:
        """Whole or not at all, and for the owner's eyes only."""
        assert self.path is not None
        files.replace_durably(self.path, stream.state(reserved), files.PRIVATE)
        self._reserved, self._written = reserved, time.monotonic()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One run at a time: two would release the same positions under one noise."""
    import fcntl

    with files.append_to(path.with_name(path.name + ".lock")) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(
                f"{path} is in use by another run of untold stream.\nHint: wait until it ends, or give another --state."
            ) from None
        yield


def values_apart(stream: Stream, values: Floats) -> Iterator[Floats]:
    """The values that still belong to the warm-up, then the others: the threshold is kept before it can be seen."""
    if stream.threshold is None:
        warm = max(0, stream.first - stream.position)
        yield values[:warm]
        if warm <= len(values):
            yield values[warm:]
    else:
        yield values


class Ending:
    """Ctrl-C and SIGTERM end the input, never a step: they interrupt while values are awaited, and else wait."""

    def __init__(self) -> None:
        self.asked, self._awaiting = False, False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Ending:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _frame: object) -> None:
        self.asked = True
        if self._awaiting:
            raise KeyboardInterrupt

    def until(self, batches: Iterator[Floats]) -> Iterator[Floats]:
        """The batches up to the end of the input, or until somebody asked to stop."""
        while not self.asked:
            try:
                self._awaiting = True
                values = next(batches, None)
                self._awaiting = False
            except KeyboardInterrupt:
                self.asked, self._awaiting = True, False
                return
            if values is None:
                return
            yield values


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
