"""Clients with a deliberate mistake, as programs that an audit can run: python cheats.py NAME."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path += [str(Path(__file__).parents[1] / "privacy"), str(Path(__file__).parents[1])]

import test_mutants_client as encoders

from untold.auditing import python_client
from untold.device.client import Client
from untold.device.encoder import Encoder
from untold.plan import Plan
from untold.plan.designs.base import oracle_for
from untold.randomness import Seeded


class TwiceTheEpsilon(Encoder):
    """Perturbs half as much as the plan says."""

    def messages(self, codes, rng):
        design = self.design
        views = [
            replace(view, oracle=oracle_for(view.oracle.name, 2 * view.oracle.nano, view.oracle.domain_size))
            for view in design.views
        ]
        assert [view.oracle.indexes for view in views] == [view.oracle.indexes for view in design.views]
        return Encoder.messages(replace(self, design=replace(design, views=tuple(views))), codes, rng)


class DrawsUntilTrue(Encoder):
    """Draws again, once, if the truth is not supported: the truth comes more often than the plan says."""

    def messages(self, codes, rng):
        first, second = (super(DrawsUntilTrue, self).messages(codes, rng) for _ in range(2))
        return first if self.supported(first, codes) else second

    def supported(self, messages, codes):
        """Whether the first message speaks for the truth."""
        view = self.design.views[self.design.view_of(messages[0].index)]
        own = replace(messages[0], index=messages[0].index - view.offset)
        return view.oracle.supports(own, self.design.space.cell(view.levels, self.derived(codes, Seeded(0))))


class SeededByUser(Client):
    """Not a cheat: the shipped client with repeatable draws, so that tests see the same each time."""

    def __init__(self, plan, user):
        super().__init__(plan, user, rng=Seeded(int(user, 16)))


class ForgetsEverything(SeededByUser):
    """Draws and pays in a ledger of its own for every report."""

    turn = 0

    def report(self, service, rows, epoch=0):
        self.turn += 1
        return Client(self.plan, self.user, rng=Seeded(int(self.user, 16) + self.turn)).report(service, rows, epoch)


class SilentWhenLow(SeededByUser):
    """Takes part in the epochs that suit the data."""

    def report(self, service, rows, epoch=0):
        return super().report(service, rows, epoch) if rows[0]["sick"] else ()


ENCODERS = {
    cls.__name__: cls
    for cls in (
        TwiceTheEpsilon,
        DrawsUntilTrue,
        encoders.SlotTooMany,
        encoders.DummiesLeftOut,
        encoders.BareWeight,
        encoders.WeightNotRounded,
        encoders.MoreDrawsForMoreRows,
        encoders.ViewByValue,
        encoders.NoNoiseForTheTruth,
        encoders.RoundingInTheOpen,
        encoders.NoDrawAtTheEnds,
        encoders.GroupByValue,
    )
}
CLIENTS = {cls.__name__: cls for cls in (ForgetsEverything, SilentWhenLow)}


def cheat(plan: Plan, name: str):
    """The cheat as a function for `untold.audit`."""

    def client(user, steps):
        with mock.patch("untold.device.client.Encoder", ENCODERS.get(name, Encoder)):
            return python_client.replies(plan, user, steps, CLIENTS.get(name, SeededByUser))

    return client


if __name__ == "__main__":
    chosen = sys.argv[1]
    with mock.patch("untold.device.client.Encoder", ENCODERS.get(chosen, Encoder)):
        python_client.main(sys.stdin, sys.stdout, CLIENTS.get(chosen, Client))
