"""A PostgreSQL server for the tests of a session, and collectors over a folder and over that server alike."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.collector.postgres import FAST, Postgres, available, scratch
from benchmarks.collector.server import PLAN

from helpers.inside import ROOMY, open_collector
from untold.plan import Plan
from untold.serve.collector import Collector, collector_over
from untold.serve.reports.jobs import LogLimits

Opener = Callable[..., Any]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server as another user than root; without fsync, since nobody cuts its power."""
    if not available():
        pytest.skip("PostgreSQL is not installed")
    folder = scratch()
    server = Postgres(folder / "data", FAST).create()
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder)


@pytest.fixture
def ledger_of(postgres: Postgres) -> Callable[[Path], str]:
    """The address of an empty database for each folder of a test."""
    made: dict[Path, str] = {}

    def address(path: Path) -> str:
        if path not in made:
            made[path] = f"t{len(postgres.ask('SELECT 1 FROM pg_database'))}"
            postgres.ask(f"CREATE DATABASE {made[path]}")
        return postgres.url.replace("/postgres", f"/{made[path]}")

    return address


@pytest.fixture(params=["folder", "postgresql"])
def opener(request: pytest.FixtureRequest) -> Opener:
    """Opens collectors over a folder, or over a database with segments in that folder."""
    if request.param == "folder":
        return open_collector
    ledger_of = request.getfixturevalue("ledger_of")

    def over(path: Path, plan: Plan = PLAN, limits: LogLimits = ROOMY, **options: Any) -> Collector:
        return collector_over(plan, path, ledger_of(path), limits=limits, **options)

    return over
