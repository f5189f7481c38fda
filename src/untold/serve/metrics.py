"""Counters and gauges in Prometheus format, for monitoring. Never a value or a user key."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate

HELP = {
    "untold_reports_counted_total": ("counter", "Reports that were new and are durable."),
    "untold_reports_repeated_total": ("counter", "Reports that were there already."),
    "untold_reports_refused_total": ("counter", "Reports that were refused, by code."),
    "untold_reports_by_epoch_total": ("counter", "Reports that were new and are durable, by service and epoch."),
    "untold_requests_total": ("counter", "Requests to /reports, by status."),
    "untold_requests_refused_total": ("counter", "Requests to /reports that were refused as a whole, by code."),
    "untold_request_seconds": ("histogram", "From the head of a request to /reports to its answer."),
    "untold_queries_total": ("counter", "Questions of analysts over HTTP, by status."),
    "untold_query_seconds": ("histogram", "From a question of an analyst over HTTP to its answer, waiting included."),
    "untold_enrolments_total": ("counter", "Requests to /enrol where that is allowed, by status."),
    "untold_commits_total": ("counter", "Group commits."),
    "untold_commit_seconds_total": ("counter", "Time spent on group commits."),
    "untold_log_bytes": ("gauge", "Size of the log that is being written."),
    "untold_log_torn": ("gauge", "Ends of logs that a crash left torn, or a disk lost: kept aside in .collector/log."),
    "untold_connections_open": ("gauge", "Connections, with and without a request."),
    "untold_connections_turned_away": ("gauge", "Connections that were refused or ended since there were too many."),
    "untold_requests_open": ("gauge", "Requests to /reports that are there and wait for their answer."),
    "untold_body_bytes_open": ("gauge", "Bytes of bodies that have arrived and are not answered."),
    "untold_drains_total": ("gauge", "Times that this collector has made segments of what waited."),
    "untold_drain_seconds_total": ("gauge", "Time that it took."),
    "untold_drains_failed_total": ("gauge", "Times that it could not."),
    "untold_oldest_waiting_seconds": ("gauge", "For how long the oldest report that is in no segment has waited."),
    "untold_reports_waiting": ("gauge", "Acknowledged reports in a database that are in no segment yet."),
    "untold_database_away_seconds": ("gauge", "For how long the database has not answered."),
    "untold_segments": ("gauge", "Segments that count."),
    "untold_index_runs": ("gauge", "Files of the index of who has reported."),
    "untold_epochs_open": ("gauge", "Epochs that take reports."),
}


BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds, of histograms


class Counts:
    """Counters by name and labels, and histograms by name."""

    def __init__(self) -> None:
        self._counted: Counter[tuple[str, str]] = Counter()
        self._seen: dict[str, list[int]] = {}

    def add(self, name: str, amount: float = 1, label: str = "", **labels: object) -> None:
        """Count something; `label` is written as {code="..."}, and further ones under their own names."""
        inside = _inside(label, labels) if label or labels else ""
        self._counted[name, inside] += amount  # type: ignore[assignment]

    def observe(self, name: str, seconds: float) -> None:
        """One more duration in a histogram."""
        seen = self._seen.setdefault(name, [0] * (len(BOUNDS) + 1))
        seen[bisect_left(BOUNDS, seconds)] += 1
        self._counted[f"{name}_sum", ""] += seconds  # type: ignore[assignment]

    def get(self, name: str, label: str = "", **labels: object) -> float:
        """How much was counted."""
        return self._counted[name, _inside(label, labels)]

    def text(self, gauges: dict[str, float]) -> str:
        """The text format of Prometheus."""
        lines = []
        for name, (kind, about) in HELP.items():
            shown = "counter" if name.endswith("_total") else kind
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {shown}"]
            if kind == "gauge":
                lines.append(f"{name} {gauges.get(name, 0):.12g}")
            elif kind == "histogram":
                lines += self._histogram(name)
            else:
                found = sorted(inside for each, inside in list(self._counted) if each == name)
                lines += [f"{name}{_braces(each)} {self._counted[name, each]:.12g}" for each in found or [""]]
        return "\n".join(lines) + "\n"

    def _histogram(self, name: str) -> list[str]:
        seen = list(self._seen.get(name, [0] * (len(BOUNDS) + 1)))
        bounds = [*(f"{seconds:g}" for seconds in BOUNDS), "+Inf"]
        totals = list(accumulate(seen))
        lines = [f'{name}_bucket{{le="{bound}"}} {total}' for bound, total in zip(bounds, totals, strict=True)]
        return [*lines, f"{name}_sum {self._counted[f'{name}_sum', '']:.12g}", f"{name}_count {totals[-1]}"]


def _inside(label: str, labels: dict[str, object]) -> str:
    pairs = {"code": label, **labels} if label else labels
    return ",".join(f'{name}="{value}"' for name, value in pairs.items())


def _braces(inside: str) -> str:
    return f"{{{inside}}}" if inside else ""
