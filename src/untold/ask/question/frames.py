"""Windows over groups: a total of a row that is added up over other groups, by their place in the order of a key.

The groups of a key are disjoint. So with W[g, h] the weight of group h in the row of group g, and 1_h the indicator of h,

    sum over h of W[g, h] (total within h) = total of (sum over h of W[g, h] 1_h)

which is a total like any other: its covariance with every other total of the row comes from the same reports, and by the same
rule. W is 1 below the diagonal for running totals, 1 one place beside it for LAG, and 1/n for a mean over n groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from untold.ask.question.model import Floats


@dataclass(frozen=True)
class Frame:
    """Which groups of key number `key` a total is added up over, for the row of each of them.

    order        labels of a sensitive key, by number, in the order of the window; those that WHERE rules out are not among them.
                 None: of a public key, whose values are known and sorted once reports are read
    start, end   from how many places after the row's own to how many; None: from the first, or to the last
    pick         all of these, or the first or the last of them alone
    mean         divided by their number
    or_zero      whether a row without any has 0 there; else it has NULL
    """

    key: int
    order: tuple[int, ...] | None
    descending: bool = False
    start: int | None = None
    end: int | None = 0
    pick: Literal["all", "first", "last"] = "all"
    mean: bool = False
    or_zero: bool = False

    def weights(self, size: int) -> Floats:
        """W for so many groups in order.

        >>> Frame(0, None).weights(3).tolist()
        [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
        >>> Frame(0, None, start=-1, end=-1).weights(3).tolist()
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        """
        out = np.zeros((size, size))
        for place in range(size):
            members = self._members(place, size)
            if len(members):
                out[place, members] = 1.0 / len(members) if self.mean else 1.0
        return out

    def absent(self, size: int) -> npt.NDArray[np.bool_]:
        """The places whose row has no group to add up, and shows NULL."""
        empty = [not self.or_zero and not self._members(place, size) for place in range(size)]
        return np.array(empty, dtype=np.bool_)

    def _members(self, place: int, size: int) -> range:
        first = 0 if self.start is None else min(max(place + self.start, 0), size)
        last = size - 1 if self.end is None else max(min(place + self.end, size - 1), -1)
        if first > last or self.pick == "all":
            return range(first, last + 1)
        return range(first, first + 1) if self.pick == "first" else range(last, last + 1)

    def of_labels(self, labels: int) -> Floats:
        """W by numbers of labels; those that are not in the order have none."""
        assert self.order is not None
        out = np.zeros((labels, labels))
        out[np.ix_(self.order, self.order)] = self.weights(len(self.order))
        return out

    def absent_labels(self, labels: int) -> npt.NDArray[np.bool_]:
        """The labels whose row shows NULL."""
        assert self.order is not None
        out = np.ones(labels, dtype=np.bool_)
        out[list(self.order)] = self.absent(len(self.order))
        return out
