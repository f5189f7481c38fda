"""Both promises of a plan, in numbers and words, and which plans cannot be mixed."""

from math import tanh

import pytest

from untold.errors import PlanError
from untold.exact import at_most_text
from untold.plan import Plan
from untold.plan.in_words.mixing import mixing_in_words, mixing_on_a_page
from untold.plan.mixing import epsilon_at_most, pairs_of, total_variation_at_most
from untold.plan.schema import Mix

AGE = {"age": {"kind": "ordinal", "low": 1, "high": 100}}
SPENT = {"rows_per_user": {"max": 10, "report": 1}, "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 99}}}
OS = {"os": {"kind": "public"}}


def made(mix=None, users=None, epsilon=4.0, **top):
    services = {"users": users or {"attributes": AGE}, "spent": SPENT}
    declared = {"name": "shop", "user_key": "uid", "epsilon": epsilon, "services": services, **top}
    return Plan.from_dict(declared | ({"mix": mix} if mix else {}))


def test_a_plan_knows_more_than_its_epsilon():
    promise = made().promise(people=1e5)
    assert promise.local == pytest.approx(4.0)
    assert promise.variation < tanh(2.0)
    assert promise.central < promise.any_randomiser < promise.fmt21 < promise.fmt21_closed_form
    assert promise.any_randomiser == pytest.approx(0.151, abs=0.001)


def test_what_a_plan_declares_is_promised():
    plan = made({"people": 100_000, "delta": 1e-6})
    assert plan.promise() == plan.promise(people=1e5, delta=1e-6)
    assert Plan.from_json(plan.to_json()) == plan
    assert plan.schema.mix == Mix(100_000, 1e-6)
    with pytest.raises(PlanError, match=r"promise\(people=1e6\)"):
        made().promise()


def test_several_epochs_cost_more():
    plan = made()
    one, twelve = plan.promise(people=1e5), plan.promise(people=1e5, epochs=12)
    assert one.central * 2 < twelve.central < one.central * 12
    assert twelve.local_over_epochs == pytest.approx(48)


def test_the_variation_of_messages_together():
    whole = tanh(0.5)
    assert total_variation_at_most([(10**9, whole)] * 2) < tanh(1.0)
    assert total_variation_at_most([(10**9, 1.0)]) == pytest.approx(whole)  # no more than epsilon allows
    assert total_variation_at_most([]) == 0
    assert total_variation_at_most([(10**9 + 2**i, 0.1) for i in range(20)]) == pytest.approx(1, abs=1e-6)


def test_words_have_both_promises():
    text = " ".join(mixing_in_words(made(epsilon=5.0), 1e6))
    central = epsilon_at_most(pairs_of(5.0, 10**6, made(epsilon=5.0).promise(1e6).variation), 1e-8)
    for words in (
        "at least 1,000,000 people",
        f"epsilon {at_most_text(central, 2)} at delta 1e-08",
        "epsilon 5",
        "4 or less is advised",
    ):
        assert words in text
    assert "cannot be mixed" not in text
    with_os = made(users={"repeat": "once", "attributes": AGE | OS})
    objected = " ".join(mixing_in_words(with_os, 1e6))
    assert "As it stands, this plan cannot be mixed: services.users.repeat" in objected
    assert "at delta" not in objected


@pytest.mark.parametrize(
    ("users", "reason"),
    [
        ({"attributes": AGE | OS}, r"attributes\.os: public"),
        ({"repeat": "once", "attributes": AGE}, r"users\.repeat: 'once'"),
        ({"repeat": "changes", "attributes": AGE}, r"users\.repeat: 'changes'"),
    ],
)
def test_no_central_epsilon_for_a_plan_that_cannot_be_mixed(users, reason):
    with pytest.raises(PlanError, match=reason):
        made(users=users).promise(people=1e6)


@pytest.mark.parametrize("delta", [0.0, 0, 1.0, -1e-8])
def test_a_delta_is_what_was_asked_or_refused(delta):
    with pytest.raises(PlanError, match=r"delta: .* is not above 0 and below 1"):
        made(mix={"people": 1000}).promise(delta=delta)


def test_the_page_says_of_whom_the_crowd_is_made():
    assert "If that many are honest" in mixing_on_a_page(made(mix={"people": 100_000}))


@pytest.mark.parametrize(
    ("mix", "users", "complaint"),
    [
        ({"people": 1}, None, r"mix\.people: 1 is not in 2\.\."),
        ({}, None, None),
        ({"delta": 1e-8}, None, r"mix\.people: missing"),
        ({"people": 100, "delta": 0}, None, r"mix\.delta: 0 is not above 0"),
        ({"people": 100, "folk": 2}, None, r"mix\.folk: unknown key"),
        ({"people": 100, "key": "abc"}, None, r'mix\.key: "abc" is not 64 digits'),
        (
            {"people": 100},
            {"repeat": "once", "attributes": AGE},
            r"services\.users\.repeat: 'once' sends the same bytes",
        ),
        ({"people": 100}, {"repeat": "changes", "attributes": AGE}, r"services\.users\.repeat: 'changes'"),
        ({"people": 100}, {"attributes": AGE | OS}, r"services\.users\.attributes\.os: public"),
        ({"people": 100, "by": ["os"]}, None, r"mix\.by: 'os' is not a public column"),
        ({"people": 100, "by": ["age"]}, None, r"mix\.by: 'age' is not a public column"),
        ({"people": 100, "by": ["os", "os"]}, {"attributes": AGE | OS}, r"names a column twice"),
        ({"people": 100, "by": [7]}, None, r"mix\.by: \[7\] are not all names"),
        ({"people": 100, "by": ["os"]}, {"attributes": AGE | OS}, None),
    ],
)
def test_plans_that_would_tell_people_apart_are_refused(mix, users, complaint):
    if complaint is None:
        assert made(mix, users).name == "shop"
    else:
        with pytest.raises(PlanError, match=complaint):
            made(mix, users)
