"""Analysts by name: tokens of their own, revoked while the collector runs, hashes alone on the disk, names in the log."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from helpers.inside import ask, open_collector, send
from untold import cli
from untold.serve.analysts import Analysts, new_token
from untold.serve.app import App
from untold.serve.queries.limits import QueryLimits
from untold.store.logs import HOME
from untold.wire.tokens import Tokens

QUERY = json.dumps({"sql": "SELECT COUNT(*) AS n FROM people"}).encode()


@pytest.fixture
def tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """`untold serve tokens ...`: its exit code and what it says."""

    def command(*words: str) -> tuple[int, str, str]:
        code = cli.main(["serve", "tokens", *words, "--data", str(tmp_path / "r")])
        said = capsys.readouterr()
        return code, said.out.strip(), said.err

    return command


def test_names_come_and_go_while_the_collector_runs(tmp_path: Path, tokens: Any) -> None:
    with open_collector(tmp_path / "r") as collector:
        app, shared = App(collector), collector.tokens.role("analyst")

        def status(token: str) -> int:
            """Of a question that has no text: 400 for who may ask."""
            return asyncio.run(ask(app, "POST", "/check", b"{}", authorization=f"Bearer {token}"))[0]

        assert (status(shared), status("f" * 64), status("")) == (400, 401, 401)
        code, ada, _ = tokens("add", "ada")
        assert (code, len(ada)) == (0, 64)
        eve = tokens("add", "eve@example.org")[1]
        assert (status(ada), status(eve), status(shared)) == (400, 400, 400)
        assert tokens("list")[1].split() == ["analyst", "ada", "eve@example.org"]
        stored = (tmp_path / "r" / HOME / "analysts.json").read_text()
        assert ada not in stored
        assert oct((tmp_path / "r" / HOME / "analysts.json").stat().st_mode)[-3:] == "600"
        assert tokens("revoke", "ada")[0] == 0
        assert (status(ada), status(eve), status(shared)) == (401, 400, 400)
        assert tokens("revoke", "analyst")[0] == 0  # the one that all could share
        assert (status(eve), status(shared)) == (400, 401)
        code, again, _ = tokens("add", "ada")
        assert (code, again != ada, status(again), status(ada)) == (0, True, 400, 401)
        assert tokens("list")[1].split() == ["ada", "eve@example.org"]
        assert cli.main(["serve", "token", "analyst", "--data", str(tmp_path / "r")]) == 2  # it would open nothing
        for path in ("/flush", "/epochs/1/open"):  # an analyst is no operator
            assert asyncio.run(ask(app, "POST", path, authorization=f"Bearer {eve}"))[0] == 401


def test_what_cannot_be_is_said(tmp_path: Path, tokens: Any) -> None:
    assert "start the collector once" in tokens("list")[2]
    with open_collector(tmp_path / "r"):
        pass
    tokens("add", "ada")
    for words, complaint in (
        (("add", "ada"), "has a token already"),
        (("add", "analyst"), "all may share"),
        (("add", "two words"), "is not a name"),
        (("add", "x" * 65), "is not a name"),
        (("revoke", "bob"), "'bob' has no token; there are: analyst, ada"),
        (("add",), "add and revoke need a name"),
        (("list", "ada"), "list has none"),
    ):
        code, _, err = tokens(*words)
        assert code == 2
        assert complaint in err


def test_a_damaged_list_lets_nobody_in(tmp_path: Path, tokens: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with open_collector(tmp_path / "r") as collector:
        tokens("add", "ada")
        tokens("revoke", "analyst")
        file = tmp_path / "r" / HOME / "analysts.json"
        file.write_text(file.read_text().replace("false", "true"))  # the shared token, given back by hand
        token = collector.tokens.role("analyst")
        with pytest.raises(Exception, match="is damaged"):
            asyncio.run(ask(App(collector), "POST", "/check", b"{}", authorization=f"Bearer {token}"))
    assert cli.main(["verify", str(tmp_path / "r")]) == 2
    assert "analysts.json is damaged" in capsys.readouterr().err


def test_the_log_names_who_asked_and_not_what(tmp_path: Path, tokens: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with open_collector(tmp_path / "r") as collector:
        send(collector, range(50))
        collector.flush().result(30)
        ada = tokens("add", "ada")[1]

        async def asked() -> None:
            app = App(collector, queries=QueryLimits(seconds=120, processes=1))
            async with app.routes.state.queries:
                for _ in range(2):
                    status, _, _ = await ask(app, "POST", "/query", QUERY, authorization=f"Bearer {ada}")
                    assert status == 200
                strange = json.dumps({**json.loads(QUERY), "format": "u-17 has csv"}).encode()
                status, _, _ = await ask(app, "POST", "/query", strange, authorization=f"Bearer {ada}")
                assert status == 400

        asyncio.run(asked())
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    said = [line for line in lines if line["event"] == "asked"]
    expected = [("ada", "json", 200), ("ada", "json", 200), ("ada", "unknown", 400)]
    assert [(line["analyst"], line["format"], line["status"]) for line in said] == expected
    assert "u-17" not in json.dumps(lines)
    assert "COUNT" not in json.dumps(lines)
    assert ada not in json.dumps(lines)


def test_a_hash_is_not_a_token() -> None:
    token, secret = new_token(), Tokens(bytes(32))
    known = Analysts().added("ada", token)
    assert known.who(token, secret) == "ada"
    assert known.who(known.named["ada"], secret) is None
    assert known.who(token[:-1], secret) is None
    assert known.who("é" * 64, secret) is None
    assert new_token() != token
