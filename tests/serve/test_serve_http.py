"""What the application answers: the plan, tokens, limits, health; and bodies that nobody would send."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
from pathlib import Path

import numpy as np
import pytest
from benchmarks.collector.bodies import body, name
from benchmarks.collector.fuzz import mutations
from benchmarks.collector.server import PLAN

from helpers.inside import ask, asked, open_collector, send, stored
from helpers.survey import KINDS, LAYOUTS, said
from helpers.survey import PLAN as SURVEY
from untold.serve.app import App
from untold.serve.http.concurrency import Gate
from untold.serve.http.rate_limit import Bucket
from untold.wire.records import encode_body
from untold.wire.signing import SignedPlan
from untold.wire.strict_json import write_json

BINARY = {"content_type": "application/vnd.untold.reports"}


def test_the_plan_is_signed_and_stays_so(tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        with open_collector(tmp_path / "r") as collector:
            status, answer, _ = asyncio.run(ask(App(collector), "GET", "/plan"))
            assert status == 200
            signed = SignedPlan(answer["plan"], answer["key"], answer["signature"])
            assert signed.open(answer["key"], PLAN.id) == PLAN
            assert answer["collector"] == {"user_key": "text", "public": {"people": {}}, "open": [0]}
            keys.append(answer["key"])
    assert keys[0] == keys[1]


def test_roles_are_checked(tmp_path: Path) -> None:
    with open_collector(tmp_path / "r") as collector:
        app = App(collector)
        for path in ("/epochs/1/open", "/epochs/0/close", "/flush"):
            for token in ("", "Bearer x", f"Bearer {collector.tokens.role('analyst')}"):
                status, answer, _ = asyncio.run(ask(app, "POST", path, authorization=token))
                assert (status, answer["error"]) == (401, "bad-token")
        operator = f"Bearer {collector.tokens.role('operator')}"
        assert asyncio.run(ask(app, "POST", "/epochs/1/open", authorization=operator))[1]["open"] == [0, 1]
        assert asyncio.run(ask(app, "POST", "/epochs/9999999999/open", authorization=operator))[0] == 422
        assert asyncio.run(ask(app, "POST", "/epochs/5/close", authorization=operator))[0] == 409
        assert asyncio.run(ask(app, "POST", "/flush", authorization=operator))[1] == {"segments": 0}
        assert asyncio.run(ask(app, "GET", "/nothing"))[1]["error"] == "not-found"
        assert asyncio.run(ask(app, "PUT", "/plan"))[1]["error"] == "bad-method"


def test_anybody_can_enrol_where_that_is_allowed(tmp_path: Path) -> None:
    with open_collector(tmp_path / "r") as collector:
        assert asyncio.run(ask(App(collector), "POST", "/enrol"))[0] == 404
    with open_collector(tmp_path / "r", enrol=True) as collector:
        first, second = (asyncio.run(ask(App(collector), "POST", "/enrol"))[1] for _ in range(2))
        assert first["user"] != second["user"]
        assert collector.tokens.is_device("text", first["user"], first["token"])


def test_enrolling_is_limited_and_goes_on_later(tmp_path: Path) -> None:
    now = [100.0]
    with open_collector(tmp_path / "r", enrol=True) as collector:
        app = App(collector, enrolments=Bucket(30, lambda: now[0]))
        answers = [asyncio.run(ask(app, "POST", "/enrol")) for _ in range(32)]
        assert [status for status, _, _ in answers] == [200] * 30 + [429] * 2
        assert (answers[-1][1]["error"], answers[-1][2]["retry-after"]) == ("busy", "2")
        now[0] += 1
        assert asyncio.run(ask(app, "POST", "/enrol"))[2]["retry-after"] == "1"
        now[0] += 1
        assert [asyncio.run(ask(app, "POST", "/enrol"))[0] for _ in range(2)] == [200, 429]
        now[0] += 1e6  # after a long time there is one minute's worth, and not more
        assert sum(asyncio.run(ask(app, "POST", "/enrol"))[0] == 200 for _ in range(40)) == 30
        assert collector.counts.get("untold_enrolments_total", "429") == 2 + 1 + 1 + 10


def test_gzip_and_batches(tmp_path: Path) -> None:
    with open_collector(tmp_path / "r") as collector:
        gateway = {"authorization": f"Bearer {collector.tokens.role('gateway')}", **BINARY}
        packed = gzip.compress(body(np.arange(5000)))
        answers = asked(
            collector, [(packed, {**gateway, "content_encoding": "gzip"}), (body(np.arange(5001)), gateway)]
        )
    assert answers == [
        (200, {"counted": 5000, "repeated": 0, "refused": []}),
        (200, {"counted": 1, "repeated": 5000, "refused": []}),
    ]


def test_too_much_at_once_is_turned_away_and_then_taken(tmp_path: Path) -> None:
    """64 requests at once through a gate for 8: each is counted or told to come back, and coming back works."""
    with open_collector(tmp_path / "r") as collector:
        app = App(collector, Gate(most_requests=8))

        def request(user: int) -> tuple[bytes, dict[str, str]]:
            token = collector.tokens.device("text", name(user))
            return body(np.array([user])), {"authorization": f"Bearer {token}", **BINARY}

        async def all_at_once() -> list[tuple[int, object, dict[str, str]]]:
            wanted = [request(user) for user in range(64)]
            return await asyncio.gather(*(ask(app, "POST", "/reports", data, **more) for data, more in wanted))

        answers = asyncio.run(all_at_once())
        turned_away = [user for user, (status, _, _) in enumerate(answers) if status == 503]
        assert 0 < len(turned_away) < 64
        assert all(answers[user][2]["retry-after"] == "1" for user in turned_away)
        assert {status for status, _, _ in answers} == {200, 503}
        again = asked(collector, [request(user) for user in turned_away])
        assert [answer["counted"] for _, answer in again] == [1] * len(turned_away)
        assert (app.ingest.gate.requests, app.ingest.gate.bytes) == (0, 0)
    assert stored(tmp_path / "r").num_rows == 64


def test_a_gate_also_counts_bytes() -> None:
    gate = Gate(most_bytes=100, most_requests=1)
    with gate.visit() as first, gate.visit() as second:
        assert [first.hold(60), second.hold(60), second.hold(40), gate.full] == [True, False, True, True]
        assert [first.enter(), second.enter()] == [True, False]
    assert (gate.bytes, gate.requests, gate.full) == (0, 0, False)


def test_machines_that_watch_see_counts_and_no_values(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with open_collector(tmp_path / "r") as collector:
        send(collector, [123456789])
        collector.flush().result(30)
        app = App(collector)
        status, answer, _ = asyncio.run(ask(app, "GET", "/metrics"))
        assert status == 200
        text = answer.decode()
        assert "untold_reports_counted_total 1\n" in text
        assert "untold_segments 1\n" in text
        assert all(line.startswith("#") or len(line.split(" ")) == 2 for line in text.splitlines())
        assert asyncio.run(ask(app, "GET", "/health"))[:2] == (200, {"status": "ok"})
    said_ = capfd.readouterr().err
    events = [json.loads(line)["event"] for line in said_.splitlines()]
    assert events == ["started", "segments", "stopped"]
    for secret in ("123456789", collector.tokens.role("gateway"), collector.storage.secrets.secret.hex()):
        assert secret not in said_ + text + caplog.text


def test_nothing_is_stored_of_where_a_report_came_from(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """docs/threat_model.md: addresses and times "are no part of a report and the collector stores neither"."""
    where = {"x_forwarded_for": "203.0.113.77", "forwarded": "for=203.0.113.77", "user_agent": "agent-203.0.113.77"}
    with open_collector(tmp_path / "r") as collector:
        gateway = f"Bearer {collector.tokens.role('gateway')}"
        good, bad = body(np.asarray([1])), b"203"
        for data, status in ((good, 200), (bad, 400)):
            assert asked(collector, [(data, {**BINARY, **where, "authorization": gateway})])[0][0] == status
        for _ in range(2):  # in the log, and in segments
            files = [path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()]
            assert not any(b"203.0.113.77" in each for each in files)
            collector.flush().result(30)
    assert stored(tmp_path / "r").column_names == ["uid", "epoch", "slot", "message"]
    assert "203.0.113.77" not in capfd.readouterr().err


def test_two_thousand_fuzzed_bodies(tmp_path: Path) -> None:
    """No 500, no exception, and what was good before is still counted once."""
    good = []
    for service in SURVEY.services:
        report, record = said(service)
        good.append(("application/json", write_json(SURVEY.id, [report, report])))
        good.append(("application/vnd.untold.reports", encode_body(SURVEY.id, LAYOUTS[service], 0, [record, record])))
    with open_collector(tmp_path / "r", SURVEY, public=KINDS) as collector:
        token = {"authorization": f"Bearer {collector.tokens.role('gateway')}"}
        fuzzed = [(data, {**headers, **token}) for data, headers in mutations(good, 2000, seed=11)]
        statuses = {status for status, _ in asked(collector, fuzzed)}
        assert statuses <= {200, 400, 409, 413, 415, 422}
        assert {200, 400, 422} <= statuses  # the fuzz reaches deep enough to be worth something
        sent = asked(collector, [(data, {"content_type": kind, **token}) for kind, data in good])
        for status, answer in sent:
            assert status == 200
            assert answer["counted"] + answer["repeated"] + len(answer["refused"]) == 2
