"""More than 300 named bad reports: each is refused with its own code, none is stored, none is a 500."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_reports import BAD, Bad

from helpers.inside import ask, asked, open_collector
from helpers.survey import KINDS, LAYOUTS, PLAN, said
from untold.serve.app import App
from untold.serve.collector import Collector
from untold.wire.records import encode_body
from untold.wire.strict_json import write_json


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collector]:
    with open_collector(tmp_path_factory.mktemp("bad") / "r", PLAN, public=KINDS) as opened:
        yield opened


def test_there_are_300_and_every_name_is_another() -> None:
    assert len(BAD) >= 300
    assert len({bad.name for bad in BAD}) == len(BAD)


@pytest.mark.parametrize("bad", BAD, ids=[bad.name for bad in BAD])
def test_a_bad_report_is_refused_by_its_code(bad: Bad, collector: Collector) -> None:
    gateway = f"Bearer {collector.tokens.role('gateway')}"
    [(status, answer)] = asked(collector, [(bad.body, {"authorization": gateway, **bad.headers})])
    code = answer["error"] if "error" in answer else answer["refused"][0][1]
    assert (status, code) == (bad.status, bad.code)
    assert collector.counts.get("untold_reports_counted_total") == 0
    assert "u-1" not in str(answer)


@pytest.mark.parametrize("service", PLAN.services)
def test_the_good_report_beside_them_is_counted_in_both_forms(service: str, tmp_path: Path) -> None:
    """What is refused above is refused for what is wrong with it: the report it was made of is good."""
    report, record = said(service)
    body = encode_body(PLAN.id, LAYOUTS[service], 0, [record])
    with open_collector(tmp_path / "r", PLAN, public=KINDS) as opened:
        device = f"Bearer {opened.tokens.device('text', 'u-1')}"
        headers = {"authorization": device, "content_type": "application/json; charset=utf-8"}
        binary = {"authorization": device, "content_type": "application/vnd.untold.reports"}
        first, second = asked(opened, [(write_json(PLAN.id, [report]), headers), (body, binary)])
    assert first == (200, {"counted": 1, "repeated": 0, "refused": []})
    assert second == (200, {"counted": 0, "repeated": 1, "refused": []})


def test_a_bad_report_among_good_ones_concerns_itself_alone(tmp_path: Path) -> None:
    good = [said("users", f"u-{i}")[0] for i in range(3)]
    bad = {**good[1], "slots": [[-1]]}
    with open_collector(tmp_path / "r", PLAN, public=KINDS) as opened:
        headers = {"authorization": f"Bearer {opened.tokens.role('gateway')}", "content_type": "application/json"}
        [(status, answer)] = asked(opened, [(write_json(PLAN.id, [good[0], bad, good[2]]), headers)])
    assert (status, answer) == (200, {"counted": 2, "repeated": 0, "refused": [[1, "bad-message"]]})


def test_a_device_sends_for_itself_alone(collector: Collector) -> None:
    own, other = said("users", "a")[0], said("users", "b")[0]
    token = {"authorization": f"Bearer {collector.tokens.device('text', 'a')}", "content_type": "application/json"}
    answers = asked(collector, [(write_json(PLAN.id, [own, other]), token), (write_json(PLAN.id, [other]), token)])
    assert [(status, answer["error"]) for status, answer in answers] == [(403, "other-user"), (401, "bad-token")]


def test_reports_are_posted(collector: Collector) -> None:
    for method in ("GET", "PUT", "DELETE", "PATCH"):
        status, answer, _ = asyncio.run(ask(App(collector), method, "/reports"))
        assert (status, answer["error"]) == (405, "bad-method")
