"""The tour over a real network: a collector, devices that report to it over HTTP, and its pages to ask and to take part."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPException
from importlib.resources import files
from pathlib import Path
from threading import Lock

from untold.commands.demo.devices import Crowd, body_of, patiently, persons
from untold.commands.demo.people import people
from untold.commands.demo.speech import Speaker
from untold.commands.demo.tour import make_room
from untold.errors import UntoldError
from untold.plan import Plan

PATIENCE = 300.0  # seconds for the collector to come up, and to answer
STOPPING = 30.0  # and to end
QUESTION = "SELECT state, COUNT(*) AS people FROM users GROUP BY state"


def live(n: int, out: str | Path, port: int, minutes: float) -> None:
    """Collect from n devices, then serve the pages until Ctrl-C, or for so many minutes."""
    say = Speaker().say
    folder = make_room(Path(out))
    (folder / "shop.toml").write_bytes(files("untold.commands.demo").joinpath("shop.toml").read_bytes())
    plan = Plan.load(folder / "shop.toml")
    say(f"A shop with {n:,} made-up people. Each device perturbs its record, then sends it over HTTP.\n")
    with collector(folder, free(port)) as chosen:
        from untold.serve.settings import Secrets
        from untold.store.logs import HOME

        tokens = Secrets.load(folder / "reports" / HOME).tokens
        start = time.perf_counter()
        everybody = persons(plan.user_key, *people(n))
        counted = Crowd(
            partial(body_of, plan), everybody, chosen, lambda key: tokens.device("text", key), Told(n, say)
        ).send()
        seconds = time.perf_counter() - start
        say(f"{counted:,} reports of {n:,} devices, each on disk before it was acknowledged, in {seconds:.0f} s.\n")
        request(chosen, "POST", "/flush", tokens.role("operator"))
        answer = json.loads(request(chosen, "POST", "/query", tokens.role("analyst"), {"sql": QUESTION}))
        say(QUESTION, "dim")
        for state, people_there in answer["rows"]:
            say(f"  {state['text']}  {people_there['text']}")
        say(f"\nAsk:       http://127.0.0.1:{chosen}/#token={tokens.role('analyst')}")
        say(f"Take part: http://127.0.0.1:{chosen}/survey")
        say(f"\nCtrl-C stops it; it ends by itself after {minutes:g} minutes.")
        try:
            time.sleep(60 * minutes)
        except KeyboardInterrupt:
            say("\nStopped.")


class Told:
    """Says now and then how many devices have reported."""

    def __init__(self, total: int, say: Callable[[str], None]) -> None:
        self._total, self._say, self._done, self._lock = total, say, 0, Lock()

    def __call__(self) -> None:
        with self._lock:
            self._done += 1
            if self._done % max(1, self._total // 4) == 0:
                self._say(f"  {self._done:,} of {self._total:,} devices have reported")


def collector(folder: Path, port: int) -> AbstractContextManager[int]:
    """A collector of the shop, with pages to ask and to take part."""
    options = ["--enrol", "--segment-seconds", "5", "--query-seconds", f"{PATIENCE:g}"]
    command = ["serve", str(folder / "shop.toml"), "--data", str(folder / "reports"), *options]
    return running(command, port, folder / "serve.log")


@contextmanager
def running(words: Sequence[str], port: int, log: Path, **environment: str) -> Iterator[int]:
    """A command of untold that listens on a port, as a process of its own; ends with the block."""
    command = [sys.executable, "-m", "untold.cli", *words, "--port", str(port)]
    with open(log, "wb") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=file, start_new_session=True, env={**os.environ, **environment}
        )
    try:
        end = time.monotonic() + PATIENCE
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > end:
                raise UntoldError(f"`untold {words[0]}` did not start; {log} says why.")
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        try:
            process.wait(STOPPING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def request(port: int, method: str, path: str, token: str, body: object = None) -> bytes:
    """The body of an answer; a busy collector is asked again, and anything else but 200 is an error."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        sent = None if body is None else json.dumps(body).encode()
        status, said = patiently(connection, method, path, sent, {"Authorization": f"Bearer {token}"})
    finally:
        connection.close()
    if status != 200:
        raise UntoldError(f"the collector answers {status} to {path}: {said.decode(errors='replace')[:200]}")
    return said


def _answers(port: int) -> bool:
    """Whether it is ready: while it opens its folder, it says that it is not (503)."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status != 503
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def free(port: int) -> int:
    """This port, or another one if somebody has it."""
    for wanted in (port, 0):
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("127.0.0.1", wanted))
            except OSError:
                continue
            return int(trial.getsockname()[1])
    raise UntoldError("no port is free on 127.0.0.1.")
