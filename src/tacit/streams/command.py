"""tacit stream --epsilon 0.5 --upper 200 < values: values in, released values out, rate and error on stderr."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np

from tacit.errors import BadRecord, TacitError
from tacit.kernels.stream_layout import SMOOTHERS
from tacit.randomness import Randomness, Secure, Seeded
from tacit.streams import STREAMS, Stream, ToPS
from tacit.streams.base import Floats
from tacit.streams.plot import plot_release

BATCH = 1 << 20  # characters read at once, at most
EVERY = 0.5  # seconds between lines on stderr


def stream_command(argv: list[str] | None = None) -> int:
    """The command; its exit code."""
    options = parser().parse_args(argv)
    try:
        return run(options, sys.stdin.buffer, sys.stdout, sys.stderr)
    except (TacitError, ValueError) as problem:
        print(f"tacit stream: {problem}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has left: nothing more to say
        return 0


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="tacit stream",
        description="Release a stream of numbers, each protected by epsilon. Numbers come in on stdin, separated by "
        "white space; one released number a line goes out for each of them after the warm-up.",
        epilog="Example:  tacit stream --epsilon 0.5 --upper 200 < values",
    )
    p.add_argument("--epsilon", type=float, required=True, help="what one value may give up")
    p.add_argument("--upper", type=float, required=True, help="public bound: values lie in 0..upper")
    p.add_argument("--method", choices=[s.kind for s in STREAMS], default=ToPS.kind, help="default: %(default)s")
    p.add_argument("--warmup", type=int, help="values that find the threshold and are not released (65,536)")
    p.add_argument("--threshold", type=float, help="a public threshold instead of a warm-up (tops, topl)")
    p.add_argument("--horizon", type=int, help="length of the longest range that matters (1,048,576)")
    p.add_argument("--block", type=int, help="values per leaf (chosen by epsilon)")
    p.add_argument("--smoother", choices=SMOOTHERS, help="prediction inside a block (recent)")
    p.add_argument("--state", type=Path, help="go on from this file if it exists; the state is kept there, mode 600")
    p.add_argument("--seed", type=int, help="repeatable and INSECURE: for experiments only")
    p.add_argument(
        "--plot", type=Path, help="write a picture of stream and release (.html, .png, .svg); shows true values"
    )
    p.add_argument("--quiet", action="store_true", help="nothing on stderr")
    return p


def run(options: argparse.Namespace, source: BinaryIO, sink: TextIO, log: TextIO) -> int:
    stream = open_stream(options)
    say = _silent if options.quiet else log.write
    before, after = ("\r", "\033[K") if log.isatty() else ("", "\n")
    say(f"{stream.privacy}\n")
    if getattr(stream, "insecure", False):
        say("INSECURE: the noise comes from a seed; for experiments only.\n")
    if stream.position:
        say(f"Going on from position {stream.position:,}: feed the values from there on.\n")
    begun, shown, first, mark = time.monotonic(), time.monotonic(), stream.position, stream.mark()
    kept: list[tuple[Floats, Floats]] = []
    for values in read_numbers(source):
        released = stream.push(values)
        if len(released):
            sink.write("\n".join(map(repr, released.tolist())) + "\n")
        if options.plot:
            kept.append((values[len(values) - len(released) :], released))
        if time.monotonic() - shown > EVERY:
            sink.flush()
            keep_state(options.state, stream)
            shown = time.monotonic()
            say(before + progress(stream, first, mark, shown - begun) + after)
    sink.flush()
    keep_state(options.state, stream)
    say(before + progress(stream, first, mark, time.monotonic() - begun) + "\n")
    if stream.threshold is None:
        say(f"Nothing released: the warm-up takes {stream.first:,} values; see --warmup and --threshold.\n")
    if options.plot and kept:
        true, out = (np.concatenate(parts) for parts in zip(*kept))
        plot_release(true, out, stream.position - len(out), f"{options.method}, {stream.privacy}").save(
            str(options.plot)
        )
    return 0


def open_stream(options: argparse.Namespace) -> Stream:
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
    named = ("warmup", "threshold", "horizon", "block", "smoother")
    settings: dict[str, Any] = {name: getattr(options, name) for name in named if getattr(options, name) is not None}
    rng: Randomness = Secure() if options.seed is None else Seeded(options.seed)
    try:
        return kind(epsilon=options.epsilon, upper=options.upper, rng=rng, **settings)  # type: ignore[call-arg]
    except TypeError as problem:
        raise ValueError(f"--method {options.method} does not take all of these options: {problem}") from None


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
    if path is None:
        return
    fresh = path.with_name(path.name + ".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(stream.state())
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def progress(stream: Stream, first: int, mark: Any, seconds: float) -> str:
    """Rate, threshold, the sum so far and its standard error."""
    rate = (stream.position - first) / max(seconds, 1e-9)
    head = f"{stream.position:,} values, {rate:,.0f}/s"
    if stream.threshold is None:
        return f"{head}, warming up"
    total = stream.since(mark)
    error = f"{total.value:,.0f} ± {total.standard_error:,.0f} (standard error)"
    return f"{head}, threshold {stream.threshold:g}, sum of values cut there {error}"


def _silent(text: str) -> int:
    return len(text)
