"""What a party that mixes reports adds to the local promise: a central (epsilon, delta). docs/mixing.md proves it."""

from untold.plan.mixing.closed_form import fmt21_closed_form
from untold.plan.mixing.divergence import delta_at_most, epsilon_at_most
from untold.plan.mixing.epochs import epsilon_over_epochs
from untold.plan.mixing.pair import Counts, fmt21_pair, pairs_of
from untold.plan.mixing.variation import total_variation_at_most

__all__ = [
    "Counts",
    "delta_at_most",
    "epsilon_at_most",
    "epsilon_over_epochs",
    "fmt21_closed_form",
    "fmt21_pair",
    "pairs_of",
    "total_variation_at_most",
]
