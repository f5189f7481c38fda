"""What a search finds: candidates, those that pass the test, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.views import views_of
from untold.ask.discovered.reach import FoundFrom
from untold.plan.designs import Design
from untold.plan.designs.texts import COUNTED, TextView, text_views
from untold.plan.schema.kinds.text import Text
from untold.plan.schema.text import Letters

Floats = npt.NDArray[np.float64]


@dataclass(eq=False)
class CountedTexts:
    """Views of texts of one service, with how often each message came."""

    text: Text
    design: Design
    views: tuple[TextView, ...]
    message: npt.NDArray[np.uint32]
    number: npt.NDArray[np.float64]
    reports: float = field(init=False)  # of all views, those that tell nothing of texts too

    def __post_init__(self) -> None:
        self.reports = float(self.number.sum())
        self._decoded = views_of(self.design, self.message, self.number)
        self._supports: dict[int, Floats] = {}

    @cached_property
    def letters(self) -> Letters:
        """How texts are written as bits."""
        return Letters.named(self.text.letters)

    @property
    def prefixes(self) -> tuple[TextView, ...]:
        """The views of the first bits, coarse to fine."""
        return tuple(view for view in self.views if view.column.bits)

    @property
    def whole(self) -> tuple[TextView, ...]:
        """Those that test."""
        return tuple(view for view in self.views if not view.column.bits and view.column.name != COUNTED)

    @property
    def counting(self) -> TextView | None:
        """The one that took no part in the search."""
        return next((view for view in self.views if view.column.name == COUNTED), None)

    def people(self, view: TextView) -> int:
        """Reports of a view."""
        return round(self._decoded.view(view.number).reports)

    def supports(self, view: TextView) -> Floats:
        """How many reports support each cell."""
        if view.number not in self._supports:
            self._supports[view.number] = np.rint(self._decoded.view(view.number).supports)
        return self._supports[view.number]

    def support(self, view: TextView, text: str) -> int:
        """How many reports support a text."""
        return int(self.supports(view)[view.column.cell.of(text.encode(), self.letters)])


def counted_texts(text: Text, design: Design, message: npt.NDArray[np.uint32], number: Floats) -> CountedTexts:
    """The views of texts of a design."""
    return CountedTexts(text, design, text_views(design), message, number)


@dataclass(frozen=True)
class Candidate:
    """A text that a search came to.

    after   the number of prefix views that made it: those behind are free to test it
    listed  whether it was on a list of candidates, and then how many whole views chose it
    """

    text: str
    after: int
    listed: int = 0


@dataclass(frozen=True)
class FoundText:
    """A text that people hold, with its share by the people who count; the interval is right whatever the search did."""

    text: str
    share: float
    error: float
    tested: float  # its share by those who tested it: what the order of the list goes by

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Both ends."""
        wide = NormalDist().inv_cdf((1 + confidence) / 2) * self.error
        return self.share - wide, self.share + wide


@dataclass(frozen=True)
class Search:
    """What was found, the most frequent first.

    people      reports of the service, those of other views too
    looking     how many of them look for texts
    counting    how many of these made the shares; 0: shares are of those who tested, and lean upwards
    candidates  how many were tested
    unfinished  beginnings of texts whose codes are longer than the last view sees
    reach       from which share on a text would have been found, by its length
    """

    found: tuple[FoundText, ...]
    people: int
    looking: int
    counting: int
    candidates: int
    unfinished: tuple[str, ...]
    reach: tuple[FoundFrom, ...]

    @property
    def covered(self) -> float:
        """The share of people whose text is on the list."""
        return sum(each.share for each in self.found)

    @property
    def covered_error(self) -> float:
        """Its standard error, cells taken as independent."""
        return sqrt(sum(each.error**2 for each in self.found))
