"""What one person gives up over all services, slots and views together is at most the plan's epsilon: exact, in fractions."""

from math import inf

import pytest
from exact import worst_ratio
from small_plans import ORDER_INPUTS, ORDERS, PEOPLE, PERSON_INPUTS, client_distribution, small_plan

from tacit.collect.encoder import Encoder
from tacit.designs import DESIGNS
from tacit.exact import exp_at_most

EPSILONS = (0.1, 1.0, 8.0)
NAMES = [recipe.name for recipe in DESIGNS]


def losses(plan, inputs_per_service):
    encoders = [Encoder.of(plan, name) for name in plan.services]
    return worst_ratio([client_distribution(encoders, inputs) for inputs in inputs_per_service])


@pytest.mark.parametrize("oracle", ["auto", "olh"])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("design", NAMES)
def test_a_whole_encoder_spends_no_more_than_epsilon(design, epsilon, oracle):
    plan = small_plan(
        epsilon,
        {"people": {**PEOPLE, "attributes": {"age": PEOPLE["attributes"]["age"]}}},
        design=design,
        oracle=oracle,
    )
    inputs = [([{"age": age}],) for age in (1, 2, 3, 4)]
    assert losses(plan, inputs) <= exp_at_most(plan.schema.nano)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("design", NAMES)
def test_two_attributes_in_one_service(design, epsilon):
    plan = small_plan(epsilon, {"people": {**PEOPLE, "fanout": 4}}, design=design)
    assert losses(plan, [(rows,) for rows in PERSON_INPUTS]) <= exp_at_most(plan.schema.nano)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("design", NAMES)
def test_rounding_sampling_dummies_and_the_number_of_rows(design, epsilon):
    plan = small_plan(epsilon, {"orders": ORDERS}, design=design)
    worst = losses(plan, [(rows,) for rows in ORDER_INPUTS])
    assert worst <= exp_at_most(plan.schema.nano)
    assert worst > 1  # something is told


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_two_slots(epsilon):
    plan = small_plan(epsilon, {"orders": {**ORDERS, "rows_per_user": {"max": 2, "report": 2}}}, design="mg")
    extremes = [([],), ([{"amount": 1}],), ([{"amount": 1}, {"amount": 1}],), ([{"amount": 0}, {"amount": 0}],)]
    assert losses(plan, extremes) <= exp_at_most(plan.schema.nano)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("share", [None, 0.25])
def test_all_services_together(epsilon, share):
    people = {"attributes": {"age": {"kind": "ordinal", "low": 1, "high": 3}}}
    if share:
        people["epsilon_share"] = share
    plan = small_plan(epsilon, {"people": people, "orders": ORDERS})
    inputs = [
        ([{"age": age}], rows)
        for age in (1, 3)
        for rows in ([], [{"amount": 0.25}], [{"amount": 1}] * 2, [{"amount": 0}] * 2)
    ]
    worst = losses(plan, inputs)
    assert worst <= exp_at_most(plan.schema.nano)
    assert worst > exp_at_most(plan.schema.nano * 3 // 10)  # and the budget is used


def test_the_frequency_attack_on_one_report_per_row():
    """A client that perturbs each row by itself tells how many rows there are: no privacy at all, whatever its epsilon."""

    class OneReportPerRow(Encoder):
        def encode(self, rows, rng):
            return tuple(self.messages([*self.codes(row, rng), 1], rng) for row in rows)

    plan = small_plan(1.0, {"orders": ORDERS})
    naive = OneReportPerRow(plan.service("orders"), plan.design("orders"))
    assert worst_ratio([client_distribution([naive], (rows,)) for rows in ORDER_INPUTS]) == inf
