"""One request to a collector, with the standard library alone. Redirects are not followed, answers are bounded."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from untold.errors import CollectorError

LONGEST_ANSWER = 64 << 20
CONNECTIONS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}


class Unreachable(CollectorError):
    """No answer: the network, or the collector, is away."""


@dataclass(frozen=True)
class Reply:
    """What a collector said."""

    status: int
    body: bytes
    retry_after: float = 0.0


@dataclass(frozen=True)
class Transport:
    """Speaks to the collector at `url`."""

    url: str
    timeout: float = 10.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in CONNECTIONS or not parts.hostname or parts.query or parts.fragment:
            raise CollectorError(
                f"'{self.url}' is not the address of a collector.\nHint: such as https://reports.example.org."
            )

    def ask(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Reply:
        """Send a request and read the whole answer."""
        parts = urlsplit(self.url)
        try:
            connection = CONNECTIONS[parts.scheme](parts.hostname or "", parts.port, timeout=self.timeout)
            try:
                connection.request(method, parts.path.rstrip("/") + path, body, dict(headers or {}))
                response = connection.getresponse()
                data = response.read(LONGEST_ANSWER + 1)
                wait = response.getheader("Retry-After") or ""
            finally:
                connection.close()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(f"the collector at {self.url} does not answer ({type(error).__name__}).") from error
        if len(data) > LONGEST_ANSWER:
            raise Unreachable(f"the collector at {self.url} answers with more than {LONGEST_ANSWER >> 20} MiB.")
        return Reply(response.status, data, float(wait) if wait.isascii() and wait.isdigit() else 0.0)
