"""How far Spark has come, from the status of its stages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from untold.collect.spark.session import is_connect


class Stages:
    """Tasks done of all tasks that are known so far."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._tasks: dict[int, tuple[int, int]] = {}  # stage: tasks done, tasks

    def percent(self) -> float:
        """0 to 100; negative where nothing is known yet."""
        if not is_connect(self._session):
            self._look()
        done, tasks = (sum(each) for each in zip(*self._tasks.values(), strict=True)) if self._tasks else (0, 0)
        return 100 * done / tasks if tasks else -1.0

    @contextmanager
    def followed(self) -> Iterator[None]:
        """A server of Spark Connect tells by itself while the body runs; a classic session is asked."""
        if not is_connect(self._session):
            yield
            return
        self._session.registerProgressHandler(self._told)
        try:
            yield
        finally:
            self._session.removeProgressHandler(self._told)

    def _look(self) -> None:
        tracker = self._session.sparkContext.statusTracker()
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None:
                self._tasks[stage] = (info.numCompletedTasks, info.numTasks)

    def _told(self, stages: Any, **_: Any) -> None:
        for stage in stages or ():
            self._tasks[stage.stage_id] = (stage.num_completed_tasks, stage.num_tasks)
