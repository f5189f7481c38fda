"""What a test registers is known to no other test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from untold import oracles
from untold.ask.scores.coefficients import ESTIMATORS
from untold.plan.designs.recipes import BY_NAME
from untold.plan.schema.names import OWN_DESIGNS


@contextmanager
def kept_registers() -> Iterator[None]:
    """Oracles, designs and estimators are afterwards what they were before."""
    own, designs, recipes, estimators = list(oracles._OWN), list(OWN_DESIGNS), dict(BY_NAME), dict(ESTIMATORS)
    try:
        yield
    finally:
        oracles._OWN[:], OWN_DESIGNS[:] = own, designs
        for known, before in ((BY_NAME, recipes), (ESTIMATORS, estimators)):
            known.clear()  # type: ignore[attr-defined]
            known.update(before)  # type: ignore[attr-defined]
