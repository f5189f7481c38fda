"""Runs work on several cores and gives results in order, with a bounded amount of it in memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


def threads() -> int:
    """How many jobs run at once."""
    return os.cpu_count() or 1


def in_order(jobs: Iterable[Callable[[], Result]]) -> Generator[Result, None, None]:
    """Results in the order of the jobs; at most `threads() + 1` jobs are under way or waiting to be taken.

    >>> list(in_order([lambda: 1, lambda: 2]))
    [1, 2]
    """
    count = threads()
    with ThreadPoolExecutor(count, thread_name_prefix="untold") as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for job in jobs:
                waiting.append(pool.submit(job))
                if len(waiting) > count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
