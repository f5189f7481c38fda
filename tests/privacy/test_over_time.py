"""What a person gives up over a lifetime: the whole client, ledger included, walked over every history of values.

The observer sees every epoch's report or silence, and how many draws were made in it. For any two histories the ratio of the
probabilities of all they see must be at most e^lifetime, with no tolerance; `changes` does not keep that, and must fail.
"""

from contextlib import suppress
from itertools import product
from math import inf

import pytest

from helpers.exact import Watched, worst_ratio
from helpers.small_plans import small_plan
from untold.device.client import Client
from untold.errors import BudgetExceeded
from untold.exact import exp_at_most
from untold.randomness import Seeded

SICK = {"attributes": {"sick": {"kind": "categorical", "values": [False, True]}}}
LONGEST = 4  # epochs


def plan_of(repeat, epsilon, reports, **top):
    lifetime = round(epsilon * reports, 9)
    return small_plan(epsilon, {"people": {**SICK, "repeat": repeat}}, lifetime=lifetime, **top)


def seen(plan, history, draw, draws, client_type=Client):
    """All that leaves a device over a history of values, or a stretch of one from epoch 0 on."""
    client, told = client_type(plan, "u", rng=draw), []
    for epoch, sick in enumerate(history):
        before = draws()
        try:
            reports = client.report("people", {"sick": sick}, epoch)
            told.append((tuple((r.epoch, r.messages) for r in reports), draws() - before))
        except BudgetExceeded:
            told.append(("silence", draws() - before))
    return tuple(told)


def over_time(plan, epochs, client_type=Client):
    """The worst ratio over all pairs of histories of this length."""
    rng = Watched()
    distributions = [
        rng.distribution(lambda draw, h=h: seen(plan, h, draw, lambda: rng.draws, client_type))
        for h in product((False, True), repeat=epochs)
    ]
    assert all(sum(each.values()) == 1 for each in distributions)
    return worst_ratio(distributions)


