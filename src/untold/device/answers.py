"""What an answer to a report means. Only one in the collector's own form (docs/wire.md) says that a report is stored or
refused: a hotel's log-in page, an error page of a proxy or an empty object does not, and the report is kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from untold.device.transport import Reply, Unreachable


@dataclass(frozen=True)
class Answer:
    """What became of the one report that was sent."""

    counted: int = 0
    repeated: int = 0
    refused: str | None = None  # the code


def read_answer(reply: Reply) -> Answer:
    """The answer to a body of one report, or Unreachable if it is not one that a collector gives."""
    try:
        said: Any = json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise _foreign() from error
    if not isinstance(said, dict):
        raise _foreign()
    code = _refusal(said)
    if code is not None and reply.status >= 400:
        return Answer(refused=code)
    for answer in (Answer(counted=1), Answer(repeated=1)):
        if reply.status == 200 and code is None and _numbers(said) == (answer.counted, answer.repeated, []):
            return answer
    raise _foreign()


def _refusal(said: dict[str, Any]) -> str | None:
    """The code of {"error": code, "message": text} or of {"counted": 0, "repeated": 0, "refused": [[0, code]]}."""
    if isinstance(said.get("error"), str) and isinstance(said.get("message"), str):
        return str(said["error"])
    numbers = _numbers(said)
    if numbers is None or numbers[:2] != (0, 0) or len(numbers[2]) != 1:
        return None
    match numbers[2][0]:
        case [0, str() as code]:
            return code
    return None


def _numbers(said: dict[str, Any]) -> tuple[int, int, list[Any]] | None:
    counted, repeated, refused = said.get("counted"), said.get("repeated"), said.get("refused")
    if type(counted) is int and type(repeated) is int and isinstance(refused, list):
        return counted, repeated, refused
    return None


def _foreign() -> Unreachable:
    return Unreachable("the answer is not one of a collector.")
