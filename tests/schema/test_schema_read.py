"""Sound plans: the shop loads, defaults are filled in, and the canonical form reads back as the same schema."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from untold.errors import BadRecord, PlanError
from untold.plan.schema import Interest, Ordinal, Rows, read_schema, schema_to_dict
from untold.plan.schema.load import load_toml

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "examples" / "shop.toml"
BELOW = ("errors", "exact", "near_miss", "oracles")  # all that the schema may know of untold
ONE = {"kind": "ordinal", "low": 0, "high": 9}


def plan(**service: Any) -> dict[str, Any]:
    attributes = dict.fromkeys(("p", "q", "r", "s", "t"), ONE)
    return {"name": "n", "user_key": "u", "epsilon": 1, "services": {"one": {"attributes": attributes} | service}}


def test_the_shop_loads() -> None:
    shop = read_schema(load_toml(SHOP), str(SHOP))
    users, transactions = shop.services
    assert (shop.name, shop.user_key, shop.epsilon, shop.nano, shop.lifetime_nano) == (
        "shop",
        "uid",
        2.0,
        2 * 10**9,
        10**10,
    )
    assert [a.name for a in users.sensitive] == ["age", "income", "state"]
    assert [a.name for a in users.public] == ["os"]
    assert [a.size for a in users.sensitive] == [125, 126, 3]
    assert [a.describe() for a in users.sensitive] == [
        "integers 1..125",
        "numbers 0..250000 on 126 knots, 2000 apart",
        "one of 'NY', 'WA', 'CA'",
    ]
    assert (users.max_active, users.rows, users.share, users.slots) == (2, None, None, 1)
    assert (transactions.rows, transactions.share) == (Rows(10, 1), Fraction(1, 2))
    assert (users.design, users.oracle, users.fanout, users.workload) == ("tuned", "auto", None, ())


def test_defaults() -> None:
    assert read_schema(plan()).service("one").max_active == 3
    assert read_schema(plan(design="hio")).service("one").max_active == 5  # the papers' designs keep all active
    assert read_schema(plan(rows_per_user={"max": 1})).service("one").rows == Rows(1, 1)
    interests = read_schema(plan(workload=[{"attributes": ["q", "p"]}])).service("one").workload
    assert interests == (Interest(("q", "p"), 1.0),)


def test_a_service_overrides_the_plan() -> None:
    two = plan(design="mg", fanout=3) | {"design": "hio", "oracle": "olh", "fanout": 5}
    two["services"]["other"] = {"attributes": {"x": {"kind": "categorical", "values": [False, True]}}}
    one, other = read_schema(two).services
    assert (one.design, one.oracle, one.fanout) == ("mg", "olh", 3)
    assert (other.design, other.oracle, other.fanout) == ("hio", "olh", 5)


@pytest.mark.parametrize(
    "declared",
    [
        tomllib.loads(SHOP.read_text()),
        plan(),
        plan(design="sc", oracle="grr", fanout=4, rows_per_user={"max": 3, "report": 2}),
        plan(workload=[{"attributes": ["p"], "weight": 3}, {"attributes": ["p", "q"]}], epsilon_share=1.0),
        plan() | {"epsilon": 1.0000000005, "lifetime": 1.0000000005},  # below one billionth
        plan(attributes={"x": {"kind": "ordinal", "low": -0.0, "high": 0.3, "bins": 7}}),
        plan(attributes={"x": {"kind": "categorical", "values": [3, 1, 2]}, "y": {"kind": "public"}}),
        plan(attributes={"x": {"kind": "categorical", "values": [True, False]}}),
    ],
)
def test_the_canonical_form_reads_back_as_the_same_schema(declared: dict[str, Any]) -> None:
    schema = read_schema(declared)
    canonical = schema_to_dict(schema)
    again = read_schema(json.loads(json.dumps(canonical, allow_nan=False)))
    assert again == schema
    assert schema_to_dict(again) == canonical
    assert hash(again) == hash(schema)


def test_the_canonical_form_of_another_plan_differs() -> None:
    assert schema_to_dict(read_schema(plan())) != schema_to_dict(read_schema(plan(rows_per_user={"max": 1})))


def test_unknown_services_and_attributes_are_answered_with_the_list() -> None:
    shop = read_schema(load_toml(SHOP))
    with pytest.raises(BadRecord, match=r"no service 'user'. Did you mean 'users'\? It has: users, transactions"):
        shop.service("user")
    with pytest.raises(BadRecord, match="It has: age, income, state, os"):
        shop.service("users").attribute("height")
    assert shop.service("users").attribute("age") == Ordinal("age", 1, 125)


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b'name = "shop"\nepsilon = \n', "line 2, column 11: invalid value"),
        (b"a = 1\na = 2\n", "line 2, column 6: cannot overwrite a value"),
        (b'name = "shop"\n# caf\xe9\n', "line 2: not UTF-8"),
        (b"x = " + b"9" * 5000, "not TOML"),
    ],
)
def test_syntax_errors_name_the_line(tmp_path: Path, content: bytes, fragment: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(PlanError) as caught:
        load_toml(path)
    assert fragment in str(caught.value)
    assert str(caught.value).startswith(f"{path} has 1 mistake")


def test_a_missing_file_and_a_byte_order_mark(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read: No such file"):
        load_toml(tmp_path / "nowhere.toml")
    (tmp_path / "marked.toml").write_bytes(b'\xef\xbb\xbfname = "shop"\r\n')
    assert load_toml(tmp_path / "marked.toml") == {"name": "shop"}


def test_the_reference_shows_what_really_happens() -> None:
    """docs/plan_file.md: the example is the shop, and the error is the error."""
    text = (ROOT / "docs" / "plan_file.md").read_text()
    good, bad = (tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[:2])
    assert good == load_toml(SHOP)
    with pytest.raises(PlanError) as caught:
        read_schema(bad, "bad.toml")
    printed = re.findall(r"```text\n(.*?)```", text, re.DOTALL)[0]
    assert printed.strip() == str(caught.value)


def test_the_schema_knows_few_others() -> None:
    for path in (ROOT / "src" / "untold" / "schema").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                own = name.startswith("untold.plan.schema.") or name.removeprefix("untold.") in BELOW
                assert own or not name.startswith("untold"), (path.name, name)
