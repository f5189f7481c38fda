"""Perturbed numbers of the same people at several services, as one matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from untold.numeric import Numeric

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reports:
    """What services hold about people, after the checks of `untold.fusion.read`.

    Linked reports have one column for each person in every row of `values`, NaN where the person is not at the
    service. Pooled reports (`linked=False`) came without user keys: each row of `values` is a list of its own length.
    """

    services: Mapping[str, Numeric]
    values: tuple[Floats, ...]  # one array for each service, in the order of `services`
    linked: bool = True
    low: float = -1.0  # the numbers that inputs -1 and 1 (0 and 1 for SW) stand for
    high: float = 1.0
    dimensions: tuple[str, ...] = ()  # with users sampled over dimensions: their names,
    dimension_of: npt.NDArray[np.int32] | None = None  # and the one of each person
    insecure: bool = False  # some were made with a seed

    @property
    def people(self) -> int:
        """Number of people; of reports, where nobody knows which belong together."""
        return len(self.values[0]) if self.linked else sum(len(column) for column in self.values)

    @property
    def mechanisms(self) -> tuple[Numeric, ...]:
        return tuple(self.services.values())

    def pooled(self) -> Reports:
        """The same reports with the links between services forgotten."""
        if not self.linked:
            return self
        columns = tuple(column[~np.isnan(column)] for column in self.values)
        return replace(self, values=columns, linked=False, dimensions=(), dimension_of=None)

    def only(self, *names: str) -> Reports:
        """The reports of some services, and the people who are at one of them at least."""
        keep = [place for place, name in enumerate(self.services) if name in names]
        services = {name: m for name, m in self.services.items() if name in names}
        columns = tuple(self.values[place] for place in keep)
        if self.linked:
            present = ~np.isnan(columns[0])
            for column in columns[1:]:
                present |= ~np.isnan(column)
            if not present.all():
                columns = tuple(column[present] for column in columns)
        return replace(self, services=services, values=columns, dimensions=(), dimension_of=None)

    def split(self) -> dict[str, Reports]:
        """One set of reports for each dimension (section 6.3:

        people are sampled over dimensions, budgets are not split).
        """
        if self.dimension_of is None:
            return {"": self}
        out = {}
        for number, name in enumerate(self.dimensions):
            here = self.dimension_of == number
            columns = tuple(column[here] for column in self.values)
            out[name] = replace(self, values=columns, dimensions=(), dimension_of=None)
        return out

    def require_one_dimension(self) -> None:
        if self.dimension_of is not None:
            raise ValueError(
                f"these reports have {len(self.dimensions)} dimensions; ask for each: "
                "{name: untold.fuse.mean(part) for name, part in reports.split().items()}"
            )
