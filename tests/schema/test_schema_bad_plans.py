"""Every way in which a plan can be wrong: the message names the key, the reason and the fix."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from untold.errors import PlanError
from untold.plan.schema import read_schema
from untold.plan.schema.load import load_toml

SHOP = load_toml(Path(__file__).parents[2] / "examples" / "shop.toml")
DROP = object()
AGE = "services.users.attributes.age"
INCOME = "services.users.attributes.income"
STATE = "services.users.attributes.state"
USERS = "services.users"
SALES = "services.transactions"
ORDINAL = {"kind": "ordinal", "low": 0, "high": 9}

# (dotted key to change, new value, fragments of the message: key, reason, fix)
BAD: list[tuple[str, Any, tuple[str, ...]]] = [
    ("name", DROP, ("name: missing", "Name the plan")),
    ("name", "my shop", ("name:", "not a plain SQL name", "Use letters")),
    ("user_key", DROP, ("user_key: missing", "such as uid")),
    ("user_key", 7, ("user_key: 7 is not a plain SQL name", "Use letters")),
    ("user_key", "Slot", ("user_key:", "a column of every report", "taken are epoch")),
    ("epsilon", DROP, ("epsilon: missing", "epsilon = 1.0")),
    ("epsilon", 0, ("epsilon: 0 is not above 0", "epsilon = 1.0")),
    ("epsilon", -1.5, ("epsilon: -1.5 is not above 0", "at most 30")),
    ("epsilon", 31, ("epsilon: 31 protects nobody", "at most 30")),
    ("epsilon", float("nan"), ("epsilon: nan is not finite", "Write a finite number")),
    ("epsilon", float("inf"), ("epsilon: inf is not finite", "Write a finite number")),
    ("epsilon", 10**5000, ("epsilon:", "beyond all doubles", "Write a finite number")),
    ("epsilon", True, ("epsilon: true is a boolean, not a number", "Write a number")),
    ("epsilon", "2", ('epsilon: "2" is a string, not a number', "Write a number")),
    ("epsilon", 1e-10, ("epsilon: 1e-10 is below 1e-9", "epsilon = 1.0")),
    ("epsilon", 1e-9, ("epsilon: a report of users, transactions would", "less than 1e-9", "Raise epsilon")),
    ("lifetime", 1.0, ("lifetime: 1 is less than epsilon = 2", "lifetime = 2 or more")),
    ("lifetime", 0, ("lifetime: 0 is not above 0", "Leave it out")),
    ("lifetime", 1e9, ("lifetime: 1000000000 is not above 0 and at most 1000000", "Leave it out")),
    ("epsilom", 2.0, ("epsilom: unknown key", "Did you mean 'epsilon'?")),
    ("design", "hoi", ('design: "hoi" is not a known design', "Choose one of: tuned, mg")),
    ("design", ["hio"], ('design: ["hio"] is not a known design', "Choose one of")),
    ("oracle", "rappor", ("oracle:", "not a known oracle", "auto, grr, agr, olh, oue, sue, subset, hadamard")),
    ("fanout", 1, ("fanout: 1 is not in 2..64", "fanout = 2..64")),
    ("fanout", 2.5, ("fanout: 2.5 is not an integer", "fanout = 2..64")),
    ("services", DROP, ("services: missing", "[services.users]")),
    ("services", {}, ("services: no services", "[services.users]")),
    ("services", [1], ("services: [1] is a list, not a table", "[services.users]")),
    (USERS, "x", (f'{USERS}: "x" is a string, not a table', "[services.users]")),
    ("services.Transactions", {"attributes": {"x": ORDINAL}}, ("differs from 'transactions' only in case", "Rename")),
    ("services.web-log", {"attributes": {"x": ORDINAL}}, ("services.web-log: not a plain SQL name", "Use letters")),
    (f"{USERS}.attributes", DROP, (f"{USERS}.attributes: missing", "Add attributes such as")),
    (f"{USERS}.attributes", {}, (f"{USERS}.attributes: no sensitive attribute", "or drop the service")),
    (
        f"{USERS}.attributes",
        {"os": {"kind": "public"}},
        (f"{USERS}.attributes: no sensitive attribute", "Add an ordinal"),
    ),
    (f"{USERS}.atributes", {}, (f"{USERS}.atributes: unknown key", "Did you mean 'attributes'?")),
    (f"{USERS}.max_active", 4, (f"{USERS}.max_active: 4 is not in 1..3", "3 sensitive attributes")),
    (f"{USERS}.max_active", 0, (f"{USERS}.max_active: 0 is not in 1..3", "max_active = 1..3")),
    (f"{USERS}.max_active", True, (f"{USERS}.max_active: true is a boolean", "Write a number")),
    (f"{USERS}.design", "hio", (f"{USERS}.max_active: has no meaning for design 'hio'", "Leave it out")),
    (f"{USERS}.design", "HI", ("not a known design", "Did you mean 'hi'?")),
    (f"{USERS}.epsilon_share", 0, (f"{USERS}.epsilon_share: 0 is not above 0 and at most 1", "such as 0.5")),
    (f"{USERS}.epsilon_share", 1.01, (f"{USERS}.epsilon_share: 1.01 is not above 0 and at most 1", "leave it out")),
    (f"{USERS}.epsilon_share", 0.6, ("shares sum to more than 1: 0.6 + 0.5 = 1.1", "Lower them")),
    (f"{USERS}.epsilon_share", 0.4, ("shares that do not sum to 1: 0.4 + 0.5 = 0.9", "the service then gets the rest")),
    (f"{SALES}.epsilon_share", 1, ("shares take all of epsilon (1)", "nothing is left for users", "Lower them")),
    (f"{SALES}.rows_per_user", 10, ("rows_per_user: 10 is an integer, not a table", "{ max = 10, report = 1 }")),
    (f"{SALES}.rows_per_user", {"report": 1}, ("rows_per_user.max: missing", "{ max = 10, report = 1 }")),
    (f"{SALES}.rows_per_user", {"max": 0}, ("rows_per_user.max: 0 is not in 1..", "{ max = 10, report = 1 }")),
    (f"{SALES}.rows_per_user.report", 0, ("rows_per_user.report: 0 is not in 1..", "{ max = 10, report = 1 }")),
    (
        f"{SALES}.rows_per_user",
        {"max": 2**31 - 1, "report": 10**9},
        ("report: 1000000000 is not in 1..32767", "report = 1"),
    ),
    (f"{SALES}.rows_per_user.report", 11, ("11 reports of at most 10 rows", "report = 10 or less")),
    (f"{SALES}.rows_per_user.reports", 1, ("rows_per_user.reports: unknown key", "Did you mean 'report'?")),
    (f"{SALES}.attributes.shop", {"kind": "public"}, ("public in a service with rows_per_user", "Make it ordinal")),
    (f"{AGE}.kind", "ordnal", (f'{AGE}.kind: "ordnal" is not a known kind', "Did you mean 'ordinal'?")),
    (
        f"{AGE}.kind",
        DROP,
        (f"{AGE}.kind: missing", 'kind = "ordinal", "categorical", "date", "timestamp", "text", "public" or "each"'),
    ),
    (f"{STATE}.kind", "each", (f"{STATE}: kind each needs rows_per_user", "rows of one person for one value")),
    (
        f"{SALES}.attributes.pid",
        {"kind": "each", "values": list(range(40_000))},
        ("pid: 40000 values with 1 reports each are more than 32767 reports of one person", "Make it categorical"),
    ),
    (AGE, "ordinal", (f'{AGE}: "ordinal" is a string, not a table', "{ kind = ")),
    (f"{AGE}.low", DROP, (f"{AGE}.low: missing", "smallest allowed value")),
    (f"{AGE}.high", DROP, (f"{AGE}.high: missing", "largest allowed value")),
    (f"{AGE}.low", 125, (f"{AGE}.low: 125 is not below high = 125", "Make low smaller")),
    (f"{AGE}.low", 0.5, (f"{AGE}.low: 0.5 is not an integer", "add bins")),
    (f"{AGE}.high", 125.0, (f"{AGE}.high: 125.0 is not an integer", "add bins")),
    (f"{AGE}.high", float("nan"), (f"{AGE}.high: nan is not finite", "Write a finite number")),
    (f"{AGE}.high", False, (f"{AGE}.high: false is a boolean", "Write a number")),
    (f"{AGE}.high", 2**20 + 1, ("are 1048577 values, more than 1048576", "Add bins")),
    (f"{AGE}.high", 2**53 + 1, ("is beyond 2^53", "Subtract a constant")),
    (f"{AGE}.digits", 10, (f"{AGE}.digits: 10 is not in 1..9", "digits stand behind the point")),
    (INCOME, {**ORDINAL, "digits": 2, "bins": 3}, ("bins and digits at once", "digits for all of them")),
    (INCOME, {**ORDINAL, "digits": 6}, ("9000001 values with 6 digits, more than 1048576", "Use fewer digits")),
    (
        INCOME,
        {**ORDINAL, "high": 9.125, "digits": 2},
        ("9.125 has more than 2 digits behind the point", "raise digits"),
    ),
    (
        f"{AGE}.values",
        [1, 2],
        (
            f"{AGE}.values: unknown key",
            "Allowed here: kind, low, high, bins, cuts, digits, parts, rounded, clip, missing",
        ),
    ),
    (INCOME, {**ORDINAL, "cuts": [3], "parts": 3}, (f"{INCOME}.parts: 3 is not a power of two", "one of 1, 2, 4, 8")),
    (INCOME, {**ORDINAL, "cuts": [3], "parts": 128}, (f"{INCOME}.parts: 128 is not in 1..64", "parts = 4")),
    (INCOME, {**ORDINAL, "cuts": [3], "rounded": 1}, (f"{INCOME}.rounded: 1 is an integer, not a boolean", "true or")),
    (f"{STATE}.groups", [], (f"{STATE}.groups: no group", "groups = [[")),
    (f"{STATE}.groups", [["NY"]], ('["NY"] is not a list of two or more values', "groups = [[")),
    (f"{STATE}.groups", [["NY", "XX"]], (f'{STATE}.groups: "XX" is not one of the values', "groups of listed values")),
    (f"{STATE}.groups", [["NY", "WA"], ["WA", "CA"]], ('"WA" is named twice', "one group at most")),
    (f"{USERS}.questions", "SELECT 1", ('questions: "SELECT 1" is a string, not a list', "questions = [")),
    (f"{USERS}.questions", [], ("questions: 0 questions", "leave it out")),
    (f"{USERS}.questions", [3], ("questions[0]: 3 is an integer, not a text", "questions = [")),
    (f"{USERS}.questions", [{"weight": 2}], ("questions[0].sql: not a text of SQL", "questions = [")),
    (f"{USERS}.questions", [{"sql": "SELECT 1", "weight": 0}], ("questions[0].weight: 0 is not above 0", "positive")),
    (f"{USERS}.questions", [{"sql": "SELECT 1", "wieght": 1}], ("wieght: unknown key", "Did you mean 'weight'?")),
    (f"{USERS}.undeclared", 0.2, ("undeclared: there are no questions", "leave it out")),
    ("people", 0, ("people: 0 is not in 1..", "people = 500000")),
    (f"{INCOME}.bins", 0, (f"{INCOME}.bins: 0 is not in 1..1048575", "whole number of bins")),
    (f"{INCOME}.bins", 12.5, (f"{INCOME}.bins: 12.5 is not an integer", "whole number of bins")),
    (f"{INCOME}.bins", 2**20, (f"{INCOME}.bins: 1048576 is not in 1..1048575", "whole number of bins")),
    (f"{INCOME}.low", 249999.9999999999, (f"{INCOME}.bins:", "finer or wider than doubles", "Use fewer bins")),
    (INCOME, {"kind": "ordinal", "low": -1e308, "high": 1e308, "bins": 2}, ("wider than doubles", "scale them")),
    (f"{STATE}.values", DROP, (f"{STATE}.values: missing", "List all allowed values")),
    (f"{STATE}.values", "NY", ('"NY" is a string, not a list', 'values = ["a", "b"]')),
    (f"{STATE}.values", [], ("0 values, where 2..1048576 are needed", "List at least two")),
    (f"{STATE}.values", ["NY"], ("1 values, where 2..1048576 are needed", "List at least two")),
    (f"{STATE}.values", ["NY", "WA", "NY"], (f'{STATE}.values: "NY" is repeated', "List every value once")),
    (f"{STATE}.values", ["NY", 1], ("mixed types: a string and an integer", "Write all of them as strings")),
    (f"{STATE}.values", [True, 1], ("mixed types: a boolean and an integer", "Write all of them")),
    (f"{STATE}.values", [1.5, 2.5], ("1.5 is a decimal number", "with bins")),
    (f"{STATE}.values", [0, 2**60], ("is beyond 2^53", "Write it as a string")),
    (f"{STATE}.values", ["\ud800", "x"], ("not valid Unicode", "lone surrogates")),
    (f"{USERS}.attributes.uid", ORDINAL, ("uid: named like the user key 'uid'", "Rename the attribute")),
    (f"{USERS}.attributes.UID", ORDINAL, ("UID: named like the user key 'uid'", "Rename the attribute")),
    (f"{USERS}.attributes.Epoch", ORDINAL, ("'Epoch' is a column of every report", "taken are epoch, slot")),
    (f"{USERS}.attributes.AGE", ORDINAL, ("AGE: differs from 'age' only in case", "Rename one")),
    (f"{USERS}.attributes.first name", ORDINAL, ('attributes."first name": not a plain SQL name', "Use letters")),
    (f"{USERS}.attributes.{'x' * 64}", ORDINAL, ("not a plain SQL name", "at most 63")),
    (f"{USERS}.workload", {}, (f"{USERS}.workload: {{}} is a table, not a list", "workload = [{")),
    (f"{USERS}.workload", ["age"], ('workload[0]: "age" is a string, not a table', "workload = [{")),
    (f"{USERS}.workload", [{"weight": 1}], ("workload[0].attributes: missing", "workload = [{")),
    (f"{USERS}.workload", [{"attributes": ["aeg"]}], ('"aeg" is not an attribute', "Did you mean 'age'?")),
    (f"{USERS}.workload", [{"attributes": [["age"]]}], ('["age"] is not an attribute', "Sensitive here: age")),
    (f"{USERS}.workload", [{"attributes": ["os"]}], ('"os" is public', "Name only sensitive ones")),
    (f"{USERS}.workload", [{"attributes": []}], ("workload[0].attributes: empty", "Name one or more")),
    (f"{USERS}.workload", [{"attributes": ["age", "age"]}], ("names one attribute twice", "every attribute once")),
    (f"{USERS}.workload", [{"attributes": ["age", "income", "state"]}], ("max_active = 2", "Raise max_active to 3")),
    (f"{USERS}.workload", [{"attributes": ["age"], "weight": 0}], ("weight: 0 is not above 0", "positive weight")),
    (f"{USERS}.workload", [{"attributes": ["age"]}] * 2, ("is listed twice", "add up the weights")),
    (f"{USERS}.workload", [{"attributes": ["age"], "wieght": 1}], ("wieght: unknown key", "Did you mean 'weight'?")),
]


def changed(key: str, value: Any) -> dict[str, Any]:
    """The shop plan with one entry set, or dropped."""
    plan = copy.deepcopy(SHOP)
    *path, last = key.split(".")
    table = plan
    for part in path:
        table = table[part]
    if value is DROP:
        del table[last]
    else:
        table[last] = value
    return plan


@pytest.mark.parametrize(("key", "value", "fragments"), BAD, ids=[f"{i}-{key}" for i, (key, _, _) in enumerate(BAD)])
def test_one_mistake_is_named_with_reason_and_fix(key: str, value: Any, fragments: tuple[str, ...]) -> None:
    with pytest.raises(PlanError) as caught:
        read_schema(changed(key, value))
    assert len(caught.value.mistakes) == 1, caught.value  # no follow-up mistakes that only confuse
    for fragment in fragments:
        assert fragment in caught.value.mistakes[0]


def test_all_mistakes_are_reported_at_once() -> None:
    plan = changed("epsilon", -1)
    plan["colour"] = "red"
    plan["services"]["users"]["attributes"]["age"]["low"] = 500
    plan["services"]["users"]["attributes"]["state"]["values"] = ["NY", "NY"]
    plan["services"]["users"]["max_active"] = 9
    plan["services"]["transactions"]["rows_per_user"]["max"] = 0
    with pytest.raises(PlanError) as caught:
        read_schema(plan, "shop.toml")
    keys = [mistake.split(":")[0] for mistake in caught.value.mistakes]
    assert sorted(keys) == sorted(
        ["colour", "epsilon", f"{AGE}.low", f"{STATE}.values", f"{USERS}.max_active", f"{SALES}.rows_per_user.max"]
    )
    assert str(caught.value).startswith("shop.toml has 6 mistakes:\n  - colour: unknown key")


@pytest.mark.parametrize("plan", [None, [], "name", 3])
def test_a_plan_that_is_no_table(plan: Any) -> None:
    with pytest.raises(PlanError, match="not a table"):
        read_schema(plan)


def test_the_unchanged_plan_is_sound() -> None:
    """Otherwise the table above would prove nothing."""
    assert read_schema(copy.deepcopy(SHOP)).name == "shop"


@pytest.mark.parametrize("text", ["a = " + "[" * 50_000, "a = " + "{a = " * 50_000])
def test_a_file_that_is_nested_without_end(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(PlanError, match=r"nested too deeply"):
        load_toml(tmp_path / "plan.toml")
