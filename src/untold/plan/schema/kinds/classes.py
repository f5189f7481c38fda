"""Numbers in classes: kept as the class that a number lies in and a random bit, up or down inside of it.

A number x of the class [a, b] has the bit 1 with probability (x - a) / (b - a). Counts add up whole classes; sums give the
bit 1 the value b and the bit 0 the value a. Both are unbiased for every x:

    E[a + bit (b - a)] = x

Classes are closed: b is the last number before the next class begins (the last integer, the last decimal, the last double), and
`high` for the last class. A class of one number has a = b and its bit is 0.

With `parts` every class is cut into so many equal parts, which are classes in all that is said above. The tree of the attribute
has a level of whole classes above them, so that questions at cuts are as cheap as without parts. A class of fewer numbers than
parts has one part for each of them, and the other parts hold nobody. With `rounded = false` nobody reports the bit: sums are then
refused, and all else has less noise.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.plan.schema.as_number import as_number
from untold.plan.schema.kinds.attribute import Bad, Positions, ValueType
from untold.plan.schema.kinds.decimals import MOST_DIGITS, Decimals
from untold.plan.schema.kinds.range import Range, read_bounds
from untold.plan.schema.names import MAX_DOMAIN
from untold.plan.schema.table import Table
from untold.plan.schema.words import plain

MOST_CLASSES = MAX_DOMAIN // 2 - 1
PARTS = (1, 2, 4, 8, 16, 32, 64)
FINEST = 2**10  # units in the last place that two limits must be apart, for a fraction between them to mean something


@dataclass(frozen=True)
class Classes(Range):
    """Numbers from low to high in classes between `cuts`: the code is twice the number of the part, and the bit."""

    cuts: tuple[float, ...]  # inner limits: a number at a cut belongs to the class above it
    digits: int | None = None  # behind the point; None: any number
    parts: int = 1  # of every class
    rounded: bool = True  # whether the bit is reported

    keys: ClassVar[tuple[str, ...]] = ("low", "high", "cuts", "digits", "parts", "rounded")
    rounds: ClassVar[bool] = True
    halves: ClassVar[bool] = True

    @classmethod
    def claims(cls, declared: Mapping[Any, Any]) -> bool:
        """kind = "ordinal" with cuts."""
        return super().claims(declared) and "cuts" in declared

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """From two numbers, and limits between them."""
        digits = None
        if "digits" in table.data:
            digits = table.integer(
                "digits", 0, MOST_DIGITS, "Write how many digits stand behind the point; 0 for integers"
            )
        if "bins" in table.data:
            table.note("bins", "bins and cuts at once", "Keep bins for equal classes, or cuts for classes of your own")
            return None
        bounds, items = read_bounds(table, whole=False), table.items("cuts", "cuts = [20000, 35000, 60000]")
        parts = table.integer("parts", 1, PARTS[-1], "Write parts = 4, or leave it out") if "parts" in table.data else 1
        rounded = table.boolean("rounded") is not False
        if bounds is None or items is None or parts is None or (digits is None and "digits" in table.data):
            return None
        if parts not in PARTS:
            table.note("parts", f"{parts} is not a power of two", f"Write one of {', '.join(map(str, PARTS))}")
            return None
        cuts = [item for item in items if isinstance(item, int | float) and not isinstance(item, bool)]
        if len(cuts) < len(items) or not all(map(math.isfinite, cuts)):
            table.note(
                "cuts", "not a list of numbers", "Write the inner limits of classes, such as cuts = [20, 40, 65]"
            )
            return None
        limits = tuple(float(cut) + 0.0 for cut in cuts)
        attribute = cls(name, float(bounds[0]), float(bounds[1]), limits, digits, parts, rounded)
        reason = attribute._mistake()
        if reason is not None:
            table.note("cuts", *reason)
            return None
        return attribute

    def _mistake(self) -> tuple[str, str] | None:
        """What is wrong with the limits, and how to mend it."""
        limits = (self.low, *self.cuts, self.high)
        if (len(self.cuts) + 1) * self.parts > MOST_CLASSES + 1:
            return f"{len(self.cuts) + 1} classes of {self.parts} parts, more than {MOST_CLASSES + 1}", "Use fewer"
        wrong = next(((a, b) for a, b in pairwise(limits) if not a < b), None)
        if wrong is not None:
            return (
                f"{plain(wrong[1])} is not above {plain(wrong[0])}",
                "Write cuts in rising order, each above low and below high: a cut is where a class begins",
            )
        if self.digits is not None:
            odd = next((x for x in limits if self._grid.whole(x) is None), None)
            if odd is not None:
                return f"{plain(odd)} has more than {self.digits} digits behind the point", "Round it, or raise digits"
        finest = FINEST * self.parts * math.ulp(max(abs(self.low), abs(self.high)))
        if self.digits is None and any(b - a < finest for a, b in pairwise(limits)):
            return "limits nearer to each other than doubles can tell apart", "Use fewer, or scale the values"
        return None

    def dump(self) -> dict[str, Any]:
        """Bounds, cuts and digits; parts and the want of a bit where they are declared."""
        told = {**super().dump(), "cuts": list(self.cuts)}
        told |= {} if self.digits is None else {"digits": self.digits}
        return told | ({} if self.parts == 1 else {"parts": self.parts}) | ({} if self.rounded else {"rounded": False})

    @cached_property
    def _grid(self) -> Decimals:
        """The decimals that numbers with `digits` are."""
        assert self.digits is not None
        return Decimals(self.name, self.low, self.high, self.digits)

    @cached_property
    def pieces(self) -> tuple[tuple[float, float, int], ...]:
        """Every part that holds a number: its lowest and highest number, and its place among all parts."""
        limits = (self.low, *self.cuts, self.high)
        of_class = self._cut_any if self.digits is None else self._cut_units
        return tuple(
            (start, end, at * self.parts + part)
            for at, (low, high) in enumerate(pairwise(limits))
            for part, (start, end) in enumerate(of_class(low, high, at == len(self.cuts)))
        )

    def _cut_any(self, low: float, high: float, last: bool) -> list[tuple[float, float]]:
        """Equal parts of a class of any numbers, one IEEE operation after the other, as JavaScript does it."""
        starts = [low + part * (high - low) / self.parts for part in range(self.parts)]
        before = [math.nextafter(start, -math.inf) for start in (*starts[1:], high)]
        return list(zip(starts, [*before[:-1], high if last else before[-1]], strict=True))

    def _cut_units(self, low: float, high: float, last: bool) -> list[tuple[float, float]]:
        """Parts of a class of decimals, equal to one unit; fewer of them where there are fewer numbers."""
        first, beyond = self._grid.whole(low), self._grid.whole(high)
        assert self.digits is not None
        assert first is not None
        assert beyond is not None
        units, scale = beyond - first + last, 10**self.digits
        parts = min(self.parts, units)
        starts = [first + part * units // parts for part in range(parts + 1)]
        return [(start / scale, (after - 1) / scale) for start, after in pairwise(starts)]

    @cached_property
    def _ends(self) -> tuple[tuple[float, float], ...]:
        """The lowest and highest number of all parts; one that holds nobody is the point where the one before it ends."""
        held = {at: (start, end) for start, end, at in self.pieces}
        found: list[tuple[float, float]] = []
        for part in range((len(self.cuts) + 1) * self.parts):
            found.append(held[part] if part in held else (found[-1][1],) * 2)
        return tuple(found)

    @cached_property
    def starts(self) -> tuple[float, ...]:
        """The lowest number of each part."""
        return tuple(start for start, _ in self._ends)

    @cached_property
    def ends(self) -> tuple[float, ...]:
        """The highest number of each part."""
        return tuple(end for _, end in self._ends)

    @cached_property
    def held(self) -> tuple[int, ...]:
        """Of every code, the place among the ends of `pieces`, two for each; of a part that holds nobody, the end before it."""
        place = {at: 2 * number for number, (_, _, at) in enumerate(self.pieces)}
        found: list[int] = []
        for part in range((len(self.cuts) + 1) * self.parts):
            found += [place[part], place[part] + 1] if part in place else [found[-1]] * 2
        return tuple(found)

    @cached_property
    def limits(self) -> tuple[float, ...]:
        """Where parts that hold a number begin, but for the first."""
        return tuple(start for start, _, _ in self.pieces[1:])

    @property
    def size(self) -> int:
        """Two for every part."""
        return 2 * len(self.starts)

    @property
    def step(self) -> float:
        """The mean width of a part."""
        return (self.high - self.low) / len(self.starts)

    @property
    def value_type(self) -> ValueType:
        """As precise as what is declared."""
        return "number" if self.digits is None else "decimal" if self.digits else "integer"

    def _shown(self, number: float) -> Any:
        if self.digits is None:
            return number
        units = self._grid.whole(number)
        assert units is not None
        return Decimal(units).scaleb(-self.digits) if self.digits else units

    def number(self, code: int) -> float:
        """The lower end of a class for bit 0, the upper one for bit 1."""
        return (self.ends if code % 2 else self.starts)[code // 2]

    def value(self, code: int) -> Any:
        """The same, with its digits."""
        return self._shown(self.number(code))

    def label(self, code: int) -> Any:
        """Where the class begins, as a date shows where its step begins."""
        return self._shown(self.starts[code // 2])

    @cached_property
    def numbers(self) -> npt.NDArray[np.float64]:
        """Of all codes: not quite in rising order of codes where a class has one number."""
        return np.stack([self.starts, self.ends], axis=1).reshape(-1)

    def place(self, literal: Any) -> float:
        """Counted in codes: the class that a number lies in, and how far inside of it."""
        number = float(Fraction(literal))
        if not self.low <= number <= self.high:
            return -1.0 if number < self.low else float(self.size)
        return self._x(number)

    def code_of(self, value: Any) -> int:
        """The code of a number that is an end of a class."""
        code, fraction = self.position(value)
        if fraction:
            raise BadRecord(
                f"{self.name} = {value!r} lies inside of a class; allowed here are the ends of {self.describe()}. "
                f"The class begins at {plain(self.starts[code // 2])}."
            )
        return code

    def _x(self, number: float) -> float:
        """Twice the class and the fraction inside of it, one IEEE operation after the other, as JavaScript does it."""
        start, end, at = self.pieces[bisect_right(self.limits, number)]
        return 2 * at + (number - start) / (end - start) if end > start else 2.0 * at

    def position(self, value: Any) -> tuple[int, float]:
        """The code of the class with bit 0, and the chance of bit 1; at the upper end the code with bit 1 itself."""
        if self.digits is None:
            number = float(self._inside(value)) + 0.0  # no negative zero
        else:
            number = self._with_digits(value, self.digits)
        x = self._x(number)
        below = math.floor(x)
        return below, x - below

    def _with_digits(self, value: Any, digits: int) -> float:
        """A Decimal, a text, an integer or a double with at most so many digits, as a number from low to high."""
        units = self._grid.units(value if digits or as_number(value) is not None else None)  # texts are no integers
        if units is None:
            raise BadRecord(
                f"{self.name} = {value!r} is not a number with at most {digits} digits behind the point; "
                f"allowed are {self.describe()}. Round it."
            )
        return float(self._inside(float(units / 10**digits)))

    def rounded_down(self, value: Any) -> int | float | None:
        """With `digits` only, as decimals are; texts are no integers."""
        if self.digits is None:
            return as_number(value)
        return self._grid.rounded_down(value if self.digits or as_number(value) is not None else None)

    def positions(self, values: npt.NDArray[Any]) -> tuple[Positions, Bad]:
        """The same by array operations."""
        if self.digits is not None:
            _, bad = self._grid.positions(values)
        if values.dtype.kind not in "iuf":
            found, wrong = super().positions(values)
            return found, wrong
        numbers = values.astype(np.float64) + 0.0
        if self.digits is None:
            bad = ~((numbers >= self.low) & (numbers <= self.high))  # NaN is neither
        inside = np.where(bad, self.low, numbers)
        piece = np.searchsorted(np.array(self.limits), inside, side="right")
        start, end, at = np.array(self.pieces).T[:, piece]
        width = np.where(end > start, end - start, 1.0)
        return 2 * at + (inside - start) / width, bad

    def describe(self) -> str:
        """The domain in words."""
        kind = "integers" if self.digits == 0 else "numbers"
        behind = f" with {self.digits} digits behind the point" if self.digits else ""
        return f"{kind} {plain(self.low)}..{plain(self.high)}{behind} {self._classes_in_words()}"

    def _classes_in_words(self) -> str:
        parts = f"{self.parts} parts" if self.parts > 1 else ""
        if not self.cuts:
            return f"in one class{f' of {parts}' if parts else ''}"
        shown = ", ".join(plain(cut) for cut in self.cuts[:8]) + (", ..." if len(self.cuts) > 8 else "")
        return f"in {len(self.cuts) + 1} classes{f' of {parts} each' if parts else ''}, cut at {shown}"

    @cached_property
    def even(self) -> tuple[float, ...]:
        """As wide as each part is, half with either bit; a part of one number has none with bit 1."""
        unit = 0.0 if self.digits is None else 10.0**-self.digits
        widths = {at: end - start + unit for start, end, at in self.pieces}
        total = sum(widths.values())
        shares = [widths.get(at, 0.0) / total for at in range(len(self.starts))]
        bits = [0.5 if end > start else 0.0 for start, end in self._ends]
        return tuple(s * each for s, up in zip(shares, bits, strict=True) for each in (1 - up, up))

    @property
    def caution(self) -> str:
        """What is exact and what is not."""
        return (
            f"{self.name} is kept in classes: counts at their limits, sums and means are those of the true numbers; "
            "squares and other curves are those of numbers rounded to the ends of their class."
        )
