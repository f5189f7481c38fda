"""The client of a mixed plan: what it refuses, and the whole way over HTTP with processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest
from benchmarks.collector.server import ROOT, Server, free_port

import untold
from helpers.trusted import accept
from mixing.parties import key_of, mixed_plan
from untold.device.trust import Offer, Trust
from untold.errors import UntrustedPlan
from untold.serve.settings import Secrets
from untold.store.logs import HOME
from untold.wire.sealing import Opener
from untold.wire.signing import SignedPlan
from vectors.mixed import mixed_vectors

KEY = Opener(b"k" * 32).key
ROWS = {"people": {"age": 3}, "orders": [{"kind": "a"}]}


def offer(plan):
    return Offer(SignedPlan.sign(plan.to_json(), b"s" * 32))


def unmixed():
    declared = json.loads(mixed_plan(5, KEY).to_json())["declared"]
    return untold.Plan.from_dict({name: value for name, value in declared.items() if name != "mix"})


def test_a_weaker_promise_is_refused(tmp_path):
    trust = Trust(tmp_path / "trust.json", mixed=True)
    accept(trust, offer(mixed_plan(50, KEY)))
    accept(trust, offer(mixed_plan(60, KEY)))
    for weaker, why in ((mixed_plan(49, KEY), "50 were promised"), (unmixed(), "as was promised")):
        with pytest.raises(UntrustedPlan, match=why):
            accept(trust, offer(weaker))
        with pytest.raises(UntrustedPlan, match=why):
            accept(Trust(tmp_path / "trust.json"), offer(weaker))  # a client for plans of any kind remembers, too
    with pytest.raises(UntrustedPlan, match="names no key"):
        accept(trust, offer(mixed_plan(50, None)))


def test_a_first_plan_is_held_to_what_the_app_asks(tmp_path):
    with pytest.raises(UntrustedPlan, match="100 were promised"):
        accept(Trust(tmp_path / "a.json", people=100), offer(mixed_plan(50, KEY)))
    with pytest.raises(UntrustedPlan, match="does not have its reports mixed"):
        accept(Trust(tmp_path / "b.json", mixed=True), offer(unmixed()))
    assert accept(Trust(tmp_path / "c.json"), offer(unmixed())).schema.mix is None


def started(folder, plan_file, to, token):
    """A relay in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "untold.cli", "relay", str(plan_file), "--data", str(folder), "--to", to]
    environment = {**os.environ, "UNTOLD_RELAY_TOKEN": token}
    return subprocess.Popen([*command, "--port", str(port)], cwd=ROOT, env=environment, stderr=subprocess.PIPE), port


def until(done, patience=60.0):
    end = time.monotonic() + patience
    while not done():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_the_whole_way_over_http(tmp_path):
    collected, relayed = tmp_path / "reports", tmp_path / "relay"
    plan = mixed_plan(5, key_of(collected))
    server = Server(collected, plan=plan)
    server.start()
    url = f"http://127.0.0.1:{server.port}"
    token = Secrets.load(collected / HOME).tokens.role("relay")
    relay, port = started(relayed, server.plan_file, url, token)
    try:
        until(lambda: (relayed / HOME / "secrets.json").exists())
        tokens = Secrets.load(relayed / HOME).tokens
        clients = [
            untold.MixedClient(
                url, f"http://127.0.0.1:{port}", f"u-{i}", tokens.device("text", f"u-{i}"), tmp_path / f"d{i}"
            )
            for i in range(6)
        ]
        until(lambda: clients[0].send().wait == 0 and _answers(clients[0]))
        assert clients[0].open_epochs() == (0,)
        bodies = []
        for client in clients:
            for _ in range(2):
                assert client.report(ROWS, epoch=0)
            assert client.waiting == 1  # the same epoch again is the same bytes
            bodies.append(client._queue.waiting()[0].read_bytes())
            assert client.send().counted == 1
        assert len(set(map(len, bodies))) == 1
        clients[0].report(ROWS, epoch=0)
        assert clients[0].send().repeated == 1
        with pytest.raises(UntrustedPlan, match="mixed by a relay"):
            untold.HttpClient(url, "u-1", "00" * 32, tmp_path / "h").report("people", {"age": 3})
        assert server.request("POST", "/reports", b"x", Authorization="Bearer " + "0" * 64)[0] == 400
        done = subprocess.run(
            [sys.executable, "-m", "untold.cli", "serve", "epoch", "close", "0", "--data", str(relayed)],
            cwd=ROOT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert "closed: 0" in done.stdout
        until(lambda: (relayed / HOME / "batches" / "0.taken").exists())
        until(lambda: (collected / HOME / "batches" / "0.done").exists())
        late = untold.MixedClient(
            url, f"http://127.0.0.1:{port}", "u-9", tokens.device("text", "u-9"), tmp_path / "late"
        )
        late.report(ROWS, epoch=0)
        assert late.send().refused == {"epoch-closed": 1}
        people = untold.connect(collected).sql("SELECT COUNT(*) AS n FROM people").df()
        assert people["n"][0] == pytest.approx(6)
    finally:
        relay.terminate()
        relay.wait(30)
        relay.stderr.close()
        server.stop()


def _answers(client):
    try:
        return client.open_epochs() == (0,)
    except untold.CollectorError:
        return False


def test_a_dead_relay_loses_nothing(tmp_path):
    """The plan is known from before; the bundle is sealed, paid for and waits."""
    client = untold.MixedClient("http://127.0.0.1:1", "http://127.0.0.1:1", "u-1", "0" * 64, tmp_path)
    accept(client._trust, offer(mixed_plan(5, KEY)))
    assert client.report(ROWS, epoch=0)
    sent = client.send()
    assert (sent.counted, sent.waiting) == (0, 1)
    assert sent.wait > 0


class Elsewhere(BaseHTTPRequestHandler):
    """Whoever answers in a relay's place."""

    answer: ClassVar[tuple[int, bytes]]
    bodies: ClassVar[list[bytes]]

    def do_POST(self):
        self.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        status, text = self.answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format, *args):
        """Be quiet."""


