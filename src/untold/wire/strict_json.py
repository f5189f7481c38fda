"""Reports as strict JSON: what docs/wire.md allows and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from untold.oracles import Message
from untold.wire.contract import MOST_REPORTS, Code
from untold.wire.layout import Layout
from untold.wire.records import BadReport, Slots, decimal, encode_record

REPORT_FIELDS = {"service", "user", "epoch", "slots", "public"}


class BadBody(ValueError):
    """A body that cannot be read as reports; `code` is one of docs/wire.md."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Parsed:
    """One report of a body: its service, epoch and record, or the code of why it is refused."""

    layout: Layout | None
    epoch: int = 0
    record: bytes = b""
    refused: Code | None = None


def read_json(data: bytes, plan_id: str, layouts: Mapping[str, Layout]) -> list[Parsed]:
    """All reports of a body, in order."""
    body = load(data)
    if not isinstance(body, dict) or not {"plan", "reports"} <= set(body) <= {"plan", "reports", "insecure"}:
        raise BadBody("bad-json", 'a body is {"plan": "<id>", "reports": [...]}.')
    if body.get("insecure", False) is not False:
        raise BadBody("insecure", "reports made with repeatable draws protect nobody and are not collected.")
    if body["plan"] != plan_id:
        raise BadBody("other-plan", f"this collector has plan {plan_id}; fetch /plan.")
    reports = body["reports"]
    if not isinstance(reports, list) or not 0 < len(reports) <= MOST_REPORTS:
        raise BadBody("bad-json", f'"reports" is a list of 1 to {MOST_REPORTS} reports.')
    return [_parse(report, layouts) for report in reports]


def load(data: bytes) -> Any:
    """JSON without NaN, Infinity, duplicate keys or a byte order mark."""
    try:
        return json.loads(data.decode(), parse_constant=_refuse_constant, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        raise BadBody("bad-json", "the body is not strict JSON in UTF-8.") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError("not a number")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _parse(report: Any, layouts: Mapping[str, Layout]) -> Parsed:
    """One report; what is wrong with it concerns no other."""
    if not isinstance(report, dict) or not {"service", "user", "epoch", "slots"} <= set(report) <= REPORT_FIELDS:
        raise BadBody("bad-json", "a report has service, user, epoch, slots and perhaps public.")
    user, epoch, public = report["user"], report["epoch"], report.get("public", {})
    layout = layouts.get(report["service"]) if isinstance(report["service"], str) else None
    if layout is None:
        return Parsed(None, refused="bad-service")
    if not isinstance(user, str):
        return Parsed(layout, refused="bad-user")
    if not _is_integer(epoch) or not layout.takes(epoch):
        return Parsed(layout, refused="bad-epoch")
    if not isinstance(public, dict):
        return Parsed(layout, refused="bad-public")
    try:
        return Parsed(layout, epoch, encode_record(layout, user, _slots(layout, report["slots"]), public))
    except BadReport as error:
        return Parsed(layout, refused=error.code)


def _slots(layout: Layout, slots: Any) -> Slots:
    if not isinstance(slots, list) or not all(isinstance(slot, list) for slot in slots):
        raise BadReport("bad-slots", "slots are a list of lists of messages.")
    return [[_message(layout.seed_bytes, message) for message in slot] for slot in slots]


def _message(seed_bytes: int, message: Any) -> Message:
    if not seed_bytes and _is_integer(message):
        return Message(message)
    if seed_bytes and isinstance(message, list) and len(message) == 3 and _is_integer(message[0]):
        seeds = message[1:]
        if all(isinstance(seed, str) for seed in seeds):
            return Message(
                message[0], tuple(decimal(s, "bad-message", "a seed", 0, 1 << 8 * seed_bytes) for s in seeds)
            )
    raise BadReport("bad-message", "a message is its number, or [number, seed_a, seed_b] where views are hashed.")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def write_json(plan_id: str, reports: Sequence[Mapping[str, Any]]) -> bytes:
    """The body of some reports, each as `json_report` makes it."""
    return json.dumps({"plan": plan_id, "reports": list(reports)}, separators=(",", ":"), allow_nan=False).encode()


def json_report(layout: Layout, epoch: int, user: str, slots: Slots, public: Mapping[str, Any]) -> dict[str, Any]:
    """A report as it stands in a body."""

    def message(each: Message) -> Any:
        return [each.index, *map(str, each.extra or (0, 0))] if layout.seed_bytes else each.index

    said = {"service": layout.service, "user": user, "epoch": epoch, "slots": [[message(m) for m in s] for s in slots]}
    values = {name: public[name] for name, _ in layout.public if public.get(name) is not None}
    large = {name: str(v) for name, v in values.items() if _is_integer(v) and abs(v) > 2**53}
    return {**said, "public": {**values, **large}} if values else said
