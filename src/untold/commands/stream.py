"""untold stream --epsilon 0.5 --upper 200 < values: values in, released values out, rate and error on stderr."""

from __future__ import annotations

import os
import sys
import time
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np

from untold.commands.parser import Parser
from untold.commands.stream_files import Ending, StateFile, open_stream, read_numbers, values_apart
from untold.errors import UntoldError
from untold.kernels.stream_layout import SMOOTHERS
from untold.streams import STREAMS, Stream, ToPS
from untold.streams.base import Floats
from untold.streams.local_threshold import OBJECTIVES
from untold.streams.plot import plot_release
from untold.streams.settings import CONSISTENCY
from untold.streams.smooth_sensitivity import NOISES

EVERY = 0.5  # seconds between lines on stderr


def stream_command(argv: list[str] | None = None) -> int:
    """The command; its exit code."""
    options = parser().parse_args(argv)
    try:
        return run(options, sys.stdin.buffer, sys.stdout, sys.stderr)
    except (UntoldError, ValueError) as problem:
        print(f"untold stream: {problem}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has left: nothing more to say
        return 0


def parser() -> Parser:
    """The options of `untold stream`."""
    p = Parser(
        "stream",
        "Release a stream of numbers, each protected by epsilon. Numbers come in on stdin, separated by white space;\n"
        "one released number a line goes out for each of them after the warm-up.",
        "untold stream --epsilon 0.5 --upper 200 < values",
    )
    p.add_argument("--epsilon", type=float, required=True, help="what one value may give up")
    p.add_argument("--upper", type=float, required=True, help="public bound: values lie in 0..upper")
    p.add_argument("--method", choices=[s.kind for s in STREAMS], default=ToPS.kind, help="default: %(default)s")
    p.add_argument("--warmup", type=int, help="values that find the threshold and are not released (65,536)")
    p.add_argument("--threshold", type=float, help="a public threshold instead of a warm-up (tops, topl)")
    p.add_argument("--horizon", type=int, help="length of the longest range that matters (1,048,576)")
    p.add_argument("--block", type=int, help="values per leaf (chosen by epsilon)")
    p.add_argument("--smoother", choices=SMOOTHERS, help="prediction inside a block (recent)")
    p.add_argument("--consistency", choices=CONSISTENCY, help="whether sums of a tree agree (on-line; pak: none)")
    p.add_argument("--noise", choices=NOISES, help="pak: noise of its threshold; cauchy needs no delta (laplace)")
    p.add_argument("--objective", choices=OBJECTIVES, help="topl: what its threshold minimises (derived)")
    p.add_argument(
        "--trimmed",
        action=BooleanOptionalAction,
        default=None,
        help="topl: cut the estimate at its first gap (below epsilon 0.5)",
    )
    p.add_argument(
        "--state",
        type=Path,
        help="go on from this file if it exists; the state is kept there, ahead of what is released, mode 600",
    )
    p.add_argument("--seed", type=int, help="repeatable and INSECURE: for experiments only")
    p.add_argument(
        "--plot", type=Path, help="write a picture of stream and release (.html, .png, .svg); shows true values"
    )
    p.add_argument("--quiet", action="store_true", help="nothing on stderr, except that a seed is insecure")
    return p


def run(options: Namespace, source: BinaryIO, sink: TextIO, log: TextIO) -> int:
    with StateFile(options.state) as state, Ending() as ending:
        return release(options, ending.until(read_numbers(source)), sink, log, state)


def release(options: Namespace, batches: Iterable[Floats], sink: TextIO, log: TextIO, state: StateFile) -> int:
    """What comes in goes out released, each batch as soon as it is covered by the state that is kept."""
    stream = open_stream(options, state)
    say = _silent if options.quiet else log.write
    before, after = ("\r", "\033[K") if log.isatty() else ("", "\n")
    # that there is no promise is told however quiet it is
    (log.write if stream.privacy.insecure else say)(f"{stream.privacy}\n")
    if state.renewed:
        say("The last run did not end well, so how far it got is not known: a fresh start, with fresh noise.\n")
    if stream.position:
        say(f"Going on from position {stream.position:,}: feed the values from there on.\n")
    begun, shown, first, mark = time.monotonic(), time.monotonic(), stream.position, stream.mark()
    kept: list[tuple[Floats, Floats]] = []
    for batch in batches:
        for values in values_apart(stream, batch):
            state.reserve(stream, len(values))
            released = stream.push(values)
            if len(released):
                sink.write("\n".join(map(repr, released.tolist())) + "\n")
                sink.flush()
            if options.plot:
                kept.append((values[len(values) - len(released) :], released))
        if time.monotonic() - shown > EVERY:
            shown = time.monotonic()
            say(before + progress(stream, first, mark, shown - begun) + after)
    state.finish(stream)
    say(before + progress(stream, first, mark, time.monotonic() - begun) + "\n")
    if stream.threshold is None:
        say(f"Nothing released: the warm-up takes {stream.first:,} values; see --warmup and --threshold.\n")
    if options.plot and kept:
        true, out = (np.concatenate(parts) for parts in zip(*kept, strict=True))
        plot_release(true, out, stream.position - len(out), f"{options.method}, {stream.privacy}").save(
            str(options.plot)
        )
    return 0


def progress(stream: Stream, first: int, mark: Any, seconds: float) -> str:
    """Rate, threshold, the sum so far and its interval."""
    rate = (stream.position - first) / max(seconds, 1e-9)
    head = f"{stream.position:,} values, {rate:,.0f}/s"
    if stream.threshold is None:
        return f"{head}, warming up"
    above = "" if stream.share_above is None else f" (about {stream.share_above:.1%} of the first values were above)"
    return f"{head}, threshold {stream.threshold:g}{above}, sum {stream.since(mark)}"


def _silent(text: str) -> int:
    return len(text)
