"""Jobs of Spark that say whose they are: a description in its pages, and a tag by which they can be ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from untold.collect.spark.session import is_connect

DESCRIPTION = "spark.job.description"
MAX_TOLD = 200  # characters of a description


@contextmanager
def described(session: Any, tag: str, words: str) -> Iterator[None]:
    """All jobs of the body carry this tag, and these words where Spark shows jobs. What ends the body early (Ctrl-C) ends its
    jobs, too."""
    try:
        with _tagged(session, tag) if is_connect(session) else _shown(session.sparkContext, tag, f"untold: {words}"):
            yield
    except (KeyboardInterrupt, SystemExit):
        cancel(session, tag)
        raise


def cancel(session: Any, tag: str) -> None:
    """End all jobs with this tag, whoever waits for them."""
    if is_connect(session):
        session.interruptTag(tag)
    else:
        session.sparkContext.cancelJobsWithTag(tag)


@contextmanager
def _tagged(session: Any, tag: str) -> Iterator[None]:
    session.addTag(tag)
    try:
        yield
    finally:
        session.removeTag(tag)


@contextmanager
def _shown(context: Any, tag: str, words: str) -> Iterator[None]:
    """Tags of a context, not of a session: pyspark runs jobs where those of a session do not reach them."""
    before = context.getLocalProperty(DESCRIPTION)
    context.addJobTag(tag)
    context.setJobDescription(words[:MAX_TOLD])
    try:
        yield
    finally:
        context.setLocalProperty(DESCRIPTION, before)
        context.removeJobTag(tag)
