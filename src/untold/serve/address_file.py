"""A file that says on which address the collector of a folder listens. It is locked for as long as that is true."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "address"
ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # listens everywhere: this machine reaches it here


def url_of(host: str, port: int) -> str:
    """The address as a browser on this machine writes it.

    >>> url_of("0.0.0.0", 8000), url_of("::1", 80)
    ('http://127.0.0.1:8000', 'http://[::1]:80')
    """
    name = ANY.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


@contextmanager
def told(home: Path, url: str) -> Iterator[None]:
    """Say that the collector of this folder listens at `url`, until the end of this block or of this process."""
    path = home / NAME
    with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(url)
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def whereabouts(home: Path) -> str | None:
    """Where the collector that runs now listens; None if none does, whatever one that died has left: nobody else may be
    handed its operator's token."""
    with suppress(FileNotFoundError), open(home / NAME, encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return file.read() or None
    return None
