"""Group commit: one thread decides with its storage what is new, and answers once it is durable there."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from time import monotonic

from untold.serve.events import failure, note
from untold.serve.metrics import Counts
from untold.serve.reports.jobs import Away, Job, Outcomes, WaitingJobs, deliver
from untold.serve.storage import Storage


class Committer:
    """Takes reports; what it has answered is durable. Whatever must not overlap a commit is an action on its thread."""

    def __init__(self, storage: Storage, counts: Counts) -> None:
        self.deliver: Callable[[Outcomes], None] = deliver  # how outcomes go back to those who wait
        self.failed: Callable[[BaseException], None] = lambda error: None  # called when it cannot go on
        self.error: BaseException | None = None
        self._storage, self._counts, self._jobs = storage, counts, WaitingJobs()
        self._thread = Thread(target=self._commit_all, name="commit")

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queue a job; its future is done when its reports are durable, or refused. How many there are is bounded by whoever
        lets requests in."""
        self._jobs.put(job)

    def stop(self) -> None:
        """Finish what is queued, and end."""
        if self._thread.is_alive():
            self._jobs.put(None)
            self._thread.join()

    def fail(self, error: BaseException) -> None:
        """What keeps reports cannot be trusted any more: no further acknowledgement, and the program ends."""
        if self.error is None:
            self.error = error
            note("failed", errno=getattr(error, "errno", None), **failure(error))
            self.failed(error)

    def _commit_all(self) -> None:
        more = True
        while more:
            jobs, more = self._jobs.take(self._storage.patience())
            try:
                if self.error is not None:
                    raise self.error
                self._commit(jobs)
                self._storage.after_commit(last=not more)
            except Away as away:
                self.deliver([(job, away) for job in jobs])
            except BaseException as error:
                self.fail(error)
                self.deliver([(job, error) for job in jobs])

    def _commit(self, jobs: list[Job]) -> None:
        group: list[Job] = []
        for job in jobs:
            if job.act is None:
                group.append(job)
                continue
            self._count(group)
            group = []
            job.act()
        self._count(group)

    def _count(self, jobs: list[Job]) -> None:
        """Make the new reports of these jobs durable, and tell."""
        if not jobs:
            return
        began = monotonic()
        group = self._storage.commit(jobs)
        if group.payloads:
            self._counts.add("untold_commits_total")
            self._counts.add("untold_commit_seconds_total", monotonic() - began)
        for (number, epoch), reports in group.by_epoch.items():
            service = self._storage.plan.services[number]
            self._counts.add("untold_reports_by_epoch_total", reports, service=service, epoch=epoch)
        for _, outcome in group.outcomes:
            self._counts.add("untold_reports_counted_total", outcome.counted)
            self._counts.add("untold_reports_repeated_total", outcome.repeated)
        self.deliver(list(group.outcomes))
