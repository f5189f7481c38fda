"""The client over HTTP: whom it trusts, what it keeps, when it tries again; against a real collector and hostile ones."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from benchmarks.collector.server import DECLARED, PLAN, Server

import untold
from helpers.inside import stored
from untold.device.memory import FileMemory
from untold.device.patience import LONGEST, Patience
from untold.device.queue import Queue
from untold.device.transport import Transport
from untold.device.trust import Offer, Trust
from untold.errors import BudgetExceeded, CollectorError, UntrustedPlan
from untold.plan import Plan
from untold.randomness import Secure, Seeded
from untold.store import files
from untold.wire.signing import SignedPlan

SEED, OTHER_SEED = bytes(range(32)), bytes(range(1, 33))
SIGNED = SignedPlan.sign(PLAN.to_json(), SEED)
SHORT = SignedPlan.sign(Plan.from_dict({**DECLARED, "lifetime": 2.0}).to_json(), SEED)  # for one epoch
LONG = SignedPlan.sign(Plan.from_dict({**DECLARED, "lifetime": 20.0}).to_json(), SEED)  # for several epochs
ROW = {"age": 31, "income": 52}
COUNTED = b'{"counted":1,"repeated":0,"refused":[]}'


def offer(signed: SignedPlan = SIGNED, **about: Any) -> bytes:
    collector = {"user_key": "text", "public": {}, "open": [0], **about}
    said = {"plan": signed.text, "key": signed.key, "signature": signed.signature, "collector": collector}
    return json.dumps(said).encode()


class Fake:
    """A collector that says what a test wants, and notes what it was sent."""

    def __init__(self) -> None:
        self.plan = offer()
        self.answers: list[tuple[int, bytes, dict[str, str]]] = []
        self.bodies: list[bytes] = []
        self.tokens: list[str | None] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.reply(200, fake.plan, {})

            def do_POST(self) -> None:
                fake.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                fake.tokens.append(self.headers["Authorization"])
                self.reply(*(fake.answers.pop(0) if fake.answers else (200, COUNTED, {})))

            def reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    @contextmanager
    def away(self) -> Iterator[None]:
        """Nobody listens at this address meanwhile."""
        url, self.url = self.url, "http://127.0.0.1:9"
        yield
        self.url = url


@pytest.fixture
def fake() -> Iterator[Fake]:
    made = Fake()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join(10)


def client(fake: Fake, folder: Path, **options: Any) -> untold.HttpClient:
    return untold.HttpClient(fake.url, "u-1", "t" * 64, folder, timeout=60, **options)


def changed(text: str) -> SignedPlan:
    """A plan that was changed after signing."""
    return SignedPlan(text, SIGNED.key, SIGNED.signature)


GREEDY = SignedPlan.sign(Plan.from_dict({**DECLARED, "epsilon": 9.0}).to_json(), SEED)
UNDERSTATED = SignedPlan.sign(  # says epsilon 1, draws with the integers of epsilon 2
    PLAN.to_json().replace('"epsilon":2.0', '"epsilon":1.0'), SEED
)
HOSTILE = {
    "an epsilon above the ceiling": (offer(GREEDY), BudgetExceeded, "asks for epsilon 9"),
    "more epsilon after signing": (
        offer(changed(PLAN.to_json().replace('"epsilon":2.0', '"epsilon":9.0'))),
        UntrustedPlan,
        "changed after signing",
    ),
    "one letter changed after signing": (
        offer(changed(PLAN.to_json().replace("people", "peopla"))),
        UntrustedPlan,
        "changed",
    ),
    "another key": (offer(SignedPlan.sign(PLAN.to_json(), OTHER_SEED)), UntrustedPlan, "this device trusts"),
    "another key that claims to be the trusted one": (
        offer(SignedPlan(PLAN.to_json(), SIGNED.key, SignedPlan.sign(PLAN.to_json(), OTHER_SEED).signature)),
        UntrustedPlan,
        "does not fit",
    ),
    "no signature": (offer(SignedPlan(PLAN.to_json(), SIGNED.key, "")), UntrustedPlan, "does not fit"),
    "a signature that is no hex": (offer(SignedPlan(PLAN.to_json(), SIGNED.key, "zz")), UntrustedPlan, "does not fit"),
    "oracles that cost more than it says": (offer(UNDERSTATED), UntrustedPlan, "cannot be read as a plan"),
    "a signed text that is no plan": (offer(SignedPlan.sign("[]", SEED)), UntrustedPlan, "cannot be read as a plan"),
    "a signed text that is no JSON": (offer(SignedPlan.sign("plan", SEED)), UntrustedPlan, "cannot be read as a plan"),
    "an answer that is no JSON": (b"<html>", UntrustedPlan, "not a signed plan"),
    "an answer without a plan": (b"{}", UntrustedPlan, "not a signed plan"),
    "a plan that is no text": (b'{"plan": 1, "key": "", "signature": ""}', UntrustedPlan, "not a signed plan"),
}


@pytest.mark.parametrize("first", ["given", "remembered"])
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_plan_is_refused_and_nothing_is_reported(what: str, first: str, fake: Fake, tmp_path: Path) -> None:
    """With a key and ceiling that the app gives, and with those that the first plan left behind."""
    options: dict[str, Any] = {"key": SIGNED.key, "ceiling": 2.0} if first == "given" else {}
    if first == "remembered":
        assert client(fake, tmp_path).plan == PLAN
    fake.plan, error, words = HOSTILE[what]
    hostile = client(fake, tmp_path, **options)
    with pytest.raises(error, match=words):
        hostile.report("people", ROW)
    assert (hostile.waiting, fake.bodies) == (0, [])
    if first == "remembered":  # and the plan that it followed stays
        with fake.away():
            assert client(fake, tmp_path).plan == PLAN


def test_the_understated_plan_really_understates() -> None:
    assert json.loads(UNDERSTATED.text)["declared"]["epsilon"] == 1.0
    assert json.loads(UNDERSTATED.text)["designs"] == json.loads(PLAN.to_json())["designs"]


def test_another_plan_than_the_one_given_is_refused(fake: Fake, tmp_path: Path) -> None:
    with pytest.raises(UntrustedPlan, match="this device was given"):
        client(fake, tmp_path, plan_id="0" * 64).refresh()
    assert client(fake, tmp_path, plan_id=PLAN.id).plan == PLAN


def test_a_cheaper_plan_of_the_same_key_is_followed(fake: Fake, tmp_path: Path) -> None:
    assert client(fake, tmp_path).plan == PLAN
    cheaper = Plan.from_dict({**DECLARED, "epsilon": 1.0})
    fake.plan = offer(SignedPlan.sign(cheaper.to_json(), SEED))
    assert client(fake, tmp_path).plan == cheaper
    fake.plan = offer()  # the ceiling is still that of the first plan
    assert client(fake, tmp_path).plan == PLAN


def test_retries_send_the_very_same_bytes(fake: Fake, tmp_path: Path) -> None:
    fake.answers = [
        (503, b'{"error":"busy"}', {"Retry-After": "0"}),
        (500, b"<html>", {}),
        (200, b"not JSON", {}),
        (200, COUNTED, {}),
    ]
    device = client(fake, tmp_path)
    device.report("people", ROW)
    waits = []
    for _ in range(4):
        sent = client(fake, tmp_path).send()  # another process each time
        waits.append(sent.wait)
        assert client(fake, tmp_path).send().counted == 0 or not sent.wait  # too early: nothing is sent
        files.remove(tmp_path / "patience.json") if sent.wait == 0 else forget_time(tmp_path)
    assert len(fake.bodies) == 4
    assert len(set(fake.bodies)) == 1
    assert (sent.counted, sent.waiting) == (1, 0)
    assert set(fake.tokens) == {"Bearer " + "t" * 64}
    assert 0.5 <= waits[0] <= 1 <= waits[1] <= 2 <= waits[2] <= 4
    assert waits[3] == 0


def forget_time(folder: Path) -> None:
    """As if the pause were over."""
    found = json.loads((folder / "patience.json").read_text())
    (folder / "patience.json").write_text(json.dumps({**found, "until": 0}))


def test_the_same_epoch_again_is_not_queued_twice_and_costs_nothing(fake: Fake, tmp_path: Path) -> None:
    device = client(fake, tmp_path)
    device.report("people", ROW)
    device.report("people", ROW)
    assert (device.waiting, device.spent) == (1, 2.0)
    assert device.send().counted == 1
    client(fake, tmp_path).report("people", ROW)
    client(fake, tmp_path).send()
    assert len(fake.bodies) == 2
    assert fake.bodies[0] == fake.bodies[1]
    device.report("people", {**ROW, "age": 32})  # whatever the values are by now
    device.send()
    assert fake.bodies[2] == fake.bodies[0]
    assert device.spent == 2.0


def test_what_was_spent_elsewhere_counts(fake: Fake, tmp_path: Path) -> None:
    """A second device, or a memory that was lost: what the app says was spent before is gone, from the first plan on."""
    fake.plan = offer(LONG)
    device = client(fake, tmp_path, spent_before=19.0)
    with pytest.raises(untold.BudgetExceeded, match="1 of the lifetime budget of 20 remains"):
        device.report("people", ROW)
    assert (device.spent, device.waiting) == (19.0, 0)
    with pytest.raises(untold.BudgetExceeded, match="1 of the lifetime budget of 20 remains"):
        client(fake, tmp_path).report("people", ROW)  # it is remembered


def test_two_collectors_on_one_device_can_share_one_ledger(fake: Fake, tmp_path: Path) -> None:
    """Each has its folder and its key. Without a common memory each spends a whole lifetime; with one, all together do."""
    fake.plan = offer(LONG)
    ledger = str(tmp_path / "ledger.json")
    devices = [client(fake, tmp_path / name, memory=ledger) for name in ("one", "two")]
    for epoch, device in enumerate(devices):
        assert device.report("people", ROW, epoch)
    assert [device.spent for device in devices] == [4.0, 4.0]
    assert not (tmp_path / "one" / "memory.json").exists()
    apart = [client(fake, tmp_path / f"{name}-apart") for name in ("one", "two")]
    for device in apart:
        device.report("people", ROW, 0)
    assert [device.spent for device in apart] == [2.0, 2.0]


def test_what_was_drawn_with_a_seed_is_not_sent(fake: Fake, tmp_path: Path) -> None:
    """An experiment that shares the memory file of an app: its report must not be sent as a secure one."""
    untold.Client(PLAN, "u-1", tmp_path / "memory.json", rng=Seeded(1)).report("people", ROW)
    device = client(fake, tmp_path)
    with pytest.raises(untold.BadRecord, match="drawn with a seed"):
        device.report("people", ROW)
    device.send()
    assert (device.waiting, fake.bodies) == (0, [])


def test_a_panel_and_a_report_for_ever(fake: Fake, tmp_path: Path) -> None:
    people = DECLARED["services"]["people"]
    services = {"people": people, "home": {**people, "repeat": "once"}}
    panel = {"epochs": 10, "report": 2}
    plan = Plan.from_dict({**DECLARED, "services": services, "lifetime": 3.0, "panel": panel})
    fake.plan = offer(SignedPlan.sign(plan.to_json(), SEED))
    told = []
    for epoch in range(10):
        device = client(fake, tmp_path)
        told.append(device.report("people", ROW, epoch))
        assert device.report("home", ROW, epoch)
        assert client(fake, tmp_path).send().counted == 1 + told[-1]
    assert told.count(True) == 2
    assert device.spent == 3.0
    epochs = [(body[6], int.from_bytes(body[8:12], "little")) for body in fake.bodies]  # service, epoch
    assert [each for each in epochs if each[0] == 0] == [(0, epoch) for epoch in range(10) if told[epoch]]
    assert {each for each in epochs if each[0] == 1} == {(1, 0)}
    assert len({body for body in fake.bodies if body[6] == 1}) == 1


def test_offline_for_days(fake: Fake, tmp_path: Path) -> None:
    fake.plan = offer(LONG)
    client(fake, tmp_path).refresh()
    with fake.away():
        for epoch in range(5):
            device = client(fake, tmp_path)
            device.report("people", ROW, epoch)
            sent = device.send()
            assert (sent.waiting, sent.counted) == (epoch + 1, 0)
            assert sent.wait > 0
            forget_time(tmp_path)
    assert device.spent == 10.0  # every epoch is a draw of its own
    sent = client(fake, tmp_path).send()
    assert (sent.counted, sent.waiting) == (5, 0)
    assert [body[8] for body in fake.bodies] == [0, 1, 2, 3, 4]  # the oldest first


def test_without_a_plan_and_without_a_network_nothing_happens(tmp_path: Path) -> None:
    lonely = untold.HttpClient("http://127.0.0.1:9", "u", "t", tmp_path)
    with pytest.raises(CollectorError, match="does not answer"):
        lonely.report("people", ROW)
    assert lonely.send().waiting == 0
    with pytest.raises(CollectorError, match="not the address of a collector"):
        untold.HttpClient("ftp://example.org", "u", "t", tmp_path)


@pytest.mark.parametrize(
    ("status", "code", "kept"),
    [
        (409, "conflict", False),
        (410, "epoch-closed", False),
        (422, "bad-message", False),
        (422, "epoch-not-open", True),
    ],
)
def test_what_is_refused_is_forgotten_or_kept(status: int, code: str, kept: bool, fake: Fake, tmp_path: Path) -> None:
    answer = json.dumps({"counted": 0, "repeated": 0, "refused": [[0, code]]}).encode()
    fake.answers = [(status, answer, {}), (401, b'{"error":"bad-token","message":""}', {})]
    device = client(fake, tmp_path)
    device.report("people", ROW)
    sent = device.send()
    assert sent.waiting == kept
    assert sent.refused == ({} if kept else {code: 1})


def test_a_wrong_token_keeps_the_report(fake: Fake, tmp_path: Path) -> None:
    fake.answers = [(401, b'{"error":"bad-token","message":""}', {})]
    device = client(fake, tmp_path)
    device.report("people", ROW)
    assert device.send().waiting == 1


def test_retry_after_is_heeded_and_a_clock_that_jumps_is_not(tmp_path: Path) -> None:
    patience = Patience(tmp_path / "p.json")
    assert patience.failed(120, Secure()) == 120
    assert 119 < patience.wait() <= 120
    (tmp_path / "p.json").write_text('{"attempts": 3, "until": 1e18}')
    assert patience.wait() == LONGEST
    (tmp_path / "p.json").write_text("{")
    assert patience.wait() == 0
    pauses = [patience.failed(0, Seeded(i)) for i in range(14)]
    assert all(min(2.0**i, 3600) / 2 <= pause <= min(2.0**i, 3600) for i, pause in enumerate(pauses))
    assert len({round(pause / min(2.0**i, 3600), 6) for i, pause in enumerate(pauses)}) == 14  # jitter


def test_the_queue_is_bounded_private_and_in_order(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "q", most=2)
    queue.put(b"one")
    queue.check_room()
    queue.put(b"two")
    with pytest.raises(CollectorError, match="2 reports wait"):
        queue.check_room()
    paths = queue.waiting()
    assert [queue.read(path) for path in paths] == [b"one", b"two"]
    assert oct(paths[0].stat().st_mode)[-3:] == "600"


def test_a_damaged_report_is_kept_aside_told_and_made_again_at_no_cost(fake: Fake, tmp_path: Path) -> None:
    fake.plan = offer(LONG)
    device = client(fake, tmp_path)
    device.report("people", ROW, 0)
    device.report("people", ROW, 1)
    damaged = sorted((tmp_path / "queue").iterdir())[0]
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:40] + b"?" + whole[41:])
    sent = device.send()
    assert (sent.counted, sent.damaged, sent.waiting) == (1, 1, 0)
    assert [body[8] for body in fake.bodies] == [1]  # the other one
    assert damaged.with_suffix(".damaged").read_bytes()[40:41] == b"?"  # nothing that was paid for is thrown away
    later = client(fake, tmp_path)
    assert (later.send().damaged, later.damaged) == (1, 1)  # and it is told until something is done
    later.report("people", ROW, 0)
    assert later.spent == 4.0
    sent = later.send()
    assert (sent.counted, sent.damaged, sent.waiting) == (1, 0, 0)
    assert fake.bodies[-1] == whole[:-32]
    assert list((tmp_path / "queue").iterdir()) == []


@pytest.mark.parametrize("what", ["a full queue", "a public value"])
def test_what_cannot_be_queued_costs_nothing(what: str, fake: Fake, tmp_path: Path) -> None:
    attributes = {**DECLARED["services"]["people"]["attributes"], "os": {"kind": "public"}}
    plan = Plan.from_dict({**DECLARED, "services": {"people": {"attributes": attributes}}})
    fake.plan = offer(SignedPlan.sign(plan.to_json(), SEED), public={"people": {"os": "text"}})
    device = client(fake, tmp_path)
    row = {**ROW, "os": "ios"}
    if what == "a full queue":
        device._queue = Queue(tmp_path / "queue", most=0)
        complaint = "0 reports wait to be sent.*nothing was spent"
    else:
        row, complaint = {**ROW, "os": "x" * 1001}, "'os' takes text of up to 1000 bytes"
    with pytest.raises(untold.UntoldError, match=complaint):
        device.report("people", row)
    assert (device.spent, device.waiting) == (0.0, 0)
    assert '"reports": {}' in (tmp_path / "memory.json").read_text()  # so that other values can still be reported


@pytest.mark.parametrize("damaged", [False, True])
def test_two_processes_may_send_the_same_queue(
    damaged: bool, fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one sends everything, or finds that it cannot, while this one waits for its first answer."""
    fake.plan = offer(LONG, open=[0, 1, 2])
    one, other = client(fake, tmp_path), client(fake, tmp_path)
    for epoch in range(3):
        one.report("people", ROW, epoch)
    if damaged:
        last = sorted((tmp_path / "queue").iterdir())[-1]
        last.write_bytes(last.read_bytes()[:-1])
    ask, sent = Transport.ask, []

    def meanwhile(self: Transport, *given: Any, **options: Any) -> Any:
        monkeypatch.setattr(Transport, "ask", ask)
        sent.append(other.send())
        return ask(self, *given, **options)

    monkeypatch.setattr(Transport, "ask", meanwhile)
    sent.append(one.send())
    assert [each.counted for each in sent] == [2 if damaged else 3, 1]
    assert all((each.waiting, each.wait, each.damaged) == (0, 0, int(damaged)) for each in sent)


