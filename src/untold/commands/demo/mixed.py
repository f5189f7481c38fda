"""The tour with a relay: sealed bundles of many devices, mixed by another party, and a join that has an answer."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path

import pyarrow as pa

from untold.answers.numbers import interval_text, number_text
from untold.ask.connection import connect
from untold.collect.perturb import perturb
from untold.commands.demo.compare import true_answer
from untold.commands.demo.devices import Crowd, Person, persons
from untold.commands.demo.live import Told, free, request, running
from untold.commands.demo.people import people
from untold.commands.demo.speech import Speaker
from untold.commands.demo.tour import make_room
from untold.device.client import Client
from untold.device.http import bundle_body
from untold.errors import UntoldError
from untold.exact import at_most_text
from untold.plan import Plan
from untold.plan.in_words.mixing import odds_in_words
from untold.wire.bundle import Bundles
from untold.wire.contract import BINARY_TYPE

LOCAL, TODAY = 4.0, 1.0  # epsilon with a relay, and without one
PATIENCE = 600.0  # seconds until a batch is counted
WHOLE = 99.0  # the truth has no error: all of its whole digits are shown
JOIN = "SELECT COUNT(*) AS n FROM transactions JOIN users USING (uid) WHERE"
QUESTIONS = (
    ("How many people are under 40?", "SELECT COUNT(*) AS n FROM users WHERE age < 40"),
    ("Across two services: purchases of food in California", f"{JOIN} state = 'CA' AND category = 'food'"),
    ("Across two services: purchases of food by people under 45", f"{JOIN} age < 45 AND category = 'food'"),
)


def mixed_tour(n: int, out: str | Path) -> None:
    """Collect from n devices through a relay, then ask what could not be asked without one."""
    say, folder = Speaker().say, make_room(Path(out))
    key = _printed("serve", "mixkey", "--data", str(folder / "reports"))
    plan = _plan(folder / "shop.toml", LOCAL, f'mix = {{ people = {n}, delta = 1e-8, key = "{key}" }}\n')
    users, transactions = people(n)
    users = users.drop_columns(["os"])
    say(f"A shop with {n:,} made-up people, a collector, and a relay of another party.\n")
    with ExitStack() as stack:
        ports = free(8000), free(8001)
        log, where = folder / "serve.log", ("--data", str(folder / "reports"))
        stack.enter_context(running(["serve", str(folder / "shop.toml"), *where], ports[0], log))
        token = _printed("serve", "token", "relay", *where)
        relay = [
            "relay",
            str(folder / "shop.toml"),
            "--data",
            str(folder / "relay"),
            "--to",
            f"http://127.0.0.1:{ports[0]}",
        ]
        stack.enter_context(running(relay, ports[1], folder / "relay.log", UNTOLD_RELAY_TOKEN=token))
        _send(plan, persons(plan.user_key, users, transactions), ports[1], folder, say)
        _hand_over(ports[1], folder)
        say("The epoch is closed: the relay has mixed all bundles, and the collector has counted the one batch.\n")
    promise = plan.promise()
    say(
        f"Towards the collector alone: epsilon {at_most_text(promise.central, 2)} at delta "
        f"{at_most_text(promise.delta)}: {odds_in_words(promise.central)}."
    )
    say(
        f"If relay and collector work together: epsilon {at_most_text(promise.local)}, {odds_in_words(promise.local)}.\n"
    )
    _today(folder, users, transactions)
    _compare(folder, users, transactions, say)
    say(f"\nTry next: untold plan show {folder}/shop.toml   and   docs/mixing.md")


def _send(plan: Plan, everybody: list[Person], port: int, folder: Path, say: object) -> None:
    from untold.serve.settings import Secrets
    from untold.store.logs import HOME

    bundles, tokens = Bundles.of(plan), Secrets.load(folder / "relay" / HOME).tokens
    assert callable(say)

    def body(person: Person) -> bytes:
        device = Client(plan, user=person.key)
        made = {service: device.report(service, person.rows[service]) for service in plan.services}
        return bundle_body(bundles, person.key, made, 0)

    start, n = time.perf_counter(), len(everybody)
    crowd = Crowd(body, everybody, port, lambda key: tokens.device("text", key), Told(n, say), BINARY_TYPE)
    counted = crowd.send()
    seconds = time.perf_counter() - start
    say(f"{counted:,} sealed bundles of {bundles.sealed_size} bytes, each on the relay's disk, in {seconds:.0f} s.")


def _hand_over(port: int, folder: Path) -> None:
    """Close the epoch at the relay, and wait until the collector has made reports of the batch."""
    from untold.serve.settings import Secrets
    from untold.store.logs import HOME

    request(port, "POST", "/epochs/0/close", Secrets.load(folder / "relay" / HOME).tokens.role("operator"))
    end = time.monotonic() + PATIENCE
    while not (folder / "reports" / HOME / "batches" / "0.done").exists():
        if time.monotonic() > end:
            raise UntoldError(f"the batch is not counted; {folder}/relay.log and {folder}/serve.log say why.")
        time.sleep(0.2)


def _today(folder: Path, users: pa.Table, transactions: pa.Table) -> None:
    """The same people without a relay: a local epsilon that one can answer for."""
    plan = _plan(folder / "today.toml", TODAY, "")
    perturb(plan, "users", users, out=folder / "today")
    perturb(plan, "transactions", transactions, population=users.select(["uid"]), out=folder / "today")


def _compare(folder: Path, users: pa.Table, transactions: pa.Table, say: object) -> None:
    assert callable(say)
    with connect(folder / "reports") as mixed, connect(folder / "today") as today:
        for words, sql in QUESTIONS:
            say(words, "bold")
            say(f"  {sql}", "dim")
            say(
                f"  truth                        {number_text(float(true_answer(sql, users, transactions)[0][0]), WHOLE)}"
            )
            for name, con in (("relay, local epsilon 4", mixed), ("no relay, local epsilon 1", today)):
                row = con.sql(sql).arrow().to_pylist()[0]
                say(f"  {name:<27}  {interval_text(row['n'], row['n_low'], row['n_high'])}")


def _plan(path: Path, epsilon: float, mix: str) -> Plan:
    """The shop's plan with another epsilon, and without a public column, which would tell people of a batch apart."""
    lines = files("untold.commands.demo").joinpath("shop.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("os ", "epsilon ", "lifetime "))]
    at = next(i for i, line in enumerate(kept) if line.startswith("user_key")) + 1
    kept[at:at] = [f"epsilon = {epsilon}\n", mix]
    path.write_text("".join(kept), encoding="utf-8")
    return Plan.load(path)


def _printed(*words: str) -> str:
    """What a command of untold prints."""
    command = [sys.executable, "-m", "untold.cli", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=dict(os.environ)).stdout.strip()
