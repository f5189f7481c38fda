"""The default design: the least mean log variance, found once for all attributes of a shape, within limits."""

from itertools import combinations

import numpy as np
import pytest

import untold
from untold.plan.designs import fitting, interests, tuned
from untold.plan.designs.symmetry import Shapes, shapes_of
from untold.plan.designs.tuned import BASES, choose
from untold.plan.designs.variances import set_variance
from untold.plan.designs.workload import attribute_energies
from untold.plan.schema import read_schema


def ordinal(values):
    return {"kind": "ordinal", "low": 0, "high": values - 1}


def categorical(values):
    return {"kind": "categorical", "values": [f"v{i}" for i in range(values)]}


def declared(attributes, epsilon=1.0, **service):
    named = {f"a{i}": each for i, each in enumerate(attributes)}
    return {
        "name": "p",
        "user_key": "uid",
        "epsilon": epsilon,
        "services": {"s": {"attributes": named, **service}},
    }


def chosen(attributes, epsilon=1.0, **service):
    """The service, its budget and the candidate that becomes its design."""
    schema = read_schema(declared(attributes, epsilon, **service))
    nano = schema.budget.slot_nano("s")
    return schema.services[0], nano, choose(schema.services[0], nano)


def variances(attributes, epsilon=1.0, **service):
    """V of every set of up to max_active attributes, from the compiled design itself."""
    plan = untold.Plan.from_dict(declared(attributes, epsilon, **service))
    design, own = plan.design("s"), plan.service("s")
    energies = attribute_energies(own, design.space)
    sizes = range(1, own.max_active + 1)
    every = [each for size in sizes for each in combinations(range(len(attributes)), size)]
    return {each: set_variance(design, energies, each) for each in every}


@pytest.mark.parametrize(
    ("attributes", "service"),
    [
        ([ordinal(16)] * 3 + [categorical(5)], {"max_active": 2}),
        ([ordinal(9), ordinal(9), categorical(3), categorical(3)], {"max_active": 3}),
        ([ordinal(8)] * 3, {"max_active": 2, "rows_per_user": {"max": 4}}),
        (
            [ordinal(8)] * 3 + [categorical(4)] * 2,
            {"workload": [{"attributes": ["a0", "a3"]}, {"attributes": ["a1", "a3"]}, {"attributes": ["a2"]}]},
        ),
    ],
)
def test_shared_variables_have_the_optimum_of_one_variable_for_every_view(attributes, service, monkeypatch):
    _, _, shared = chosen(attributes, **service)

    def apart(trees, energies, workload):
        kins = shapes_of(trees, energies, workload).kins
        return Shapes(tuple(type(k)((i,), k.tree, k.energies) for k in kins for i in k.members))

    monkeypatch.setattr("untold.plan.designs.trees.shapes_of", apart)
    _, _, alone = chosen(attributes, **service)
    assert len(alone.kinds) > len(shared.kinds)
    assert alone.trees.space == shared.trees.space
    assert alone.cost == pytest.approx(shared.cost, abs=1e-4)


def test_what_the_optimiser_promises_is_what_the_compiled_design_has():
    """Mean log variance from the frozen views, attribute by attribute, against that of the types."""
    service, _, found = chosen([ordinal(16), ordinal(16), categorical(6), categorical(2)], max_active=2)
    from_views = variances([ordinal(16), ordinal(16), categorical(6), categorical(2)], max_active=2)
    energies = attribute_energies(service, found.trees.space)

    def with_sampling(each):  # the optimiser leaves out what sampling people brings: the energy itself
        total = np.prod([energies[i].sum() for i in each])
        return from_views[each] + total - np.prod([energies[i][0] for i in each])

    ones = [np.log(with_sampling(each)) for each in from_views if len(each) == 1]
    twos = [np.log(with_sampling(each)) for each in from_views if len(each) == 2]
    assert (4 * np.mean(ones) + 5 * np.mean(twos)) / 9 == pytest.approx(found.cost, abs=1e-6)


