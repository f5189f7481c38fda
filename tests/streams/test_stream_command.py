"""untold stream: numbers in, numbers out, a state that survives kill -9, a picture."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from untold.commands import stream_files
from untold.commands.stream import parser, run
from untold.commands.stream_files import StateFile, read_numbers
from untold.errors import BadRecord
from untold.randomness import Seeded
from untold.store.lock import Busy
from untold.streams import PAK, Stream, ToPL, ToPS
from untold.streams.plot import plot_release, windows
from untold.streams.state import ended_cleanly, reserved_place

VALUES = np.random.default_rng(1).integers(0, 150, 5000)
ARGUMENTS = ["--epsilon", "1", "--upper", "200", "--warmup", "1000", "--block", "16", "--seed", "7"]


def text(values: np.ndarray) -> bytes:
    return ("\n".join(map(str, values.tolist())) + "\n").encode()


def straight() -> list[float]:
    return list(ToPS(1.0, 200, warmup=1000, block=16, rng=Seeded(7)).push(VALUES).tolist())


def noisy(released: Iterable[float]) -> set[float]:
    """Values that show their noise: below zero there are no predictions."""
    return {x for x in released if x < 0}


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


def test_a_seed_is_told_however_quiet() -> None:
    _, log = call([*ARGUMENTS, "--quiet"], text(VALUES))
    assert log.startswith("INSECURE, no promise")
    assert log.count("\n") == 1


@pytest.mark.parametrize("kind", [ToPS, ToPL, PAK])
def test_the_promise_of_a_seeded_stream_is_none(kind: type[Stream]) -> None:
    seeded, secure = (kind(1.0, 200, warmup=1000, **more) for more in ({"rng": Seeded(7)}, {}))  # type: ignore[call-arg]
    assert seeded.privacy.insecure
    assert str(seeded.privacy).startswith("INSECURE, no promise")
    assert "INSECURE" not in str(secure.privacy)


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
    secure = ARGUMENTS[: ARGUMENTS.index("--seed")] + ARGUMENTS[ARGUMENTS.index("--seed") + 2 :]
    assert call([*secure, "--quiet"], text(VALUES))[1] == ""


def test_a_stream_shorter_than_the_warm_up_says_what_to_do() -> None:
    out, log = call(ARGUMENTS, b"1 2 3")
    assert out == ""
    assert "see --warmup and --threshold" in log


class Drip(io.BytesIO):
    """Input that comes in these pieces; an error among them stands for the end of the process."""

    def __init__(self, pieces: Iterable[bytes | Exception]) -> None:
        super().__init__()
        self._pieces = iter(pieces)

    def read1(self, size: int | None = -1) -> bytes:
        piece = next(self._pieces, b"")
        if isinstance(piece, Exception):
            raise piece
        return piece


def test_numbers_may_be_cut_anywhere_by_the_pipe() -> None:
    given = b"12 345\n6\n\n78.25   9\t1e2 7"
    numbers = np.concatenate(list(read_numbers(Drip(given[i : i + 3] for i in range(0, len(given), 3)))))
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


def test_killed_in_the_warm_up_it_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    state = tmp_path / "stream.state"
    stopped = Drip([text(VALUES[:300]), text(VALUES[300:800]), RuntimeError("killed")])
    with pytest.raises(RuntimeError), patch.object(stream_files, "SECONDS_KEPT", -1.0):
        run(parser().parse_args([*ARGUMENTS, "--state", str(state)]), stopped, io.StringIO(), io.StringIO())
    position = ToPS.restore(state.read_bytes()).position
    assert position == 300  # the state of before the last batch
    out, _ = call([*ARGUMENTS, "--state", str(state)], text(VALUES[position:]))
    assert [float(x) for x in out.split()] == straight()


def test_the_state_is_kept_before_the_threshold_or_a_value_can_be_seen(tmp_path: Path) -> None:
    """At every write to the outside, the file already covers what is written."""
    state = tmp_path / "stream.state"

    class Watched(io.StringIO):
        def write(self, released: str) -> int:
            data = state.read_bytes()
            seen.append((reserved_place(data), ToPS.restore(data).threshold, ended_cleanly(data)))
            return super().write(released)

    seen: list[tuple[int, float | None, bool]] = []
    batches = Drip([text(VALUES[start : start + 500]) for start in range(0, 5000, 500)])
    run(parser().parse_args([*ARGUMENTS, "--state", str(state)]), batches, Watched(), io.StringIO())
    assert len(seen) == 8
    for (reserved, threshold, clean), written in zip(seen, range(1500, 5001, 500), strict=True):
        assert reserved >= written
        assert threshold is not None
        assert not clean
    assert ended_cleanly(state.read_bytes())
    assert reserved_place(state.read_bytes()) == 5000


def test_after_a_kill_it_goes_on_from_the_reserved_place_with_fresh_noise(tmp_path: Path) -> None:
    state = tmp_path / "stream.state"
    stopped = Drip([text(VALUES[:2345]), RuntimeError("killed")])
    with pytest.raises(RuntimeError):
        run(parser().parse_args([*ARGUMENTS, "--state", str(state)]), stopped, io.StringIO(), io.StringIO())
    reserved = reserved_place(state.read_bytes())
    assert reserved >= 2345
    out, log = call([*ARGUMENTS, "--state", str(state)], text(VALUES[1000:]))
    assert "did not end well" in log
    assert f"Going on from position {reserved:,}" in log
    assert len(out.split()) == 4000
    assert len(noisy(map(float, out.split()))) > 20
    assert not noisy(map(float, out.split())) & noisy(straight())


def test_an_old_state_that_reserves_nothing_gets_fresh_noise(tmp_path: Path) -> None:
    stream = ToPS(1.0, 200, warmup=1000, block=16, rng=Seeded(7))
    stream.push(VALUES[:2000])
    state = tmp_path / "stream.state"
    state.write_bytes(stream.state())
    out, log = call([*ARGUMENTS, "--state", str(state)], text(VALUES[2000:]))
    assert "did not end well" in log
    assert len(noisy(map(float, out.split()))) > 20
    assert not noisy(map(float, out.split())) & noisy(straight())


def test_two_runs_cannot_share_a_state(tmp_path: Path) -> None:
    with (
        StateFile(tmp_path / "stream.state"),
        pytest.raises(Busy, match="in use by another run of untold stream"),
    ):
        call([*ARGUMENTS, "--state", str(tmp_path / "stream.state")], text(VALUES))


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
