"""Silences Spark's own output while it starts and when it fails; untold reports what matters itself."""

from __future__ import annotations

import logging
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from untold.errors import UntoldError

LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")  # print every failure as JSON
LAST = 5  # lines, where nothing looks like a complaint
COMPLAINT = re.compile(r"^(Exception|Error|\S+(Exception|Error):)")  # not the stack below it, nor the log above


@contextmanager
def stderr_aside(tell: Callable[[str], UntoldError]) -> Iterator[None]:
    """What a process that is started here (Spark's JVM) writes to standard error is kept from the screen.

    If starting it fails, its complaints and the error, in this order, become the error that `tell` makes of them.
    """
    sys.stderr.flush()
    with tempfile.TemporaryFile() as aside:
        screen = os.dup(2)
        os.dup2(aside.fileno(), 2)
        try:
            yield
        except Exception as error:
            aside.seek(0)
            said = aside.read().decode(errors="replace").splitlines()
            complaints = [line for line in said if COMPLAINT.search(line)] or said[-LAST:]
            raise tell("\n".join([*complaints, str(error)])) from error
        finally:
            os.dup2(screen, 2)
            os.close(screen)


@contextmanager
def quietly() -> Iterator[None]:
    """No JSON on the screen for a failure that is told in words, and no warning about pandas, which untold hands nothing to."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled
