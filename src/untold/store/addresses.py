"""Tells paths of this machine from addresses: s3://bucket/x must never become a folder called "s3:"."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from untold.errors import StoreError

# One letter is a drive of Windows. A Path has one slash left of two.
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")


def scheme_of(place: str | Path) -> str | None:
    """The scheme of an address; None for a path.

    >>> scheme_of("s3://bucket/reports"), scheme_of(Path("gs://bucket")), scheme_of("reports/"), scheme_of("C:/reports")
    ('s3', 'gs', None, None)
    """
    found = SCHEME.match(str(place))
    return found[1].lower() if found else None


def local_path(place: str | Path, instead: str) -> Path:
    """A path of this machine, also where it is written as file:///data/reports. Any other address is refused.

    instead   what to do, for the hint

    >>> local_path("file:///data/my%20reports", "...")
    PosixPath('/data/my reports')
    """
    scheme = scheme_of(place)
    if scheme is None:
        return Path(place)
    parts = urlsplit(str(place))
    if scheme == "file" and parts.netloc in ("", "localhost"):
        return Path(unquote(parts.path))
    raise StoreError(f"{place} is an address ({scheme}), not a path of this machine.\nHint: {instead}.")
