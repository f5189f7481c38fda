"""What reports about texts give away: the exact loss of the shipped encoder, down every branch of its draws. Mutants are caught."""

from dataclasses import replace
from math import inf

import pytest

from helpers.exact import worst_ratio
from helpers.small_plans import client_distribution, small_plan
from untold.device.encoder import Encoder
from untold.exact import exp_at_most
from untold.oracles import Message
from vectors.small import LISTED_TEXTS, small_text_plan
from vectors.small import TEXTS as LOOKED_FOR

TEXTS = [
    "",
    "a",
    "A",
    "b",
    "\u00e9",
    "e\u0301",
    "maps",
    "mapsandmore",
    " a  ",
    "\ud800",
    "7",
    None,
    7,
    float("nan"),
    [],
]
APP = LOOKED_FOR["app"]


def encoder(epsilon, attributes=LOOKED_FOR, made=Encoder):
    """Of a small design: the shipped one has half a million cells in every view."""
    plan = small_text_plan(attributes, epsilon)
    return made(plan.service("apps"), plan.design("apps"))


def loss(encoders, texts=TEXTS):
    inputs = [tuple([{"app": text}] for _ in encoders) for text in texts]
    return worst_ratio([client_distribution(encoders, rows) for rows in inputs])


@pytest.mark.parametrize("app", [LOOKED_FOR, LISTED_TEXTS], ids=["discover", "values and a share"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_all_texts_cost_epsilon_and_as_many_draws(epsilon, app):
    worst = loss([encoder(epsilon, app)])
    assert worst <= exp_at_most(round(epsilon * 10**9))
    assert worst > exp_at_most(round(epsilon * 10**9 * 0.99))


def test_a_record_without_the_text_is_as_any_other():
    own = encoder(1.0)
    found = [client_distribution([own], ([row],)) for row in ({}, {"app": "a"})]
    assert worst_ratio(found) <= exp_at_most(10**9)
    assert worst_ratio([client_distribution([own], ([],)), client_distribution([own], ([{"app": ""}],))]) == 1


def test_searching_and_then_asking_cost_two_epochs():
    """First the search, then the plan that lists what was found."""
    later = small_plan(1.0, {"phones": {"attributes": {"app": {"kind": "text", "values": ["a", "maps"]}}}})
    worst = loss([encoder(1.0), Encoder.of(later, "phones")], TEXTS[:9])
    assert exp_at_most(2 * 10**9 * 99 // 100) < worst <= exp_at_most(2 * 10**9)


class ViewAfterTheText(Encoder):
    """Looks at the text, then picks a view that suits it."""

    def messages(self, codes, rng):
        view = self.design.views[codes[1] % len(self.design.views)]
        return (Message(view.offset + view.oracle.encode(self.design.space.cell(view.levels, codes), rng).index),)


class LongTextsRefused(Encoder):
    """Says nothing about a text that is too long."""

    def encode(self, rows, rng):
        long = isinstance(rows[0].get("app"), str) and len(rows[0]["app"]) > 4
        return () if long else super().encode(rows, rng)


class ShortCodesApart(Encoder):
    """A code that ends early is reported by a view of its own."""

    def messages(self, codes, rng):
        (sent,) = super().messages(codes, rng)
        return (Message(sent.index + (codes[2] % 2 == 0)),)


class SaltFromTheText(Encoder):
    """The direction of the hash is computed from the text instead of drawn."""

    def messages(self, codes, rng):
        (sent,) = super().messages(codes, rng)
        view = self.design.views[self.design.view_of(sent.index)]
        direction = self.design.space.cell(view.levels, codes) % view.oracle.directions
        return (Message(view.offset + direction * view.oracle.sides + (sent.index - view.offset) % view.oracle.sides),)


class LongTextsHashedTwice(Encoder):
    """One more draw for long texts: the time tells."""

    def encode(self, rows, rng):
        if isinstance(rows[0].get("app"), str) and len(rows[0]["app"]) > 4:
            rng.below(2)
        return super().encode(rows, rng)


@pytest.mark.parametrize(
    "made", [ViewAfterTheText, LongTextsRefused, ShortCodesApart, SaltFromTheText, LongTextsHashedTwice]
)
def test_mutants_are_caught(made):
    assert loss([encoder(1.0, made=made)]) == inf


def test_the_shipped_design_has_equal_views():
    """What the small one stands for: of the real one every view costs the same, and no view is picked by the text."""
    plan = small_plan(2.0, {"phones": {"attributes": {"app": APP}}})
    design = plan.design("phones")
    assert {view.oracle.nano for view in design.views} == {2 * 10**9}
    assert len({view.oracle for view in design.views}) == 1
    assert replace(design).nano == 2 * 10**9
