"""Made-up devices: each perturbs its own record with secure randomness and sends it over HTTP, with its own token."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from threading import Event
from time import monotonic, sleep
from typing import Any

import pyarrow as pa

from untold.device.client import Client
from untold.errors import UntoldError
from untold.plan import Plan

CONNECTIONS = 32  # open at once; a collector answers when reports are on disk, and many wait for the same disk
PATIENCE = 300.0  # seconds for a collector that says it is busy, or is too busy to say it


@dataclass(frozen=True)
class Person:
    """A key, and the true rows by service; they stay here."""

    key: str
    rows: dict[str, list[dict[str, Any]]]


def persons(key: str, users: pa.Table, transactions: pa.Table) -> list[Person]:
    """One for each row of `users`, with what they bought."""
    bought: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in transactions.to_pylist():
        bought[row.pop(key)].append(row)
    rows = users.to_pylist()
    return [Person(name := row.pop(key), {"users": [row], "transactions": bought[name]}) for row in rows]


def body_of(plan: Plan, person: Person) -> bytes:
    """What a device sends: a report for each service, in one request (docs/wire.md)."""
    device = Client(plan, user=person.key)
    reports = []
    for service in plan.services:
        made = device.report(service, person.rows[service])
        slots = [[message.index for message in report.messages] for report in made]
        public = {"public": dict(made[0].public)} if made[0].public else {}
        reports.append({"service": service, "user": person.key, "epoch": 0, "slots": slots, **public})
    return json.dumps({"plan": plan.id, "reports": reports}).encode()


@dataclass(frozen=True)
class Crowd:
    """Devices that all report to one collector, or relay, on this machine."""

    body: Callable[[Person], bytes]  # what a device sends; asked for once
    people: Sequence[Person]
    port: int
    token: Callable[[str], str]  # of a person's device
    told: Callable[[], None]  # called when a device has reported
    kind: str = "application/json"  # of the bodies
    stop: Event = field(default_factory=Event)

    def send(self) -> int:
        """Every device reports. Returns how many reports were counted."""
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            try:
                return sum(pool.map(self._send_some, range(CONNECTIONS)))
            except BaseException:
                self.stop.set()  # Ctrl-C, or one has failed: the others need not go on
                raise

    def _send_some(self, first: int) -> int:
        connection, counted = HTTPConnection("127.0.0.1", self.port, timeout=30), 0
        try:
            for person in self.people[first::CONNECTIONS]:
                if self.stop.is_set():
                    break
                counted += _sent(connection, self.body(person), self.token(person.key), self.kind)
                self.told()
        finally:
            connection.close()
        return counted


def _sent(connection: HTTPConnection, body: bytes, token: str, kind: str) -> int:
    """How many reports of a body were counted. The very same bytes again if the collector was busy."""
    headers = {"Content-Type": kind, "Authorization": f"Bearer {token}"}
    status, said = patiently(connection, "POST", "/reports", body, headers)
    if status != 200:
        raise UntoldError(f"the collector refused a report of the demo: {status} {said.decode(errors='replace')[:200]}")
    return int(json.loads(said)["counted"])


def patiently(
    connection: HTTPConnection, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
) -> tuple[int, bytes]:
    """Status and body of an answer. A busy collector is asked again, with the very same bytes, when it says so."""
    end = monotonic() + PATIENCE
    while True:
        try:
            connection.request(method, path, body, dict(headers))
            response = connection.getresponse()
            said = response.read()
        except (OSError, HTTPException):
            connection.close()  # the next request opens it again
            if monotonic() > end:
                raise
            sleep(1)
            continue
        if response.status not in (429, 503) or monotonic() > end:
            return response.status, said
        sleep(min(10.0, float(response.headers.get("Retry-After") or 1)))