def test_a_file_that_another_process_set_aside_first_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, rename = Queue(tmp_path), files.rename
    queue.put(b"body")
    (path,) = queue.waiting()
    path.write_bytes(b"changed")

    def second(old: Path, new: Path) -> None:
        rename(old, new)
        rename(old, new)  # as the process that comes second

    monkeypatch.setattr(files, "rename", second)
    assert queue.read(path) is None
    assert (queue.damaged, len(queue)) == (1, 0)
    assert Patience(tmp_path / "patience.json").failed(0, Secure()) > 0
    assert Patience(tmp_path / "patience.json").wait() > 0


def test_a_damaged_trust_is_not_trusted_anew(fake: Fake, tmp_path: Path) -> None:
    client(fake, tmp_path).refresh()
    path = tmp_path / "trust.json"
    path.write_text(path.read_text().replace(SIGNED.key, SignedPlan.sign("x", OTHER_SEED).key))
    with pytest.raises(untold.StoreError, match="is damaged"):
        client(fake, tmp_path).refresh()
    assert Trust(tmp_path / "none.json").last() is None
    assert Offer.read(offer(open=[3, 4])).open == (3, 4)


def test_a_real_collector_counts_each_person_once(tmp_path: Path) -> None:
    server = Server(tmp_path / "r")
    server.start()
    try:
        devices = [
            untold.HttpClient(
                f"http://127.0.0.1:{server.port}", f"u-{i}", server.tokens.device("text", f"u-{i}"), tmp_path / f"d{i}"
            )
            for i in range(5)
        ]
        for device in devices:
            device.report("people", ROW)
            assert device.send().counted == 1
            device.report("people", ROW)
            assert device.send().repeated == 1
        thief = untold.HttpClient(
            f"http://127.0.0.1:{server.port}", "u-9", server.tokens.device("text", "u-1"), tmp_path / "thief"
        )
        thief.report("people", ROW)
        assert thief.send().waiting == 1
    finally:
        code = server.stop()
    assert code == 0
    table = stored(tmp_path / "r")
    assert sorted(table["uid"].to_pylist()) == [f"u-{i}" for i in range(5)]
    assert pc.count_distinct(table["uid"]).as_py() == 5


class Crashing(FileMemory):
    """The device dies before the first word of its ledger is written."""

    def write(self, text: str) -> None:
        raise KeyboardInterrupt


def test_a_plan_is_not_remembered_before_its_lifetime_binds(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device that died in between would know the plan as accepted, and let a later one promise less."""
    fake.plan = offer(SHORT)
    with pytest.raises(KeyboardInterrupt):
        client(fake, tmp_path, memory=Crashing(tmp_path / "memory.json")).refresh()
    assert not (tmp_path / "trust.json").exists()
    with monkeypatch.context() as dying:
        dying.setattr(Trust, "keep", lambda *_: Crashing("").write(""))
        with pytest.raises(KeyboardInterrupt):
            client(fake, tmp_path).refresh()
    fake.plan = offer(LONG)
    later = client(fake, tmp_path)
    assert later.report("people", ROW, epoch=0)
    with pytest.raises(untold.BudgetExceeded, match="lifetime budget of 2 "):
        later.report("people", ROW, epoch=1)
