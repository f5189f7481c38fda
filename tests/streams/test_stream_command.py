"""untold stream: numbers in, numbers out, a state that survives kill -9, a picture."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from untold.commands.stream import parser, run
from untold.commands.stream_files import read_numbers
from untold.errors import BadRecord
from untold.randomness import Seeded
from untold.streams import PAK, Stream, ToPL, ToPS
from untold.streams.plot import plot_release, windows

VALUES = np.random.default_rng(1).integers(0, 150, 5000)
ARGUMENTS = ["--epsilon", "1", "--upper", "200", "--warmup", "1000", "--block", "16", "--seed", "7"]
PROGRAM = "import sys; from untold.commands.stream import stream_command; sys.exit(stream_command(sys.argv[1:]))"


def text(values: np.ndarray) -> bytes:
    return ("\n".join(map(str, values.tolist())) + "\n").encode()


def straight() -> list[float]:
    return list(ToPS(1.0, 200, warmup=1000, block=16, rng=Seeded(7)).push(VALUES).tolist())


def call(arguments: list[str], data: bytes) -> tuple[str, str]:
    out, log = io.StringIO(), io.StringIO()
    assert run(parser().parse_args(arguments), io.BytesIO(data), out, log) == 0
    return out.getvalue(), log.getvalue()


def test_values_in_released_values_out() -> None:
    out, log = call(ARGUMENTS, text(VALUES))
    assert [float(line) for line in out.split()] == straight()
    assert "epsilon = 1 for each value" in log
    assert "INSECURE" in log
    assert "5,000 values" in log
    assert "±" in log


@pytest.mark.parametrize(
    ("options", "stream"),
    [
        (
            ["--method", "pak", "--noise", "cauchy"],
            PAK(1.0, 200, warmup=1000, horizon=4096, noise="cauchy", rng=Seeded(7)),
        ),
        (["--consistency", "none"], ToPS(1.0, 200, warmup=1000, horizon=4096, consistency="none", rng=Seeded(7))),
        (
            ["--method", "topl", "--objective", "published", "--no-trimmed"],
            ToPL(1.0, 200, warmup=1000, horizon=4096, objective="published", trimmed=False, rng=Seeded(7)),
        ),
    ],
)
def test_what_a_method_may_be_told(options: list[str], stream: Stream) -> None:
    usual = ["--epsilon", "1", "--upper", "200", "--warmup", "1000", "--horizon", "4096", "--seed", "7"]
    out, _ = call([*usual, *options], text(VALUES))
    assert [float(line) for line in out.split()] == stream.push(VALUES).tolist()


def test_an_option_of_another_method_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="--method topl does not take --noise; leave it out"):
        call([*ARGUMENTS[:4], "--method", "topl", "--noise", "cauchy"], text(VALUES))


def test_quiet_says_nothing() -> None:
    assert call([*ARGUMENTS, "--quiet"], text(VALUES))[1] == ""


def test_a_stream_shorter_than_the_warm_up_says_what_to_do() -> None:
    out, log = call(ARGUMENTS, b"1 2 3")
    assert out == ""
    assert "see --warmup and --threshold" in log


def test_numbers_may_be_cut_anywhere_by_the_pipe() -> None:
    class Drip(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            return super().read1(3)

    numbers = np.concatenate(list(read_numbers(Drip(b"12 345\n6\n\n78.25   9\t1e2 7"))))
    assert numbers.tolist() == [12.0, 345.0, 6.0, 78.25, 9.0, 100.0, 7.0]


def test_words_are_refused() -> None:
    with pytest.raises(BadRecord, match="'two'"):
        list(read_numbers(io.BytesIO(b"1 two 3")))


@pytest.mark.parametrize("method", ["tops", "topl", "pak", "percentile"])
def test_every_method_runs(method: str) -> None:
    out, _ = call(["--epsilon", "1", "--upper", "200", "--warmup", "1000", "--method", method], text(VALUES))
    assert len(out.split()) == 4000


def test_options_that_a_method_does_not_take_are_refused() -> None:
    with pytest.raises(ValueError, match="--method topl does not take"):
        call(["--epsilon", "1", "--upper", "200", "--method", "topl", "--smoother", "mean"], b"")


def test_a_state_file_goes_on_where_it_stopped(tmp_path: Path) -> None:
    state = tmp_path / "stream.state"
    first, _ = call([*ARGUMENTS, "--state", str(state)], text(VALUES[:2345]))
    second, log = call([*ARGUMENTS, "--state", str(state)], text(VALUES[2345:]))
    assert "Going on from position 2,345" in log
    assert [float(x) for x in (first + second).split()] == straight()
    assert state.stat().st_mode & 0o077 == 0  # it holds the key


def test_killed_outright_it_goes_on(tmp_path: Path) -> None:
    state = tmp_path / "stream.state"
    at_once = "from untold.commands import stream; stream.EVERY = -1.0; "  # the state is kept whenever values come
    command = [sys.executable, "-c", at_once + PROGRAM, *ARGUMENTS, "--state", str(state)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    deadline = time.monotonic() + 120
    for fed in range(0, 4900, 100):  # before the first state there is, and while others are kept
        process.stdin.write(text(VALUES[fed : fed + 100]))
        process.stdin.flush()
        while fed == 3000 and not state.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
    process.kill()
    process.wait()
    process.stdin.close()
    position = ToPS.restore(state.read_bytes()).position
    assert 0 < position < 5000
    out, _ = call([*ARGUMENTS, "--state", str(state)], text(VALUES[position:]))
    rest = [float(x) for x in out.split()]
    assert rest == straight()[-len(rest) :]
    assert len(rest) == 5000 - max(position, 1000)


def test_a_picture_shows_stream_and_release(tmp_path: Path) -> None:
    picture = tmp_path / "stream.html"
    call([*ARGUMENTS, "--plot", str(picture)], text(VALUES))
    assert "position in the stream" in picture.read_text()
    rows = windows(VALUES, VALUES + 1.0, 10)
    assert {row["series"] for row in rows} == {"true", "released"}
    assert rows[0]["position"] == 10
    half = len(rows) // 2
    assert all(b["mean"] - a["mean"] == pytest.approx(1) for a, b in zip(rows[:half], rows[half:], strict=True))
    assert plot_release(VALUES, VALUES).to_dict()["mark"]["type"] == "line"
    with pytest.raises(ValueError, match="leave out the warm-up"):
        windows([1.0], [1.0, 2.0])