def test_a_captive_portal_a_wrong_token_and_an_error_lose_nothing(tmp_path):
    Elsewhere.bodies, given = [], offer(mixed_plan(5, KEY))
    answers = (
        (200, b"<html>Please log in</html>"),
        (200, b"{}"),
        (302, b""),
        (404, b"no"),
        (403, b'{"error": "bad-token", "message": "no"}'),
        (500, b""),
        (503, b'{"error": "busy", "message": "later"}'),
    )
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        relay = f"http://127.0.0.1:{server.server_port}"

        def sent(answer):
            """A client of its own, as after a restart, which does not wait for the last failure to be long ago."""
            Elsewhere.answer = answer
            (tmp_path / "patience.json").unlink(missing_ok=True)
            client = untold.MixedClient("http://127.0.0.1:1", relay, "u-1", "0" * 64, tmp_path)
            accept(client._trust, given)
            assert client.report(ROWS, epoch=0)
            return client.send()

        for answer in answers:
            found = sent(answer)
            assert (found.counted, found.waiting) == (0, 1), answer
        assert sent((200, b'{"counted": 1, "repeated": 0, "refused": []}')).counted == 1
        server.shutdown()
    assert len(Elsewhere.bodies) == len(answers) + 1
    assert len(set(Elsewhere.bodies)) == 1


@pytest.mark.parametrize("vector", mixed_vectors(), ids=lambda vector: vector["name"])
def test_promises_as_javascript_holds_them(vector, tmp_path):
    trust = Trust(tmp_path / "trust.json", people=vector["people"], mixed=True)
    if vector["before"] is not None:
        accept(trust, Offer.read(json.dumps(vector["before"]).encode()))
    now = Offer.read(json.dumps(vector["offer"]).encode())
    if vector["refused"] is None:
        assert accept(trust, now).schema.mix is not None
    else:
        with pytest.raises(UntrustedPlan):
            accept(trust, now)


def test_people_who_share_a_folder_have_bundles_of_their_own(tmp_path):
    for user in ("u-1", "u-2"):
        address = "http://127.0.0.1:1"
        client = untold.MixedClient(address, address, user, "0" * 64, tmp_path, several_people=True)
        accept(client._trust, offer(mixed_plan(5, KEY)))
        assert client.report(ROWS, epoch=0)
    bodies = [path.read_bytes() for path in client._queue.waiting()]
    assert [b"u-1" in body for body in bodies] == [True, False]
    assert [b"u-2" in body for body in bodies] == [False, True]


def test_what_was_spent_elsewhere_counts(tmp_path):
    client = untold.MixedClient(
        "http://127.0.0.1:1", "http://127.0.0.1:1", "u-1", "0" * 64, tmp_path, lifetime=8.0, spent_before=4.5
    )
    accept(client._trust, offer(mixed_plan(5, KEY)))
    with pytest.raises(untold.BudgetExceeded):
        client.report(ROWS, epoch=0)


def test_a_bundle_is_paid_for_in_one_step(tmp_path):
    """What is left of the lifetime is enough for some of the services: none of them is paid for."""
    plan = mixed_plan(5, KEY)
    costs = [plan.schema.budget.service_nano(service) for service in plan.services]
    before = 8.0 - max(costs) / 1e9
    client = untold.MixedClient(
        "http://127.0.0.1:1", "http://127.0.0.1:1", "u-1", "0" * 64, tmp_path, lifetime=8.0, spent_before=before
    )
    accept(client._trust, offer(plan))
    assert len(costs) > 1
    with pytest.raises(untold.BudgetExceeded):
        client.report(ROWS, epoch=0)
    assert client.spent == before


def test_a_group_that_is_no_text_is_refused_before_anything_is_drawn(tmp_path):
    people = {"attributes": {"age": {"kind": "ordinal", "low": 1, "high": 8}, "os": {"kind": "public"}}}
    plan = mixed_plan(5, KEY, mix={"by": ["os"]}, services={"people": people})
    client = untold.MixedClient("http://127.0.0.1:1", "http://127.0.0.1:1", "u-1", "0" * 64, tmp_path)
    accept(client._trust, offer(plan))
    for wrong in (7, "x" * 1001):
        with pytest.raises(untold.UntoldError, match="text"):
            client.report({"people": {"age": 3, "os": wrong}}, epoch=0)
    assert client.report({"people": {"age": 3, "os": "ios"}}, epoch=0)


def test_a_refusal_of_rows_ends_its_lines(tmp_path):
    """It was written with a backslash and an n."""
    client = untold.MixedClient("http://127.0.0.1:1", "http://127.0.0.1:1", "u-1", "0" * 64, tmp_path)
    accept(client._trust, offer(mixed_plan(5, KEY)))
    with pytest.raises(untold.BadRecord) as refusal:
        client.report({"orders": [], "dropped": []}, epoch=0)
    assert str(refusal.value).splitlines() == [
        "a bundle has rows of every service (people, orders); missing: people.",
        "Hint: they have exactly one row per person.",
    ]
    assert (client.spent, client.waiting, client.damaged) == (0.0, 0, 0)