@pytest.mark.parametrize("epochs", range(1, LONGEST + 1))
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("reports", [1, 2, 3])
def test_fresh_draws_spend_the_lifetime_and_no_more(epochs, epsilon, reports):
    plan = plan_of("fresh", epsilon, reports)
    worst = over_time(plan, epochs)
    assert worst <= exp_at_most(plan.schema.lifetime_nano)
    spent = min(epochs, reports)
    assert worst > exp_at_most(plan.schema.nano * spent * 99 // 100)  # and what is spent is used


@pytest.mark.parametrize("epochs", range(1, LONGEST + 1))
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_once_spends_one_epsilon_over_all_epochs(epochs, epsilon):
    plan = plan_of("once", epsilon, 1)
    assert exp_at_most(plan.schema.nano * 99 // 100) < over_time(plan, epochs) <= exp_at_most(plan.schema.nano)


@pytest.mark.parametrize("epochs", range(1, LONGEST + 1))
@pytest.mark.parametrize(("of", "reports"), [(2, 1), (3, 2), (4, 1), (4, 2)])
def test_a_panel_spends_the_epochs_it_takes_part_in(epochs, of, reports):
    plan = plan_of("fresh", 1.0, reports, panel={"epochs": of, "report": reports})
    worst = over_time(plan, epochs)
    assert worst <= exp_at_most(plan.schema.lifetime_nano)
    assert worst > exp_at_most(plan.schema.nano * min(epochs, reports) * 99 // 100)


def test_a_panel_of_two_stretches():
    plan = plan_of("fresh", 1.0, 2, panel={"epochs": 2, "report": 1})
    assert exp_at_most(plan.schema.nano) < over_time(plan, 4) <= exp_at_most(plan.schema.lifetime_nano)


@pytest.mark.parametrize("panel", [None, {"epochs": 3, "report": 2}])
def test_two_services_that_repeat_in_two_ways(panel):
    """One report for ever beside fresh ones: together the lifetime, with every value of both."""
    services = {"home": {**SICK, "repeat": "once"}, "day": SICK}
    plan = small_plan(1.0, services, lifetime=1.5, **({"panel": panel} if panel else {}))
    rng = Watched()

    def told(draw, histories):
        client, out = Client(plan, "u", rng=draw), []
        for epoch, values in enumerate(zip(*histories, strict=True)):
            for service, sick in zip(("home", "day"), values, strict=True):
                try:
                    reports = client.report(service, {"sick": sick}, epoch)
                    out.append((tuple(r.messages for r in reports), rng.draws))
                except BudgetExceeded:
                    out.append(("silence", rng.draws))
        return tuple(out)

    some = [(h, d) for h in product((False, True), repeat=3) for d in product((False, True), repeat=3)][::5]
    worst = worst_ratio([rng.distribution(lambda draw, each=each: told(draw, each)) for each in some])
    assert exp_at_most(1_200_000_000) < worst <= exp_at_most(plan.schema.lifetime_nano)


@pytest.mark.parametrize("epochs", range(2, LONGEST + 1))
def test_changes_protects_values_and_not_when_they_change(epochs):
    """A report that differs from the last one says for certain that something changed. The first epoch alone is sound."""
    plan = plan_of("changes", 1.0, 2)
    assert over_time(plan, 1) <= exp_at_most(plan.schema.nano)
    assert over_time(plan, epochs) == inf


MOOD = {"mood": {**SICK, "repeat": "changes"}}


@pytest.mark.parametrize(
    ("plans", "epochs"),
    [
        ([small_plan(1.0, {**MOOD, "day": SICK}, lifetime=2.0)], 3),
        ([small_plan(1.0, {**MOOD, "day": SICK}, lifetime=2.5, panel={"epochs": 2, "report": 1})], 5),
        ([small_plan(0.75, MOOD, lifetime=2.0), small_plan(0.25, {"day": SICK}, name="other", lifetime=2.0)], 3),
    ],
    ids=["a service", "a panel", "a plan"],
)
def test_changes_in_one_service_are_not_told_by_the_silence_of_others(plans, epochs):
    """All share one ledger. Whoever sees the reports and the silence of the others learns nothing at all of the changes."""
    rng = Watched()

    def told(draw, moods):
        memory, out = {}, []
        for epoch, mood in enumerate(moods):
            mine, others = Client(plans[0], "u", memory, rng=draw), Client(plans[-1], "u", memory, rng=draw)
            with suppress(BudgetExceeded):  # of its own silence nothing is promised
                mine.report("mood", {"sick": mood}, epoch)
            try:
                out.append(tuple(r.messages for r in others.report("day", {"sick": True}, epoch)))
            except BudgetExceeded:
                out.append("silence")
        return tuple(out)

    histories = [h for h in product((False, True), repeat=epochs) if not h[0] and h[-1] == h[1]]
    assert worst_ratio([rng.distribution(lambda draw, h=h: told(draw, h)) for h in histories]) == 1


def test_a_change_that_is_refused_is_not_told_by_what_the_ceiling_leaves_to_others():
    """Nothing of the changes, in an epoch in which the one service cannot pay for its value and the other fits the ceiling
    only beside its silence."""
    changing = {"mood": {**MOOD["mood"], "epsilon_share": 0.8}, "day": SICK}
    mine, other = small_plan(1.0, changing, lifetime=1.5), small_plan(0.25, {"night": SICK}, name="other", lifetime=3.0)
    rng = Watched()

    def told(draw, moods):
        memory, out = {}, []
        for epoch, mood in enumerate(moods):
            clients = [Client(plan, "u", memory, 1.0, rng=draw) for plan in (mine, other)]
            with suppress(BudgetExceeded):
                clients[0].report("mood", {"sick": mood}, epoch)
            try:
                out.append(tuple(r.messages for r in clients[1].report("night", {"sick": True}, epoch)))
            except BudgetExceeded:
                out.append("silence")
        return tuple(out)

    histories = product((False, True), repeat=3)
    assert worst_ratio([rng.distribution(lambda draw, h=h: told(draw, h)) for h in histories]) == 1


class DrawsAgain(Client):
    """Forgets what it reported, and so draws and pays in a ledger of its own for every epoch."""

    def report(self, service, rows, epoch=0):
        return Client(self.plan, "u", rng=self._rng).report(service, rows, epoch)


class SilentWhenWell(Client):
    """Takes part in the epochs that suit the data."""

    def report(self, service, rows, epoch=0):
        return super().report(service, rows, epoch) if rows["sick"] else ()


@pytest.mark.parametrize("mutant", [DrawsAgain, SilentWhenWell])
def test_mutants_are_caught(mutant):
    plan = plan_of("fresh", 1.0, 2)
    assert over_time(plan, 3) <= exp_at_most(plan.schema.lifetime_nano)
    assert over_time(plan, 3, mutant) > exp_at_most(plan.schema.lifetime_nano)


EPOCHS, PEOPLE = 30, 300


def series():
    """Sick on a fifth of the days, on one at least and on fewer than half, so that the more frequent report is `well`."""
    coin, found = Seeded(5), []
    while len(found) < PEOPLE:
        days = [coin.below(5) == 0 for _ in range(EPOCHS)]
        if 0 < sum(days) < EPOCHS // 2:
            found.append(days)
    return found


def read_off(plan, person, days):
    """A series guessed from the reports alone: whoever sends another report than usual is sick."""
    client, reports = Client(plan, person, rng=Seeded(person)), []
    for epoch, sick in enumerate(days):
        try:
            told = client.report("people", {"sick": sick, "a": 3, "b": 60}, epoch)
            reports.append(told[0].messages if told else None)
        except BudgetExceeded:
            reports.append(None)
    told = [each for each in reports if each is not None]
    usual = max(told, key=told.count)
    return [each is not None and each != usual for each in reports]


@pytest.mark.parametrize(
    ("repeat", "panel", "least", "most"),
    [
        ("changes", None, 295, PEOPLE),
        ("fresh", None, 0, 3),
        ("fresh", {"epochs": EPOCHS, "report": 2}, 0, 3),
        ("once", None, 0, 3),
    ],
)
def test_the_series_attack(repeat, panel, least, most):
    """30 epochs at epsilon 0.1 with a lifetime of 0.2, two constant attributes beside. A series has a chance of at most
    0.2 * 0.8^29 = 0.03% (days of sickness count; never sick is not among them); the lifetime lets an attack be right e^0.2
    times as often, for 0.11 of 300 people on average. More than 3 would be, once in 10^5 runs; draws are fixed here."""
    constant = {name: {"kind": "ordinal", "low": 0, "high": 63} for name in "ab"}
    service = {"attributes": {**SICK["attributes"], **constant}, "repeat": repeat, "oracle": "olh"}
    plan = small_plan(0.1, {"people": service}, lifetime=0.2, **({"panel": panel} if panel else {}))
    right = sum(read_off(plan, person, days) == days for person, days in enumerate(series()))
    assert least <= right <= most
