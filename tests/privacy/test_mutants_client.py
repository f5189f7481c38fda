"""Clients with one deliberate mistake each: the exact user-level check must refuse every one of them."""

from dataclasses import replace
from math import inf

import pytest

from helpers.exact import worst_ratio
from helpers.small_plans import ORDER_INPUTS, ORDERS, client_distribution, small_plan
from untold.device.encoder import Encoder
from untold.exact import exp_at_most
from untold.oracles import Message
from untold.plan.designs import Design, View
from untold.plan.designs.base import oracle_for

PEOPLE = {"attributes": {"age": {"kind": "ordinal", "low": 1, "high": 4}}}
AGES = [[{"age": age}] for age in (1, 2, 3, 4)]


class SlotTooMany(Encoder):
    def encode(self, rows, rng):
        return super().encode(rows, rng) + super().encode(rows, rng)


class DummiesLeftOut(Encoder):
    def encode(self, rows, rng):
        return super().encode(rows, rng) if rows else ()


class BareWeight(Encoder):
    """The number of rows travels beside the report."""

    def messages(self, codes, rng):
        return (*super().messages(codes, rng), Message(codes[-1]))


class WeightNotRounded(Encoder):
    """The hidden weight picks the view: a count leaks through the choice of what to report."""

    def messages(self, codes, rng):
        view = self.design.views[codes[-1] % len(self.design.views)]
        message = view.oracle.encode(self.design.space.cell(view.levels, codes), rng)
        return (Message(view.offset + message.index),)


class ViewByValue(Encoder):
    """Reports the view that suits the value best."""

    def messages(self, codes, rng):
        view = self.design.views[codes[0] % len(self.design.views)]
        message = view.oracle.encode(self.design.space.cell(view.levels, codes), rng)
        return (Message(view.offset + message.index),)


class MoreDrawsForMoreRows(Encoder):
    """Draws once for every row: the time it takes tells their number."""

    def sampled(self, rows, most, rng):
        for _ in rows:
            rng.below(2)
        return super().sampled(rows, most, rng)


class NoNoiseForTheTruth(Encoder):
    """Skips the oracle at the first value."""

    def messages(self, codes, rng):
        sent = super().messages(codes, rng)
        return (Message(0),) if codes[0] == 0 else sent


class RoundingInTheOpen(Encoder):
    """The rounded bit travels beside the report."""

    def messages(self, codes, rng):
        return (*super().messages(codes, rng), Message(int(rng.below(3) < codes[0])))


class NoDrawAtTheEnds(Encoder):
    """The lowest value needs no rounding, so none is drawn: the time it takes tells it."""

    def derived(self, codes, rng):
        return [codes[0], 0] if codes[0] == 0 else super().derived(codes, rng)


class GroupByValue(Encoder):
    """The view follows from what the value was rounded to."""

    def messages(self, codes, rng):
        known = self.derived(codes, rng)
        view = self.design.views[known[1]]
        message = view.oracle.encode(self.design.space.cell(view.levels, known), rng)
        return (Message(view.offset + message.index),)


def worst(encoders, inputs):
    return worst_ratio([client_distribution(encoders, each) for each in inputs])


@pytest.mark.parametrize("mutant", [SlotTooMany, DummiesLeftOut, BareWeight, WeightNotRounded, MoreDrawsForMoreRows])
def test_mutants_of_row_sampling_are_caught(mutant):
    plan = small_plan(1.0, {"orders": ORDERS})
    inputs = [(rows,) for rows in ORDER_INPUTS]
    sound = Encoder.of(plan, "orders")
    assert worst([sound], inputs) <= exp_at_most(plan.schema.nano)
    assert worst([mutant(sound.service, sound.design)], inputs) > exp_at_most(plan.schema.nano)


@pytest.mark.parametrize("mutant", [ViewByValue, NoNoiseForTheTruth])
def test_mutants_of_the_view_choice_are_caught(mutant):
    plan = small_plan(1.0, {"people": PEOPLE}, design="hio", fanout=2)
    sound = Encoder.of(plan, "people")
    assert worst([sound], [(rows,) for rows in AGES]) <= exp_at_most(plan.schema.nano)
    assert worst([mutant(sound.service, sound.design)], [(rows,) for rows in AGES]) == inf


@pytest.mark.parametrize("mutant", [RoundingInTheOpen, NoDrawAtTheEnds, GroupByValue])
@pytest.mark.parametrize("design", ["ahio", "hio-join"])
def test_mutants_of_rounding_are_caught(design, mutant):
    plan = small_plan(1.0, {"people": PEOPLE}, design=design, fanout=2)
    sound = Encoder.of(plan, "people")
    inputs = [(rows,) for rows in AGES]
    assert worst([sound], inputs) <= exp_at_most(plan.schema.nano)
    assert worst([mutant(sound.service, sound.design)], inputs) == inf


def test_a_budget_that_is_not_divided_over_views_is_caught():
    plan = small_plan(1.0, {"people": PEOPLE}, design="hi", fanout=2)
    sound = plan.design("people")
    views, offset = [], 0
    for view in sound.views:
        undivided = oracle_for("auto", plan.schema.nano, view.oracle.domain_size)
        views.append(View(view.levels, undivided, offset))
        offset += undivided.indexes
    greedy = Encoder(plan.service("people"), Design("hi", sound.space, tuple(views), None, False))
    assert worst([greedy], [(rows,) for rows in AGES]) > exp_at_most(plan.schema.nano)


def test_a_budget_that_is_not_divided_over_services_is_caught():
    """Two services, each made as if it had the plan's epsilon for itself."""
    twin = small_plan(1.0, {"people": PEOPLE})
    encoder = Encoder.of(twin, "people")
    pairs = [(a, b) for a in (AGES[0], AGES[3]) for b in (AGES[0], AGES[3])]
    assert worst([encoder, encoder], pairs) > exp_at_most(twin.schema.nano)


def test_a_view_weight_that_does_not_fill_the_range_is_refused():
    plan = small_plan(1.0, {"people": PEOPLE}, design="hio", fanout=2)
    design = plan.design("people")
    with pytest.raises(ValueError, match="sum to 2\\^64"):
        replace(design, weights=(design.weights[0] - 1, *design.weights[1:]))
