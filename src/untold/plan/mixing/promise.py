"""Both promises of a plan: what holds whatever happens, and what holds while two parties do not put their heads together."""

from __future__ import annotations

from dataclasses import dataclass

from untold.exact import NANO
from untold.plan.mixing.closed_form import fmt21_closed_form
from untold.plan.mixing.divergence import epsilon_at_most
from untold.plan.mixing.epochs import epsilon_over_epochs
from untold.plan.mixing.pair import fmt21_pair, pairs_of


@dataclass(frozen=True)
class Promise:
    """What a person gives up towards each party."""

    local: float  # epsilon of one epoch, towards everybody together
    people: int  # honest people in a batch, at least
    delta: float
    epochs: int
    variation: float | None  # of two people's reports, at most; None: not known, any randomiser's
    central: float  # epsilon of all these epochs together, at this delta, towards who sees the mixed batches alone

    @property
    def local_over_epochs(self) -> float:
        """The local epsilon of all these epochs together."""
        return round(self.local * NANO) * self.epochs / NANO

    @property
    def any_randomiser(self) -> float:
        """What could be said of one epoch without knowing the plan but for its epsilon."""
        return epsilon_at_most(pairs_of(self.local, self.people), self.delta)

    @property
    def fmt21(self) -> float:
        """What Feldman, McMillan and Talwar's pair gives for one epoch."""
        return epsilon_at_most(fmt21_pair(self.local, self.people), self.delta)

    @property
    def fmt21_closed_form(self) -> float:
        """And their closed form; inf where it says nothing."""
        return fmt21_closed_form(self.local, self.people, self.delta)


def promise_of(
    local: float, people: float, delta: float = 1e-8, epochs: int = 1, variation: float | None = None
) -> Promise:
    """Both promises of reports of this local epsilon, of which at least `people` are mixed in every epoch."""
    least = int(people)
    central = epsilon_over_epochs(pairs_of(local, least, variation), epochs, delta)
    return Promise(local, least, delta, epochs, variation, central)
