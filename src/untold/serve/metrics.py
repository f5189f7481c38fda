"""Counters and gauges in Prometheus format, for monitoring. Never a value or a user key."""

from __future__ import annotations

from collections import Counter

HELP = {
    "untold_reports_counted_total": ("counter", "Reports that were new and are durable."),
    "untold_reports_repeated_total": ("counter", "Reports that were there already."),
    "untold_reports_refused_total": ("counter", "Reports that were refused, by code."),
    "untold_requests_total": ("counter", "Requests to /reports, by status."),
    "untold_enrolments_total": ("counter", "Requests to /enrol where that is allowed, by status."),
    "untold_commits_total": ("counter", "Group commits."),
    "untold_commit_seconds_total": ("counter", "Time spent on group commits."),
    "untold_log_bytes": ("gauge", "Size of the log that is being written."),
    "untold_log_torn": ("gauge", "Ends of logs that a crash left torn, or a disk lost: kept aside in .collector/log."),
    "untold_connections_open": ("gauge", "Connections, with and without a request."),
    "untold_connections_turned_away": ("gauge", "Connections that were refused or ended since there were too many."),
    "untold_requests_open": ("gauge", "Requests to /reports that are there and wait for their answer."),
    "untold_body_bytes_open": ("gauge", "Bytes of bodies that have arrived and are not answered."),
    "untold_reports_waiting": ("gauge", "Acknowledged reports in a database that are in no segment yet."),
    "untold_database_away_seconds": ("gauge", "For how long the database has not answered."),
    "untold_segments": ("gauge", "Segments that count."),
    "untold_index_runs": ("gauge", "Files of the index of who has reported."),
    "untold_epochs_open": ("gauge", "Epochs that take reports."),
}


class Counts:
    """Counters by name and label."""

    def __init__(self) -> None:
        self._counted: Counter[tuple[str, str]] = Counter()

    def add(self, name: str, amount: float = 1, label: str = "") -> None:
        """Count something; `label` is written as {code="..."}."""
        self._counted[name, label] += amount  # type: ignore[assignment]

    def get(self, name: str, label: str = "") -> float:
        """How much was counted."""
        return self._counted[name, label]

    def text(self, gauges: dict[str, float]) -> str:
        """The text format of Prometheus."""
        lines = []
        for name, (kind, about) in HELP.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            if kind == "gauge":
                lines.append(f"{name} {gauges.get(name, 0):g}")
                continue
            labels = sorted(label for each, label in list(self._counted) if each == name) or [""]
            lines += [f"{name}{_braces(label)} {self._counted[name, label]:.12g}" for label in labels]
        return "\n".join(lines) + "\n"


def _braces(label: str) -> str:
    return f'{{code="{label}"}}' if label else ""
