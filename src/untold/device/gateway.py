"""A gateway: a backend of yours that carries reports of many people to a collector. It perturbs nothing; devices do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any

from untold.device.report import Report
from untold.device.transport import Reply, Transport, Unreachable
from untold.errors import BadRecord, CollectorError
from untold.wire.contract import JSON_TYPE, MOST_BYTES, MOST_REPORTS, try_later


@dataclass(frozen=True)
class Carried:
    """What a collector said to reports that were carried to it."""

    counted: int = 0  # new, and durable
    repeated: int = 0  # there already
    refused: tuple[tuple[str, str], ...] = field(
        default=()
    )  # whose, and the code (docs/wire.md); these will never be taken

    def __add__(self, other: Carried) -> Carried:
        return Carried(self.counted + other.counted, self.repeated + other.repeated, (*self.refused, *other.refused))


@dataclass(frozen=True)
class Gateway:
    """Carries reports to the collector at `url`, with the token that `untold serve token gateway` prints.

    Whatever raises `CollectorError` may be sent again, the same: nothing counts twice.
    """

    url: str
    token: str = field(repr=False)
    timeout: float = 10.0

    def send(self, reports: Iterable[Report]) -> Carried:
        """Reports of any number of people, as `untold.Client` makes them, in bodies that a collector takes."""
        return sum(map(self._carry, _pieces(_grouped(reports))), Carried())

    def forward(self, data: bytes, user: str | int) -> Carried:
        """The body of one device, as it came in. `user` is who is logged in: reports of anybody else are refused, since a
        gateway's token would let them through."""
        whose = [str(user)]
        said = _read(data)
        if any(report.get("user") != whose[0] for report in said["reports"]):
            raise BadRecord("a device sends reports of its own user only. Nothing was carried.")
        return self._post(data, whose * len(said["reports"]))

    async def send_async(self, reports: Iterable[Report]) -> Carried:
        """`send`, beside other work of an event loop."""
        return await asyncio.to_thread(self.send, list(reports))

    async def forward_async(self, data: bytes, user: str | int) -> Carried:
        """`forward`, beside other work of an event loop."""
        return await asyncio.to_thread(self.forward, data, user)

    def _carry(self, some: Sequence[_Listed]) -> Carried:
        data, half = _body(some), len(some) // 2
        if len(data) > MOST_BYTES and half:
            return self._carry(some[:half]) + self._carry(some[half:])
        return self._post(data, [each.user for each in some])

    def _post(self, data: bytes, users: Sequence[str]) -> Carried:
        headers = {"Content-Type": JSON_TYPE, "Authorization": f"Bearer {self.token}"}
        return _understood(Transport(self.url, self.timeout).ask("POST", "/reports", data, headers), users)


def body(reports: Iterable[Report]) -> bytes:
    """The body of POST /reports for up to 10,000 reports of one plan, of any number of people: JSON, as docs/wire.md says."""
    pieces = list(_pieces(_grouped(reports)))
    if len(pieces) != 1:
        raise BadRecord(f"a body holds 1 to {MOST_REPORTS:,} reports of one plan.\nHint: untold.Gateway sends more.")
    return _body(pieces[0])


@dataclass(frozen=True)
class _Listed:
    """A report as it stands in a body."""

    plan: str
    user: str
    report: dict[str, Any]


def _grouped(reports: Iterable[Report]) -> Iterator[_Listed]:
    """Slots that belong together become one."""
    for (plan, service, user, epoch), slots in groupby(reports, lambda r: (r.plan, r.service, r.user, r.epoch)):
        parts = sorted(slots, key=lambda each: each.slot)
        if any(each.insecure for each in parts):
            raise BadRecord("reports made with repeatable draws protect nobody and are not collected.")
        seeded = any(message.extra for each in parts for message in each.messages)
        listed = [
            [[m.index, *map(str, m.extra or (0, 0))] if seeded else m.index for m in each.messages] for each in parts
        ]
        said = {"service": service, "user": str(user), "epoch": epoch, "slots": listed}
        values = {name: _value(value) for name, value in parts[0].public if value is not None}
        yield _Listed(plan, str(user), {**said, "public": values} if values else said)


def _value(value: Any) -> Any:
    """A public value as JSON has it; integers beyond 2^53 are texts."""
    large = isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53
    return str(value) if large else value


def _pieces(reports: Iterator[_Listed]) -> Iterator[list[_Listed]]:
    """Bodies: reports of one plan, not too many."""
    for _, group in groupby(reports, lambda each: each.plan):
        while some := list(islice(group, MOST_REPORTS)):
            yield some


def _body(some: Sequence[_Listed]) -> bytes:
    from untold.wire.strict_json import write_json

    return write_json(some[0].plan, [each.report for each in some])


def _read(data: bytes) -> dict[str, Any]:
    """A device's body, as far as a gateway must understand it."""
    from untold.wire.strict_json import BadBody, load

    try:
        said = load(data)
        reports = said["reports"]
        sound = isinstance(reports, list) and bool(reports) and all(isinstance(each, dict) for each in reports)
    except (BadBody, LookupError, TypeError):
        sound = False
    if not sound:
        raise BadRecord('this is no body of reports: {"plan": "<id>", "reports": [...]}. Nothing was carried.')
    return dict(said)


def _understood(reply: Reply, users: Sequence[str]) -> Carried:
    """What an answer says; anything but a collector's own is as none."""
    try:
        said = json.loads(reply.body)
        if try_later(reply.status):
            raise Unreachable(f"the collector answers {reply.status}; send the same again in {reply.retry_after:g} s.")
        if "error" in said:
            raise CollectorError(f"the collector refuses ({said['error']}): {said['message']}")
        counted, repeated, refused = said["counted"], said["repeated"], said["refused"]
        whose = tuple((users[place], str(code)) for place, code in refused)
        if type(counted) is not int or type(repeated) is not int or counted + repeated + len(whose) != len(users):
            raise ValueError
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise Unreachable(
            "no collector answers there: perhaps a proxy does. Nothing is known to be stored; send the same again."
        ) from error
    return Carried(counted, repeated, whose)
