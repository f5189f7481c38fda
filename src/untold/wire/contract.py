"""The fixed words and numbers of docs/wire.md, each said once: content types, limits, error codes and what a client does.

The JavaScript client has them in clients/js/src/contract.ts; tests/vectors/contract.json holds both to the same.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

JSON_TYPE = "application/json"
BINARY_TYPE = "application/vnd.untold.reports"

LONGEST_KEY = 255  # bytes of a user key
LONGEST_TEXT = 1000  # bytes of a public text
LAST_EPOCH = 2**31 - 1
MOST_REPORTS = 10_000  # in a body
MOST_BYTES = 4 << 20  # of a body, as sent and unpacked
DEVICE_BYTES = 1 << 16  # of a device's body; a plan with long reports allows more

# How a code is spelled. A type, so that the type checker finds a code that docs/wire.md does not know.
Code = Literal[
    "conflict", "epoch-closed", "epoch-not-open",
    "bad-service", "bad-epoch", "bad-user", "bad-slots", "bad-message", "bad-public",
    "insecure", "other-plan", "bad-json", "bad-binary", "bad-gzip", "bad-type", "too-large", "no-length", "slow", "gone",
    "bad-token", "other-user", "bad-method", "not-found", "bad-request", "busy", "stopping", "failed",
]  # fmt: skip


class Meaning(NamedTuple):
    """The usual HTTP status of a code, and what a client does with the report that it sent.

    forget  the collector will never take it
    keep    something must change first: the token, the address, the time
    later   send the same bytes again after a pause
    """

    status: int
    client: Literal["forget", "keep", "later"]


CODES: dict[Code, Meaning] = {
    "conflict": Meaning(409, "forget"),
    "epoch-closed": Meaning(410, "forget"),
    "epoch-not-open": Meaning(422, "keep"),
    "bad-service": Meaning(422, "forget"),
    "bad-epoch": Meaning(422, "forget"),
    "bad-user": Meaning(422, "forget"),
    "bad-slots": Meaning(422, "forget"),
    "bad-message": Meaning(422, "forget"),
    "bad-public": Meaning(422, "forget"),
    "insecure": Meaning(422, "forget"),
    "other-plan": Meaning(422, "forget"),
    "bad-json": Meaning(400, "forget"),
    "bad-binary": Meaning(400, "forget"),
    "bad-gzip": Meaning(400, "forget"),
    "bad-type": Meaning(415, "forget"),
    "too-large": Meaning(413, "forget"),
    "no-length": Meaning(411, "keep"),
    "slow": Meaning(408, "later"),
    "gone": Meaning(400, "keep"),
    "bad-token": Meaning(401, "keep"),
    "other-user": Meaning(403, "forget"),
    "bad-method": Meaning(405, "keep"),
    "not-found": Meaning(404, "keep"),
    "bad-request": Meaning(400, "keep"),
    "busy": Meaning(503, "later"),
    "stopping": Meaning(503, "later"),
    "failed": Meaning(500, "later"),
}
FORGET = tuple(code for code, meaning in CODES.items() if meaning.client == "forget")
LATER = (408, 425, 429)  # statuses after which a client tries again, beside all from 500


def try_later(status: int) -> bool:
    """Whether a status means that the same bytes may be taken later, whatever the answer says."""
    return status >= 500 or status in LATER
