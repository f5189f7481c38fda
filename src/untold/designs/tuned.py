"""`tuned`, the default design: views over few attributes at once, each collected as often as the workload needs it.

It differs from HIO in four ways, each of which lowers the error at equal epsilon (docs/how_it_works.md): no view of
nothing, probabilities from the workload, GRR where a view is small, and the fan-out that suits all of this best. The
hidden weight, needed by every query, is active in every view.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from untold.designs.base import (
    MOST_MESSAGES,
    Design,
    DesignError,
    assemble,
    most_cells,
    oracle_for,
    space_of,
    to_weights,
)
from untold.designs.optimise import cost, optimise, reach, worth_keeping
from untold.designs.recipe import Recipe
from untold.designs.workload import attribute_energies, band_energies, default_interests
from untold.hierarchy import Levels, Space
from untold.schema import Service

BASES = (2, 3, 4, 5, 8, 16)
MOST_VIEWS = 1500  # tried by the optimiser


@dataclass(frozen=True)
class Candidate:
    """Trees with one fan-out, their views, and how well they can serve the workload."""

    space: Space
    views: list[Levels]
    shares: npt.NDArray[np.float64]
    cost: float


def build(service: Service, nano: int) -> Design:
    """The best candidate over all fan-outs (or the one that the plan asks for)."""
    reasons: list[str] = []
    candidates = []
    for base in (service.fanout,) if service.fanout else BASES:
        try:
            candidates.append(candidate(service, nano, base))
        except DesignError as reason:
            reasons.append(str(reason))
    if not candidates:
        raise DesignError(reasons[-1])
    best = min(candidates, key=lambda each: each.cost)
    return assemble("tuned", service, best.space, best.views, nano, to_weights(list(best.shares)), service.oracle)


def candidate(service: Service, nano: int, base: int) -> Candidate:
    """Optimise the views of one fan-out."""
    space = space_of(service, base)
    hidden = service.rows is not None
    bands = np.array(list(space.views(service.max_active + hidden)), dtype=np.int64)
    allowed = bands[bands[:, -1] > 0] if hidden else bands[bands.any(axis=1)]
    allowed = allowed[(allowed[:, : len(service.sensitive)] > 0).sum(axis=1) <= service.max_active]
    views = [tuple(map(int, row)) for row in allowed]
    check_size(space, views, service)
    cells = np.array([space.cells(view) for view in views], dtype=np.float64)
    oracles = [oracle_for(service.oracle, nano, int(k)) for k in cells]
    information = 1 / (cells * np.array([oracle.noise for oracle in oracles]))
    bands, energy = wanted(service, space, allowed, information, bands)
    reaches = reach(allowed, bands)
    shares = optimise(information, reaches, energy)
    kept = worth_keeping(information, reaches, shares)
    messages = sum(oracle.indexes for oracle, keep in zip(oracles, kept, strict=True) if keep)
    if messages > MOST_MESSAGES:
        raise DesignError(f"has {messages:,} different messages, too many to answer from; {advice(service)}")
    shares = optimise(information[kept], reaches[kept], energy)
    return Candidate(
        space,
        [view for view, keep in zip(views, kept, strict=True) if keep],
        shares,
        cost(information[kept], reaches[kept], energy, shares),
    )


def wanted(
    service: Service,
    space: Space,
    views: npt.NDArray[np.int64],
    information: npt.NDArray[np.float64],
    bands: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Bands with their energies. Each set of attributes counts relative to the error that a design for it alone would
    reach, so that queries over many attributes, whose errors are largest, do not crowd out the rest."""
    touched = attribute_energies(service, space)
    hidden = service.rows is not None
    total = np.zeros(len(bands))
    for active, weight in default_interests(service):
        energy = band_energies(touched, active, hidden, bands)
        energy[~bands.any(axis=1)] = 0.0
        outside = [i for i in range(len(service.sensitive)) if i not in active]
        own = ~views[:, outside].any(axis=1)
        some = energy > 0
        reaches = reach(views[own], bands[some])
        alone = optimise(information[own], reaches, energy[some], steps=60)
        total += weight / cost(information[own], reaches, energy[some], alone) * energy
    return bands[total > 0], total[total > 0]


def advice(service: Service) -> str:
    """What makes a design smaller."""
    return f"lower max_active (now {service.max_active}), or use fewer bins or values"


def check_size(space: Space, views: list[Levels], service: Service) -> None:
    """Refuse trees whose views are too many or too large before any work is done on them."""
    largest, together = max(map(space.cells, views)), sum(map(space.cells, views))
    limit = most_cells(service.oracle)
    if largest > limit:
        raise DesignError(f"has a view of {largest:,} cells, at most {limit:,} are allowed; {advice(service)}")
    if together > MOST_MESSAGES or len(views) > MOST_VIEWS:
        raise DesignError(
            f"needs {len(views):,} views with {together:,} cells, too many to answer from; {advice(service)}"
        )


TUNED = Recipe("tuned", "few active attributes, probabilities and fan-outs fitted to the workload", build)
