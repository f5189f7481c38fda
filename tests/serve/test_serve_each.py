"""A service with reports about each product, from devices to a segment that bulk collection would have written."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import untold
from helpers.inside import open_collector
from untold.oracles import Message
from untold.plan import Plan
from untold.serve.reports.jobs import Job
from untold.store import Folder
from untold.wire.layout import Layout
from untold.wire.records import encode_body, encode_record

PRODUCTS = ["tea", "ball", "oil"]
PLAN = Plan.from_dict(
    {
        "name": "shop",
        "user_key": "uid",
        "epsilon": 3.0,
        "services": {
            "sales": {
                "rows_per_user": {"max": 2, "report": 2},
                "attributes": {
                    "pid": {"kind": "each", "values": PRODUCTS},
                    "amount": {"kind": "ordinal", "low": 0, "high": 4},
                },
            }
        },
    }
)


def test_the_collector_writes_which_product_a_slot_is_about(tmp_path: Path) -> None:
    layout = Layout.of(PLAN, "sales")
    assert layout.public == ()  # nothing about it goes over the wire
    sent = {}
    for user in ("u1", "u2"):
        reports = untold.Client(PLAN, user).report("sales", [{"pid": "oil", "amount": 3}])
        sent[user] = [(r.slot, dict(r.public)["pid"], r.messages[0].index) for r in reports]
    records = [encode_record(layout, user, [[Message(m)] for _, _, m in slots], {}) for user, slots in sent.items()]
    with open_collector(tmp_path / "r", PLAN) as collector:
        job = Job(collector.reader.read_binary(encode_body(PLAN.id, layout, 0, records)).blocks)
        collector.committer.submit(job)
        assert job.done.result(30).counted == 2
    folder = Folder.open(tmp_path / "r")
    table = pa.concat_tables(pq.read_table(each) for each in folder.paths("sales"))
    rows = zip(*(table[name].to_pylist() for name in ("uid", "slot", "pid", "message")), strict=True)
    assert sorted(rows) == sorted((user, *each) for user, slots in sent.items() for each in slots)
    bulk = untold.perturb(
        PLAN, "sales", pa.table({"uid": ["u3"], "pid": ["tea"], "amount": [1]}), population=["u3"], seed=1
    ).table
    assert [(f.name, f.type) for f in bulk.schema] == [(f.name, f.type) for f in table.schema]
    with untold.connect(tmp_path / "r") as con:
        assert con.sql("SELECT pid, COUNT(*) AS n FROM sales GROUP BY pid").arrow()["pid"].to_pylist() == sorted(
            PRODUCTS
        )
