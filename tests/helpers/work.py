"""Bounds on work instead of on time: how many calls something makes is the same on a busy machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class TooMuchWork(AssertionError):
    """More calls than were allowed."""


@contextmanager
def at_most(calls: int) -> Iterator[Callable[[], int]]:
    """Ends what runs inside at its (calls + 1)st call of a function, Python's own and C's. Gives: how many there were.

    >>> with at_most(100) as made:
    ...     len(sorted([2, 1]))
    2
    >>> 0 < made() <= 10
    True
    >>> with at_most(100):
    ...     [abs(i) for i in range(1000)]
    Traceback (most recent call last):
    helpers.work.TooMuchWork: more than 100 calls
    """
    seen = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal seen
        seen += event in ("call", "c_call")
        if seen > calls:
            sys.setprofile(None)
            raise TooMuchWork(f"more than {calls} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield lambda: seen
    finally:
        sys.setprofile(before)
