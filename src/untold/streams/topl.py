"""ToPL: the release of CCS 2021 without a trusted curator."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from untold.numeric.base import Answers
from untold.randomness import Randomness, Secure, Words
from untold.streams.base import Floats, History, Integers, Mark, Privacy, RangeSum, Stream, Values, as_values
from untold.streams.keyed import Key
from untold.streams.local_threshold import OBJECTIVES, best_threshold, estimate_distribution, trim
from untold.streams.reporter import Reporter

SLICE = 1 << 12  # reports whose words are expanded at once
DUSTY = 0.5  # below this epsilon trimming helps more often than it hurts
FINE = 2.0**-24  # released values are multiples of this times upper


class ToPL(Stream):
    """Every value is perturbed by its holder: square wave during the warm-up, the hybrid mechanism after it.

    `push` plays both sides (devices and collector), for experiments and for a gateway that perturbs on behalf of
    people; a real collector hands out `reporter` and takes what comes back with `push_reports`.
    `trimmed` says whether EM's estimate is cut off at its first empty stretch; by default below epsilon 0.5, where EM leaves
    dust in the tail. From there on such a stretch is mostly a gap in the data (docs/evidence/ccs21.md).
    """

    kind: ClassVar[str] = "topl"

    def __init__(
        self,
        epsilon: float,
        upper: float,
        *,
        horizon: int = 2**20,
        warmup: int = 65_536,
        buckets: int = 1024,
        objective: str = "derived",
        trimmed: bool | None = None,
        threshold: float | None = None,
        rng: Randomness | None = None,
        history: bool = False,
    ) -> None:
        if objective not in OBJECTIVES:
            raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}, not {objective!r}")
        if not (np.isfinite(upper) and upper > 0) or warmup < 1 or buckets < 2 or horizon < 2:
            raise ValueError("upper must be positive and finite, warmup 1 or more, buckets and horizon 2 or more")
        source = rng if rng is not None else Secure()
        self.insecure = source.insecure
        self.settings: dict[str, Any] = {
            "epsilon": epsilon, "upper": upper, "horizon": horizon, "warmup": warmup, "buckets": buckets,
            "objective": objective, "trimmed": epsilon < DUSTY if trimmed is None else trimmed, "threshold": threshold,
        }  # fmt: skip
        self._key = Key.draw(source)
        self._aligned = _Aligned(self._key)
        self._position, self._total = 0, 0
        self.reporter = Reporter(epsilon, upper, threshold)
        self._counts = np.zeros(len(self._edges) - 1, dtype=np.int64)
        self._history = History(self.first) if history else None
        self._above: float | None = None

    @property
    def privacy(self) -> Privacy:
        return Privacy(self.settings["epsilon"], 0.0, "nobody; a value leaves its device perturbed", self.insecure)

    @property
    def position(self) -> int:
        return self._position

    @property
    def first(self) -> int:
        return 0 if self.settings["threshold"] is not None else int(self.settings["warmup"])

    @property
    def upper(self) -> float:
        return float(self.settings["upper"])

    @property
    def threshold(self) -> float | None:
        return self.reporter.threshold

    @property
    def share_above(self) -> float | None:
        """Of the values of the warm-up, as their reports say: what finds the threshold knows that, too."""
        return self._above

    @cached_property
    def _edges(self) -> Integers:
        """Bins of the square wave's answers."""
        wave = Reporter(self.settings["epsilon"], self.settings["upper"]).mechanism
        return wave.bin_edges(self.settings["buckets"])

    # Values or reports in, released values out

    def push(self, values: Values) -> Floats:
        array, parts = as_values(values), []
        while len(array):
            mine = self._room(array)
            rng = self._aligned.at(self._position, self.threshold is None)
            parts.append(self.push_reports(self.reporter.report_many(mine, rng)))
            array = array[len(mine) :]
        return np.concatenate(parts) if parts else np.empty(0)

    def push_one(self, value: float) -> float | None:
        released = self.push(value)
        return float(released[0]) if len(released) else None

    def _room(self, array: Floats) -> Floats:
        """As many values as fit into the slice that is open, and into the warm-up while it lasts."""
        most = SLICE - self._position % SLICE
        return array[: min(most, self.first - self._position) if self.threshold is None else most]

    def push_reports(self, reports: Answers) -> Floats:
        """The collector's side: reports made by `reporter` as it was handed out last."""
        if self.threshold is None:
            if self._position + len(reports) > self.first:
                raise ValueError(f"the warm-up takes {self.first - self._position} more reports, not {len(reports)}")
            bins = np.searchsorted(self._edges, reports, side="right") - 1
            self._counts += np.bincount(bins, minlength=len(self._counts))
            self._position += len(reports)
            if self._position == self.first:
                self._find_threshold()
            return np.empty(0)
        half = self.threshold / 2
        released = half * (1 + self.reporter.mechanism.unbias(self.reporter.mechanism.value(reports)))
        whole = np.rint(released / (FINE * self.settings["upper"])).astype(np.int64)
        self._position += len(whole)
        self._total += int(whole.sum())
        if self._history is not None:
            self._history.append(whole)
        return np.asarray(whole * self._scale, dtype=np.float64)

    def _find_threshold(self) -> None:
        s, wave = self.settings, self.reporter.mechanism
        found = estimate_distribution(self._counts, wave, self._edges, s["buckets"])  # type: ignore[arg-type]
        shares = trim(found) if s["trimmed"] else found
        theta = best_threshold(shares, s["horizon"], s["epsilon"], s["objective"]) * s["upper"]
        self.reporter = Reporter(s["epsilon"], s["upper"], theta)
        self._above = float(found[round(theta / s["upper"] * len(found)) :].sum())

    # Range sums

    @property
    def _scale(self) -> float:
        return FINE * float(self.settings["upper"])

    def mark(self) -> Mark:
        return Mark(max(self._position, self.first), self._total)

    def since(self, mark: Mark) -> RangeSum:
        here = self.mark()
        return self._sum((here.total - mark.total) * self._scale, mark.position, here.position)

    def range_sum(self, start: int, stop: int) -> RangeSum:
        if self._history is None:
            raise ValueError(
                "ranges of the past need history=True (8 bytes a value); or take mark() there and since(mark)"
            )
        return self._sum(self._history.total(start, stop) * self._scale, start, stop)

    def variance(self, start: int, stop: int) -> float:
        """(stop - start) times the worst-case variance of HM, scaled to [0, theta]."""
        if not self.first <= start <= stop:
            raise ValueError(f"range {start}..{stop} must lie in order after the warm-up of {self.first} values")
        return (stop - start) * self._worst * (self.threshold / 2) ** 2 if self.threshold is not None else 0.0

    @cached_property
    def _worst(self) -> float:
        mechanism = Reporter(self.settings["epsilon"], self.settings["upper"], 1.0).mechanism
        return float(mechanism.variance(np.linspace(-1, 1, 201)).max())

    # Saved, restored, begun afresh

    def renew(self, position: int, rng: Randomness | None = None) -> None:
        self._check_renewal(position)
        if self.threshold is None:
            return
        self._key = Key.draw(rng if rng is not None else Secure())
        self._aligned = _Aligned(self._key)
        self._position = position
        self._history = History(position) if self._history is not None else None

    def _save(self) -> dict[str, Any]:
        return {
            "settings": self.settings,
            "insecure": self.insecure,
            "position": self._position,
            "total": self._total,
            "key": self._key.secret.hex(),
            "threshold": None if self.threshold is None else self.threshold.hex(),
            "counts": [int(c) for c in self._counts] if self.threshold is None else [],
            "above": None if self._above is None else self._above.hex(),
        }

    @classmethod
    def _load(cls, state: dict[str, Any], history: bool) -> Self:
        stream = cls(**state["settings"], rng=Key(bytes.fromhex(state["key"])).known())
        stream.insecure, stream._position, stream._total = state["insecure"], state["position"], state["total"]
        if state["counts"]:
            stream._counts[:] = state["counts"]
        if state["threshold"] is not None:
            theta = float.fromhex(state["threshold"])
            stream.reporter = Reporter(state["settings"]["epsilon"], state["settings"]["upper"], theta)
        above = state.get("above")
        stream._above = None if above is None else float.fromhex(above)
        stream._history = History(max(stream._position, stream.first)) if history else None
        return stream


class _Aligned:
    """Words by position in the stream: value i reads the same ones, pushed alone or in an array."""

    insecure = False

    def __init__(self, key: Key) -> None:
        self._key, self._open, self._words = key, ("", -1), np.empty((0, 0), dtype=np.uint64)
        self._what, self._slice, self._from, self._attempt = "", 0, 0, 0

    def at(self, position: int, warming: bool) -> _Aligned:
        """Read on from here."""
        self._what, self._attempt = "wave" if warming else "hybrid", 0
        self._slice, self._from = divmod(position, SLICE)
        return self

    def words(self, shape: tuple[int, ...]) -> Words:
        rows, count = shape
        self._attempt += 1  # a second one follows a word beyond the last full stretch: once in 2^40
        if self._attempt > 1:
            found = self._key.words(rows * SLICE, self._what, self._slice, self._attempt).reshape(SLICE, rows)
            return np.ascontiguousarray(found[self._from : self._from + count].T)
        if self._open != (self._what, self._slice):
            self._words = self._key.words(rows * SLICE, self._what, self._slice).reshape(SLICE, rows)
            self._open = (self._what, self._slice)
        return np.ascontiguousarray(self._words[self._from : self._from + count].T)

    def spawn(self) -> _Aligned:
        return self
