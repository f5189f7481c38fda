"""Pages of other origins: which may report, what browsers are told, and who is enrolled."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from helpers.inside import ask, open_collector
from untold.cli import main
from untold.serve.app import App
from untold.serve.http.origins import Origins

APP, OTHER = "https://app.example.org", "https://evil.example.net"
Asked = tuple[str, str, dict[str, str]]


def answers(folder: Path, allowed: tuple[str, ...], *requests: Asked) -> list[tuple[int, Any, dict[str, str]]]:
    async def all_of_them(app: App) -> list[tuple[int, Any, dict[str, str]]]:
        around: Any = Origins(app, allowed)
        return [await ask(around, method, path, **headers) for method, path, headers in requests]

    with open_collector(folder, enrol=True) as collector:
        found = asyncio.run(all_of_them(App(collector)))
        counted = collector.counts.get("untold_enrolments_total", "200")
    return [*found, (0, counted, {})]


def page(origin: str, site: str | None = None) -> dict[str, str]:
    return {"Origin": origin, "Host": "reports.example.org"} | ({"Sec_Fetch_Site": site} if site else {})


def test_a_page_that_is_allowed_is_told_so(tmp_path: Path) -> None:
    plan, enrolled, _ = answers(
        tmp_path, (APP,), ("GET", "/plan", page(APP)), ("POST", "/enrol", page(APP, "cross-site"))
    )
    assert plan[2]["access-control-allow-origin"] == enrolled[2]["access-control-allow-origin"] == APP
    assert (plan[2]["vary"], plan[2]["access-control-expose-headers"]) == ("Origin", "retry-after")
    assert enrolled[0] == 200


@pytest.mark.parametrize("allowed", [(), (APP,)])
def test_a_page_that_is_not_allowed_enrols_nobody(tmp_path: Path, allowed: tuple[str, ...]) -> None:
    """Its browser would not show it the answer, but the answer would have been counted."""
    plan, refused, old, counted = answers(
        tmp_path,
        allowed,
        ("GET", "/plan", page(OTHER)),
        ("POST", "/enrol", page(OTHER, "cross-site")),
        ("POST", "/enrol", page(OTHER)),
    )
    assert "access-control-allow-origin" not in plan[2]
    assert refused[0] == old[0] == 403
    assert f"--allow-origin {OTHER}" in refused[1]["message"]
    assert counted[1] == 0


def test_its_own_page_and_programs_need_no_permission(tmp_path: Path) -> None:
    own = page("https://reports.example.org")
    *all_of_them, counted = answers(
        tmp_path,
        (),
        ("POST", "/enrol", own),
        ("POST", "/enrol", page("https://reports.example.org:8443", "same-origin")),
        ("POST", "/enrol", {}),
    )
    assert [status for status, _, _ in all_of_them] == [200, 200, 200]
    assert counted[1] == 3


def test_a_browser_asks_before_it_sends_a_token(tmp_path: Path) -> None:
    asks = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "authorization,content-type"}
    with open_collector(tmp_path) as collector:
        for allowed, origin, expected in (((APP,), APP, APP), (("*",), OTHER, "*")):
            around: Any = Origins(App(collector), allowed)
            sent = asyncio.run(preflight(around, origin, asks))
            assert (sent["status"], sent["access-control-allow-origin"]) == (204, expected)
            assert sent["access-control-allow-headers"] == "authorization, content-type"
        refused = asyncio.run(preflight(Origins(App(collector), (APP,)), OTHER, asks))
        assert refused["status"] == 403
        assert "access-control-allow-origin" not in refused


async def preflight(app: Any, origin: str, asks: dict[str, str]) -> dict[str, Any]:
    headers = [
        (name.replace("_", "-").lower().encode(), value.encode()) for name, value in (page(origin) | asks).items()
    ]
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("there is no body")

    await app({"type": "http", "method": "OPTIONS", "path": "/reports", "headers": headers}, receive, send)
    return {"status": sent[0]["status"], **{name.decode(): value.decode() for name, value in sent[0]["headers"]}}


@pytest.mark.parametrize(
    "origin", ["app.example.org", "https://app.example.org/", "https://APP.example.org", "null", ""]
)
def test_an_origin_that_browsers_never_send_is_refused(
    tmp_path: Path, origin: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'name = "p"\nuser_key = "uid"\nepsilon = 1.0\n[services.s.attributes]\na = { kind = "ordinal", low = 0, high = 3 }\n'
    )
    assert main(["serve", str(plan), "--data", str(tmp_path / "r"), "--allow-origin", origin]) == 2
    assert "such as https://app.example.org" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()