@pytest.mark.parametrize(
    "attributes",
    [
        [ordinal(64), ordinal(32), categorical(20), categorical(2), categorical(6)],
        [ordinal(32)] * 3,
        [categorical(2)] * 6,
    ],
)
def test_no_size_is_more_than_three_times_worse_off_than_with_a_design_of_its_own(attributes, monkeypatch):
    default = variances(attributes, max_active=3)
    for size in (1, 2, 3):
        only = tuple(1.0 if n == size else 1e-9 for n in (1, 2, 3))
        monkeypatch.setitem(interests.SAY, 3, only)
        own = variances(attributes, max_active=3)
        monkeypatch.delitem(interests.SAY, 3)
        ratios = [default[each] / own[each] for each in own if len(each) == size]
        assert 1 - 1e-3 < np.mean(ratios) < 3


def test_declared_weights_are_the_shares():
    """Twice the weight for one attribute, and it is known better; nothing else is collected at all."""
    both = [ordinal(16), ordinal(16), ordinal(16)]
    even = variances(both, workload=[{"attributes": ["a0"]}, {"attributes": ["a1"]}])
    first = variances(both, workload=[{"attributes": ["a0"], "weight": 3.0}, {"attributes": ["a1"]}])
    assert even[(0,)] == pytest.approx(even[(1,)], rel=1e-6)
    assert first[(0,)] < 0.8 * even[(0,)]
    assert first[(1,)] > 1.2 * even[(1,)]
    assert first[(2,)] == np.inf


def test_fan_outs_are_compared_by_one_yardstick():
    _, _, found = chosen([ordinal(1000)] * 2, epsilon=4.0)
    assert set(found.trees.space.trees[0].fan_outs) == {2}


def test_the_chosen_fan_out_is_the_best_of_all():
    costs = {base: chosen([ordinal(100), ordinal(30)], fanout=base)[2].cost for base in BASES}
    assert chosen([ordinal(100), ordinal(30)])[2].cost == pytest.approx(min(costs.values()), abs=1e-6)


THIRDS = (ordinal(100), categorical(8), categorical(2))


@pytest.mark.parametrize(("count", "most"), [(4, 3), (8, 3), (16, 2), (32, 2), (100, 1)])
def test_as_many_attributes_together_as_fit(count, most):
    schema = read_schema(declared([THIRDS[i % 3] for i in range(count)], 2.0))
    assert schema.services[0].max_active == most


def test_views_that_tell_little_for_their_messages_go_first(monkeypatch):
    attributes = [ordinal(64)] * 3
    _, _, free = chosen(attributes, max_active=3)
    monkeypatch.setattr(fitting, "USUAL_MESSAGES", 1 << 21)
    _, _, tight = chosen(attributes, max_active=3)
    assert sum(map(tight.trees.messages, tight.kinds)) <= 1 << 21
    assert len(tight.kinds) < len(free.kinds)
    assert free.cost < tight.cost < free.cost + 0.1
    assert any("more variance" in note for note in tight.notes) == (tight.cost > free.cost + 0.01)
    assert set(tight.trees.needed({})) <= set(tight.kinds)  # whatever is asked can be answered


def test_what_is_too_fine_is_coarsened_and_said():
    plan = untold.Plan.from_dict(declared([ordinal(125)] * 8, max_active=3))
    design = plan.design("s")
    assert design.messages <= 1 << 24
    assert any("blocks" in note and "max_active" in note for note in design.notes)
    assert untold.Plan.from_json(plan.to_json()) == plan
    alone = [view.levels for view in design.views if sum(map(bool, view.levels)) == 1]
    together = [view.levels for view in design.views if sum(map(bool, view.levels)) == 3]
    assert max(map(max, alone)) == design.space.trees[0].height > max(map(max, together))


@pytest.mark.parametrize(("epsilon", "most"), [(0.5, 2), (4.0, 3)])
def test_many_different_shapes_compile(epsilon, most):
    attributes = [ordinal(20 + 3 * i) for i in range(6)] + [categorical(3 + i) for i in range(6)]
    design = untold.Plan.from_dict(declared(attributes, epsilon, max_active=most)).design("s")
    assert {sum(map(bool, view.levels)) for view in design.views} >= {most}
    assert tuned.TUNED.name == design.name
