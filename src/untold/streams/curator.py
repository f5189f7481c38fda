"""The curator's stream: warm-up, threshold, hierarchy of noise, smoother. ToPS, PAK, FixedPercentile set it up.

Everything from the clipped value to the released one is whole-number arithmetic: values in units of 2^-s, noise exact,
and consistent noise and predictions in units of 2^-bits of that. So there are no low-order bits of floating point to
leak, and a restored stream goes on bit for bit, on any machine.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar, Self

import numpy as np

from untold.exact import at_most_text
from untold.kernels.stream_layout import BLOCKS, COUNT, FILLED, GUESS, SMOOTHERS, STATE_SIZE, SUM, TOTAL
from untold.randomness import Randomness, Secure
from untold.streams.base import Floats, History, Integers, Mark, Privacy, RangeSum, Stream, Values, as_values
from untold.streams.forest import LeafNoise
from untold.streams.geometric import DiscreteLaplace, Geometric
from untold.streams.keyed import Key
from untold.streams.settings import Settings
from untold.streams.smooth_sensitivity import Calibration, smooth_threshold
from untold.streams.threshold import clipping_threshold, percentile_threshold
from untold.streams.variance import noise_variance

SLICE = 1 << 16  # values that are worked on at once
FRACTION_BITS = 10  # released values are multiples of 2^-10 units
ROOM = 62  # bits of the whole numbers


class CuratorStream(Stream):
    """Event-level private release by a curator who sees the values. `rng` is asked once, for a key."""

    kind: ClassVar[str] = "curator"

    def __init__(self, settings: Settings, rng: Randomness | None = None, history: bool = False) -> None:
        source = rng if rng is not None else Secure()
        self.settings, self.insecure = settings, source.insecure
        self._key: Key | None = Key.draw(source)
        self._position = 0
        self._origin = settings.values_before  # position of the first leaf under this key
        self._total = 0  # of released values, in units of 2^-bits
        self._state = np.zeros(STATE_SIZE, dtype=np.int64)
        self._squares = np.zeros(1, dtype=np.float64)
        self._counts: Integers | None = np.zeros(settings.steps + 1, dtype=np.int64)
        self._history = History(settings.values_before) if history else None
        if settings.given is not None:
            self._start(min(max(1, round(settings.given / settings.step)), settings.steps))

    # What it says about itself

    @property
    def privacy(self) -> Privacy:
        return Privacy(
            self.settings.epsilon, self.settings.stated_delta, "the curator, who sees every value", self.insecure
        )

    @property
    def position(self) -> int:
        return self._position

    @property
    def first(self) -> int:
        return self.settings.values_before

    @property
    def upper(self) -> float:
        return self.settings.upper

    @property
    def threshold(self) -> float | None:
        return self._clip * self.settings.step if self._counts is None else None

    # Values in, released values out

    def push(self, values: Values) -> Floats:
        units = self.settings.to_units(as_values(values))
        if self._counts is not None:
            units = self._warm_up(units)
        parts = [self._release(units[i : i + SLICE]) for i in range(0, len(units), SLICE)]
        return np.concatenate(parts) if parts else np.empty(0)

    def push_one(self, value: float) -> float | None:
        if self._counts is None and self._waiting and 0.0 <= value <= self.settings.upper and self._history is None:
            # A short cut for all values but the last of a block: the same numbers as the kernel's
            self._waiting -= 1
            self._position += 1
            self._open += min(round(value / self.settings.step), self._clip)
            self._total += self._guess
            return self._guess * self._scale
        released = self.push(value)
        return float(released[0]) if len(released) else None

    def _warm_up(self, units: Integers) -> Integers:
        """Count values per unit until there are enough of them; the values that were not needed."""
        assert self._counts is not None
        mine = units[: self.settings.values_before - self._position]
        self._counts += np.bincount(mine, minlength=len(self._counts))
        self._position += len(mine)
        if self._position == self.settings.values_before:
            self._start(self._find_threshold(self._counts))
        return units[len(mine) :]

    def _find_threshold(self, counts: Integers) -> int:
        assert self._key is not None
        s, rng = self.settings, self._key.source("threshold")
        if s.finder == "noisy-maximum":
            return clipping_threshold(counts, s.penalty, s.candidates, s.nano, rng)
        if s.finder == "percentile":
            return percentile_threshold(counts, s.percentile, s.candidates, s.nano, rng)
        calibration = Calibration(s.finder.removeprefix("smooth-"), s.epsilon, s.smooth_delta, s.miss)
        return smooth_threshold(counts, s.percentile, s.miss, calibration, rng)

    def _start(self, clip: int, key: Key | None = None, taken: int = 0) -> None:
        """Clip here from now on, and make the noise for it; counts and first key are forgotten."""
        assert key is not None or self._key is not None
        s, shape = self.settings, self.settings.shape
        self._clip, self._counts = clip, None
        self._noise = DiscreteLaplace(Geometric(s.nano, shape.levels, clip))
        room = ROOM - (shape.levels * shape.leaves * self._noise.part.most).bit_length()
        if room < 0:
            raise ValueError(
                f"unit {s.step:g} is too fine for {shape.levels} levels of fan-out {s.branching} at epsilon "
                f"{at_most_text(s.epsilon)}; "
                f"choose a unit of {s.step * 2.0**-room:g} or more"
            )
        self._bits = min(FRACTION_BITS, room)
        self._scale = s.step * 2.0**-self._bits
        key = key if key is not None else self._key.derive("noise")  # type: ignore[union-attr]
        self._leaves = LeafNoise(shape, self._noise, self._bits, s.consistency == "on-line", key, taken)
        self._key = None
        self._unpack_block()

    def _release(self, units: Integers) -> Floats:
        from untold.kernels.stream_release import release

        s = self.settings
        self._pack_block()
        noise = self._leaves.take((int(self._state[FILLED]) + len(units)) // s.leaf)
        smoother = SMOOTHERS.index(s.smoother)
        out = release(units, noise, self._state, self._squares, self._clip, s.leaf, self._bits, smoother)
        self._unpack_block()
        self._position += len(out)
        self._total += int(out.sum())
        if self._history is not None:
            self._history.append(out)
        return np.asarray(out * self._scale, dtype=np.float64)

    def _unpack_block(self) -> None:
        """The open block as plain numbers, for push_one."""
        self._open, self._guess = int(self._state[SUM]), int(self._state[GUESS])
        self._waiting = self.settings.leaf - 1 - int(self._state[FILLED])

    def _pack_block(self) -> None:
        self._state[SUM], self._state[FILLED] = self._open, self.settings.leaf - 1 - self._waiting

    # Range sums

    def mark(self) -> Mark:
        return Mark(max(self._position, self.first), self._total)

    def since(self, mark: Mark) -> RangeSum:
        here = self.mark()
        scale = self._scale if self._counts is None else 0.0
        return self._sum((here.total - mark.total) * scale, mark.position, here.position)

    def range_sum(self, start: int, stop: int) -> RangeSum:
        if self._history is None:
            raise ValueError(
                "ranges of the past need history=True (8 bytes a value); or take mark() there and since(mark)"
            )
        total = self._history.total(start, stop)
        return self._sum(total * self._scale, start, stop)

    def variance(self, start: int, stop: int) -> float:
        """Noise of the blocks that end in the range, exactly, and an estimate for the pieces of blocks at its two ends.

        A piece of o values misses by about o times the smoother's miss D, which released blocks show (their noise taken
        off), and by the spread of o values around their block's mean: at most mu (theta - mu) each, for a mean mu in
        [0, theta].
        """
        if not self._origin <= start <= stop:
            why = "the warm-up of" if self._origin == self.first else "the fresh start after"
            raise ValueError(f"range {start}..{stop} must lie in order after {why} {self._origin} values")
        if start == stop or self._counts is not None:
            return 0.0
        leaf = self.settings.leaf
        (low, head), (high, tail) = divmod(start - self._origin, leaf), divmod(stop - self._origin, leaf)
        noise = self._noise_variance(low, high)
        if low == high:
            return float(self._piece(tail - head)) * self.settings.step**2
        return float(noise + self._piece(head) + self._piece(tail)) * self.settings.step**2

    def _noise_variance(self, low: int, high: int) -> float:
        consistent = self.settings.consistency == "on-line"
        return noise_variance(self.settings.shape, low, high, consistent, self._noise.variance)

    def _piece(self, values: int) -> float:
        """Squared miss of the first `values` predictions of a block, in units."""
        blocks, fixed = int(self._state[BLOCKS]), 2.0**-self._bits
        if not values:
            return 0.0
        if blocks < 2:
            return float(values * self._clip) ** 2 / 3
        leaf_noise = self._noise_variance(0, 1) / self.settings.leaf**2
        drift = max(0.0, float(self._squares[0]) * fixed**2 / (blocks - 1) - leaf_noise)
        mean = int(self._state[TOTAL]) / (int(self._state[COUNT]) * self.settings.leaf) * fixed
        mean = min(max(mean, 0.0), float(self._clip))
        return values**2 * drift + values * mean * (self._clip - mean)

    # Saved, restored, begun afresh

    def renew(self, position: int, rng: Randomness | None = None) -> None:
        self._check_renewal(position)
        if self._counts is not None:
            return
        self._state[SUM] = self._state[FILLED] = 0
        self._start(self._clip, Key.draw(rng if rng is not None else Secure()))
        self._position = self._origin = position
        self._history = History(position) if self._history is not None else None

    def _save(self) -> dict[str, Any]:
        saved: dict[str, Any] = {
            "settings": asdict(self.settings),
            "insecure": self.insecure,
            "position": self._position,
        }
        if self._counts is not None:
            assert self._key is not None
            places = np.flatnonzero(self._counts)
            counts = [[int(i), int(self._counts[i])] for i in places]
            return saved | {"counts": counts, "key": self._key.secret.hex()}
        self._pack_block()
        return saved | {
            "clip": self._clip,
            "origin": self._origin,
            "key": self._leaves.key.secret.hex(),
            "leaves": self._leaves.position,
            "total": self._total,
            "block": [int(x) for x in self._state],
            "squares": float(self._squares[0]).hex(),
        }

    @classmethod
    def _load(cls, state: dict[str, Any], history: bool) -> Self:
        stream = cls.__new__(cls)
        key = Key(bytes.fromhex(state["key"]))
        CuratorStream.__init__(stream, Settings(**state["settings"]), key.known(), history)
        stream.insecure, stream._position = state["insecure"], state["position"]
        if "clip" in state:
            stream._state[:] = state["block"]
            stream._squares[0] = float.fromhex(state["squares"])
            stream._total = state["total"]
            stream._origin = state.get("origin", stream.first)
            stream._start(state["clip"], key, state["leaves"])
            stream._history = History(stream._position) if history else None
        else:
            for place, count in state["counts"]:
                stream._counts[place] = count  # type: ignore[index]
        return stream
