"""What a stream needs before its first value, loaded: processes that are forked from here begin at once."""

from __future__ import annotations

import untold.commands.stream  # noqa: F401
from untold.streams import ToPL, ToPS

for stream in (ToPS(1.0, 200, threshold=100.0), ToPL(1.0, 200, threshold=100.0)):
    stream.push([0.0])
