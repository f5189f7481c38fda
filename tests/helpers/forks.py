"""A function in a process of its own, which begins as a copy of this one and may die at any step."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable
from typing import Any

PATIENCE = 120  # seconds; only to see that something hangs


def exit_code_of(target: Callable[..., object], *args: Any) -> int | None:
    """How it ended. Nothing is collected there: what belongs to threads that did not come along cannot be cleared away."""
    child = multiprocessing.get_context("fork").Process(target=target, args=args)
    collecting = gc.isenabled()
    gc.disable()
    try:
        child.start()
    finally:
        if collecting:
            gc.enable()
    child.join(PATIENCE)
    return child.exitcode
