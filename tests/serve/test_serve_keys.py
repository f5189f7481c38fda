"""Keys and tokens while a collector runs: rotated without a release of any client, revoked within a second."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.collector.bodies import body, name
from benchmarks.collector.server import PLAN

from helpers.inside import BINARY, ROOMY, ask, eventually, send
from helpers.trusted import accept
from untold import cli
from untold.device.trust import Offer, Trust
from untold.errors import StoreError, UntrustedPlan
from untold.serve.access import Access
from untold.serve.app import App
from untold.serve.collector import Collector, collector_over
from untold.serve.settings import Secrets
from untold.wire.tokens import Tokens

LedgerOf = Callable[[Path], str]


@pytest.fixture(params=["folder", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str | None, list[str]]:
    """A folder, a database if there is one, and the options with which commands reach the collector."""
    path = tmp_path / "r"
    if request.param == "folder":
        return path, None, ["--data", str(path)]
    url = request.getfixturevalue("ledger_of")(path)
    return path, url, ["--ledger", url]


@pytest.fixture
def command(where: Any, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*words: str, code: int = 0) -> str:
        assert cli.main(["serve", *words, *where[2]]) == code
        said = capsys.readouterr()
        return (said.out if code == 0 else said.err).strip()

    return run


def over(where: Any) -> Collector:
    return collector_over(PLAN, where[0], where[1], limits=ROOMY)


def offer(collector: Collector) -> Offer:
    """What a device gets at GET /plan."""
    status, told, _ = asyncio.run(ask(App(collector), "GET", "/plan"))
    assert status == 200
    return Offer.read(json.dumps(told).encode())


def sent(collector: Collector, token: str, people: Any, epoch: int = 0) -> int:
    app = App(collector)
    headers = {"content_type": BINARY, "authorization": f"Bearer {token}"}
    return asyncio.run(ask(app, "POST", "/reports", body(np.asarray(people), epoch), **headers))[0]


def test_devices_follow_rotated_keys(where: Any, command: Any, tmp_path: Path) -> None:
    late, often = (Trust(tmp_path / each / "trust.json") for each in ("late", "often"))
    with over(where) as collector:
        first = offer(collector)
        for each in (late, often):
            assert accept(each, first) == PLAN
        for number in (2, 3):
            assert f"key {number} of its chain" in command("key", "rotate")
            assert eventually(lambda number=number: len(offer(collector).chain) == number, 5)  # type: ignore[misc]
            assert accept(often, offer(collector)) == PLAN
        last = offer(collector)
        assert accept(late, last) == PLAN  # two at once
        with pytest.raises(UntrustedPlan):
            accept(often, first)
        send(collector, range(5))
    with over(where) as collector:  # and it is so after a restart
        assert asdict(offer(collector)) == asdict(last)
        assert send(collector, range(6)).repeated == 5


def test_a_successor_that_is_kept_elsewhere_is_needed_to_rotate(where: Any, command: Any, tmp_path: Path) -> None:
    away, other = tmp_path / "away.key", tmp_path / "other.key"
    other.write_text("ab" * 32)
    with over(where) as collector:
        assert "kept elsewhere" in command("key", "successor", str(away))
        assert oct(away.stat().st_mode)[-3:] == "600"
        assert "moved into a file before" in command("key", "successor", str(tmp_path / "b"), code=2)
        assert "kept elsewhere" in command("key", "rotate", code=2)
        assert "not the successor" in command("key", "rotate", str(other), code=2)
        trust = Trust(tmp_path / "trust.json")
        accept(trust, offer(collector))
        assert "key 2 of its chain" in command("key", "rotate", str(away))
        assert eventually(lambda: len(offer(collector).chain) == 2, 5)
        accept(trust, offer(collector))
    assert away.exists()


def test_tokens_of_two_secrets_are_good_at_a_time(where: Any, command: Any) -> None:
    with over(where) as collector:
        signed, key = collector.signed, collector.storage.secrets.index_key
        made = [command("token", "device", name(1))]
        for _ in range(2):
            command("key", "tokens")
            made.append(command("token", "device", name(1)))
        assert len(set(made)) == 3
        assert eventually(lambda: sent(collector, made[2], [1]) == 200, 5)
        assert [sent(collector, each, [1]) for each in made] == [401, 200, 200]
        command("key", "retire")
        assert eventually(lambda: sent(collector, made[1], [1]) == 401, 5)
        assert sent(collector, made[2], [1]) == 200
        assert collector.signed == signed
        assert collector.storage.secrets.index_key == key


def test_a_gateway_and_a_device_are_revoked_and_others_go_on(where: Any, command: Any) -> None:
    with over(where) as collector:
        shared, north = command("token", "gateway"), command("tokens", "add", "north", "--role", "gateway")
        device, other = command("token", "device", name(7)), command("token", "device", name(8))
        assert eventually(lambda: sent(collector, north, range(3)) == 200, 5)
        assert sent(collector, shared, range(3)) == 200
        assert "north (gateway)" in command("tokens", "list")
        command("tokens", "revoke", "gateway")  # one that has leaked
        assert eventually(lambda: sent(collector, shared, range(3)) != 200, 2)
        assert sent(collector, north, range(4)) == 200
        assert "was revoked" in command("token", "gateway", code=2)
        assert sent(collector, device, [7]) == 200
        command("tokens", "revoke", "--device", name(7))
        assert eventually(lambda: sent(collector, device, [7]) == 401, 2)
        assert sent(collector, other, [8]) == 200
        assert "1 users may not report" in command("tokens", "list")
        assert "may not report" in command("token", "device", name(7), code=2)
        command("tokens", "add", "--device", name(7))
        assert eventually(lambda: sent(collector, device, [7]) == 200, 2)
        command("tokens", "revoke", "north")
        assert eventually(lambda: sent(collector, north, range(4)) != 200, 2)
        assert asyncio.run(ask(App(collector), "POST", "/flush", authorization=f"Bearer {north}"))[0] == 401
        assert "has no token" in command("tokens", "revoke", "north", code=2)


def test_tokens_end_by_themselves() -> None:
    tokens, access = Tokens(bytes(32)), Access().added("south", "relay", "ab" * 32, 100)
    assert access.holds("relay", "ab" * 32, tokens, 99.0)
    assert not access.holds("relay", "ab" * 32, tokens, 100.0)
    assert not access.holds("gateway", "ab" * 32, tokens, 99.0)
    with pytest.raises(StoreError, match="no role"):
        access.added("gateway", "relay", "cd" * 32)


def test_an_analysts_token_ends_by_itself(where: Any, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with over(where) as collector:
        ada = command("tokens", "add", "ada", "--days", "2")
        assert "ada, until 20" in command("tokens", "list")
        assert eventually(lambda: collector.analysts.now.who(ada, collector.tokens) == "ada", 5)
        monkeypatch.setattr("untold.serve.analysts.time", lambda: 1e11)
        assert collector.analysts.now.who(ada, collector.tokens) is None


def test_keys_move_to_a_new_place_and_to_no_other(
    where: Any, command: Any, tmp_path: Path, ledger_of: LedgerOf
) -> None:
    keys, old = tmp_path / "keys", tmp_path / "old"
    with collector_over(PLAN, old, limits=ROOMY) as collector:
        trust = Trust(tmp_path / "trust.json", key=collector.signed.key)
        accept(trust, offer(collector))
        token = collector.tokens.device("text", name(1))
    assert cli.main(["serve", "key", "export", str(keys), "--data", str(old)]) == 0
    assert cli.main(["serve", "key", "export", str(keys), "--data", str(old)]) == 2  # never over another file
    if where[1] is not None:
        with over(where):
            pass
    command("key", "import", str(keys))
    with over(where) as collector:
        accept(trust, offer(collector))
        assert sent(collector, token, [1]) == 200
    assert "somebody was given a plan" in command("key", "import", str(keys), code=2)


def test_secrets_of_today_get_a_successor_and_keep_their_tokens(tmp_path: Path) -> None:
    with collector_over(PLAN, tmp_path, limits=ROOMY) as collector:
        home, now = collector.storage.home, collector.storage.secrets  # type: ignore[attr-defined]
    from untold.store.sealed import sealed

    early = sealed(json.dumps({"signing": now.signing.hex(), "secret": now.secret.hex()}))
    (home / "secrets.json").write_text(early)
    with collector_over(PLAN, tmp_path, limits=ROOMY) as collector:
        after = collector.storage.secrets
        assert (after.signing, after.secret, len(after.chain)) == (now.signing, now.secret, 1)
        assert collector.tokens.role("gateway") == Tokens(now.secret).role("gateway")
    assert Secrets.load(home) == after
