"""One request to a collector, with the standard library alone. Redirects are not followed, answers are bounded in size and
time."""

from __future__ import annotations

import http.client
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from untold.device.deadline import Deadline, TimedSocket
from untold.errors import CollectorError

LONGEST_ANSWER = 64 << 20
LONGEST_WAIT = 3600.0  # seconds, whatever Retry-After says
PIECE = 1 << 16
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
    timeout: float = 10.0  # seconds that the other side may be silent
    whole: float = 60.0  # seconds that a request may take with its answer, however busily the other side drips

    def __post_init__(self) -> None:
        if not _is_address(self.url):
            raise CollectorError(
                f"'{self.url}' is not the address of a collector.\nHint: such as https://reports.example.org."
            )
        parts = urlsplit(self.url)
        if parts.scheme == "http" and not _is_this_machine(parts.hostname or ""):
            warnings.warn(
                f"{self.url}: reports and the device's token travel unencrypted to another machine, and whoever is on the "
                "way can read the token, and answer in the collector's place. Use https://.",
                UserWarning,
                stacklevel=4,
            )

    def ask(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Reply:
        """Send a request and read the whole answer."""
        parts = urlsplit(self.url)
        deadline = Deadline.after(self.whole, self.timeout)
        try:
            connection = CONNECTIONS[parts.scheme](parts.hostname or "", parts.port, timeout=deadline.left())
            try:
                connection.connect()
                with connection.sock as sock:
                    connection.sock = TimedSocket(sock, deadline)
                    connection.request(method, parts.path.rstrip("/") + path, body, dict(headers or {}))
                    response = connection.getresponse()
                    data = _read(response)
                    wait = response.getheader("Retry-After") or ""
            finally:
                connection.close()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(f"the collector at {self.url} does not answer ({type(error).__name__}).") from error
        if len(data) > LONGEST_ANSWER:
            raise Unreachable(f"the collector at {self.url} answers with more than {LONGEST_ANSWER >> 20} MiB.")
        return Reply(response.status, data, seconds(wait))


def seconds(wait: str) -> float:
    """What Retry-After asks for, up to an hour; 0 if it is not a number of seconds.

    >>> seconds("30"), seconds("9" * 5000), seconds("soon")
    (30.0, 3600.0, 0.0)
    """
    return min(float(wait), LONGEST_WAIT) if wait.isascii() and wait.isdigit() else 0.0


def _read(response: http.client.HTTPResponse) -> bytes:
    """The body, up to one byte more than is allowed."""
    parts, left = [], LONGEST_ANSWER + 1
    while left > 0 and (part := response.read(min(left, PIECE))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in CONNECTIONS and bool(parts.hostname) and not parts.query and not parts.fragment


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
