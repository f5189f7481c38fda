"""Reports about each value of a list: the value does not travel, and stands beside every report that is stored."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from inside import asked, open_collector
from vectors_plans import SHELVES, each_plan

import tacit
from tacit.collect.client import Client
from tacit.randomness import Seeded
from tacit.serve.settings import HOME
from tacit.store import Folder
from tacit.wire.layout import Layout
from tacit.wire.strict_json import json_report, write_json

PLAN = each_plan("mg")
LAYOUT = Layout.of(PLAN, "products")
PEOPLE = 30


def bodies(token: str, salt: int = 0) -> list[tuple[bytes, dict[str, str]]]:
    """One report of each person, made with repeatable draws."""
    headers = {"content_type": "application/json", "authorization": f"Bearer {token}"}
    found = []
    for i in range(PEOPLE):
        reports = Client(PLAN, f"u-{i}", rng=Seeded(salt + i)).report("products", SHELVES[i % len(SHELVES)])
        said = json_report(LAYOUT, 0, f"u-{i}", [each.messages for each in reports], {})
        found.append((write_json(PLAN.id, [said]), headers))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_collector(tmp_path / "r", PLAN) as collector:
        for status, answer in asked(collector, bodies(collector.tokens.role("gateway"))):
            assert (status, answer["counted"]) == (200, 1)
    return tmp_path / "r"


def test_the_slot_tells_the_product(folder: Path) -> None:
    (path,) = Folder.open(folder).paths("products")
    rows = pq.read_table(path)
    assert rows.num_rows == 4 * PEOPLE
    assert {(s, p) for s, p in zip(rows["slot"].to_pylist(), rows["product"].to_pylist())} == {
        (0, "tea"),
        (1, "tea"),
        (2, "salt"),
        (3, "salt"),
    }


def test_it_is_stored_as_by_perturb(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"uid": ["a", "b"], "product": ["tea", "salt"], "price": [1.0, 2.0]}), table)
    tacit.perturb(PLAN, "products", table, out=tmp_path / "bulk", population="present", seed=1)
    schemas = [pq.read_schema(Folder.open(each).paths("products")[0]) for each in (folder, tmp_path / "bulk")]
    assert [field.name for field in schemas[0]] == [field.name for field in schemas[1]]
    assert schemas[0].field("product").type == schemas[1].field("product").type


def test_it_survives_a_lost_index(folder: Path) -> None:
    shutil.rmtree(folder / HOME / "index")
    with open_collector(folder, PLAN) as collector:
        token = collector.tokens.role("gateway")
        again, other = (asked(collector, bodies(token, salt)) for salt in (0, 1000))
    assert [(status, answer["repeated"]) for status, answer in again] == [(200, 1)] * PEOPLE
    assert sum(answer["counted"] for _, answer in other) == 0
    assert 409 in {status for status, _ in other}


def test_a_product_in_the_body_is_refused(tmp_path: Path) -> None:
    with open_collector(tmp_path / "r", PLAN) as collector:
        data, headers = bodies(collector.tokens.role("gateway"))[0]
        body = json.loads(data)
        body["reports"][0]["public"] = {"product": "tea"}
        ((status, answer),) = asked(collector, [(json.dumps(body).encode(), headers)])
    assert (status, answer["refused"]) == (422, [[0, "bad-public"]])
