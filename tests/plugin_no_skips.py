"""A pytest plugin: where CI=true, a skipped test fails. scripts/test loads it with -p.

A test that is skipped everywhere protects nothing, and nobody reads the count of skips in a log. Expected failures are
not skips and stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

Report = pytest.TestReport | pytest.CollectReport


def fail_if_skipped(report: Report) -> None:
    """Turn a skip into a failure that repeats the reason."""
    if os.environ.get("CI") != "true" or report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"{report.nodeid} was skipped, and CI=true allows no skips. {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, Report, Report]:
    report = yield
    fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, Report, Report]:
    report = yield
    fail_if_skipped(report)
    return report
