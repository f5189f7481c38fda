"""Jobs that wait, taken together: one commit for many."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from time import sleep

from untold.serve.ledger.jobs import Job

MOST_TOGETHER = 1 << 16  # reports of one group
GATHER = 0.001  # seconds that a group waits for more when the last one had company


class Waiting:
    """A queue of jobs. Many threads put, one takes."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._crowded = False

    def put(self, job: Job | None) -> None:
        """Queue a job; None is the last one."""
        self._jobs.put(job)

    def take(self, seconds: float | None) -> tuple[list[Job], bool]:
        """Wait for a job (at most so long), then take all that are there; False after the last."""
        jobs: list[Job] = []
        total = 0
        crowded, self._crowded = self._crowded, False
        try:
            while total < MOST_TOGETHER:
                job = self._jobs.get(timeout=seconds) if not jobs else self._jobs.get_nowait()
                if job is None:
                    return jobs, False
                jobs.append(job)
                total += sum(map(len, job.blocks))
                if crowded and len(jobs) == 1:
                    sleep(GATHER)
        except Empty:
            pass
        self._crowded = len(jobs) > 1
        return jobs, True
