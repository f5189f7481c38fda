"""Whether a client's greeting is whole. The library's reader looks for the end of a text beyond the end of a packet, and goes on
for ever, and with it the whole collector: so nothing reaches it whose texts do not end."""

from __future__ import annotations

from mysql_mimic.types import Capabilities

TLS_REQUEST = 32  # bytes: abilities, size, character set and room. That is all of a request for TLS
LONGER = {0xFC: 2, 0xFD: 3, 0xFE: 8}  # bytes of a length, by the byte before them


def is_whole(data: bytes, abilities: Capabilities) -> bool:
    """Name, password, database and plugin, one after the other, as far as both sides are able to.

    >>> is_whole(bytes(32), Capabilities(0)), is_whole(bytes(32) + b"ada", Capabilities(0))
    (True, False)
    """
    if len(data) <= TLS_REQUEST:
        return len(data) == TLS_REQUEST
    both = abilities & Capabilities(int.from_bytes(data[:4], "little"))
    at = _after_text(data, TLS_REQUEST)
    at = _after_password(data, at, Capabilities.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA in both)
    for ability in (Capabilities.CLIENT_CONNECT_WITH_DB, Capabilities.CLIENT_PLUGIN_AUTH):
        if ability in both:
            at = _after_text(data, at)
    return at <= len(data)


def _after_text(data: bytes, at: int) -> int:
    end = data.find(b"\0", at)
    return len(data) + 1 if end < 0 else end + 1


def _after_password(data: bytes, at: int, any_length: bool) -> int:
    if at >= len(data):
        return len(data) + 1
    more = LONGER.get(data[at], 0) if any_length else 0
    length = int.from_bytes(data[at + 1 : at + 1 + more], "little") if more else data[at]
    return at + 1 + more + length
