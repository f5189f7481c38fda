"""The contract of engines: what the protocol says is what each has, and a third one needs no more than an entry in ENGINES."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, ClassVar

import pytest
from three_engines import SlowEngine, make_reports, same_answers

import untold
from helpers.spark_sessions import NEEDS_JAVA
from untold.ask.engines import ENGINES, EngineKind, kinds
from untold.ask.engines.base import Engine
from untold.ask.engines.duck import DuckEngine
from untold.ask.engines.summaries import FOLDER
from untold.cli import main

QUERIES = (
    "SELECT COUNT(*) AS n FROM users WHERE age > 5",
    "SELECT state, AVG(age) AS years FROM users GROUP BY state ORDER BY state",
    "SELECT os, COUNT(*) AS n FROM users WHERE state <> 'CA' GROUP BY os HAVING COUNT(*) > 1 ORDER BY os",
)


class ToyEngine(SlowEngine):
    """Reads one report after the other, and notes what it was asked for."""

    asked: ClassVar[list[str]] = []

    def moments(self, scan: Any) -> Any:
        self.asked.append("moments")
        return super().moments(scan)

    def counts(self, kind: Any, files: Any = None) -> Any:
        self.asked.append("counts" if files is None else "counts of files")
        return super().counts(kind, files)

    def supports(self, service: str) -> Any:
        self.asked.append("supports")
        return super().supports(service)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = EngineKind("toy", lambda folder, epochs, session, options: ToyEngine(folder, epochs))
    monkeypatch.setattr(kinds, "ENGINES", (*ENGINES, toy))
    ToyEngine.asked.clear()


def public(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def spark_engine() -> type:
    from untold.ask.engines.spark import SparkEngine

    return SparkEngine


@pytest.mark.parametrize(
    "engine", [lambda: DuckEngine, pytest.param(spark_engine, marks=NEEDS_JAVA), lambda: SlowEngine]
)
def test_an_engine_has_what_the_protocol_says_and_no_more(engine: Any) -> None:
    has = engine()
    assert public(has) == public(Engine)
    for name in public(Engine) - {"tallies"}:
        wanted, found = (inspect.signature(getattr(each, name)).parameters for each in (Engine, has))
        assert [(p.name, p.kind, p.default) for p in found.values()] == [
            (p.name, p.kind, p.default) for p in wanted.values()
        ], name


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("summaries", [False, "in memory", True])
def test_a_third_engine_gives_the_same_answers(tmp_path: Path, sql: str, summaries: Any) -> None:
    folder = make_reports("shop", tmp_path / "r")
    with (
        untold.connect(folder, engine="toy", summaries=summaries) as toy,
        untold.connect(folder, summaries=False) as duck,
    ):
        for _ in range(2):  # the second time from a summary, where they are kept
            same_answers(toy.sql(sql).arrow(), duck.sql(sql).arrow())
        assert ToyEngine.asked
        assert ("counts of files" in ToyEngine.asked) == bool(summaries)
        assert (folder / FOLDER).exists() == (summaries is True)
        if not summaries:
            assert toy.explain(sql) == duck.explain(sql)


def test_its_summaries_serve_the_others(tmp_path: Path) -> None:
    folder = make_reports("shop", tmp_path / "r")
    with untold.connect(folder, engine="toy") as toy:
        toy.index()
    assert set(ToyEngine.asked) == {"counts of files"}
    with untold.connect(folder) as duck, untold.connect(folder, summaries=False) as fresh:
        answer = duck.sql(QUERIES[0])
        same_answers(answer.arrow(), fresh.sql(QUERIES[0]).arrow())
        assert answer.result.source.startswith("summary")


@pytest.mark.parametrize("oracle", ["grr", "olh", "oue"])
def test_a_third_engine_counts_for_marginals(tmp_path: Path, oracle: str) -> None:
    folder = make_reports("shop", tmp_path / "r", oracle=oracle)
    with untold.connect(folder, engine="toy", summaries=False) as toy, untold.connect(folder, summaries=False) as duck:
        same_answers(toy.marginal(["state"], "users").arrow(), duck.marginal(["state"], "users").arrow())
    assert ToyEngine.asked == (["counts"] if oracle == "grr" else ["supports"])


def test_a_third_engine_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_reports("shop", tmp_path / "r")
    assert main(["query", str(folder), QUERIES[0], "--engine", "toy", "--format", "csv"]) == 0
    theirs = capsys.readouterr().out.splitlines()
    assert main(["query", str(folder), QUERIES[0], "--format", "csv"]) == 0
    ours = capsys.readouterr().out.splitlines()
    assert theirs[0] == ours[0]
    assert list(map(float, theirs[1].split(","))) == pytest.approx(list(map(float, ours[1].split(","))), rel=1e-9)
    assert ToyEngine.asked


def test_options_go_to_the_engines_that_know_them(tmp_path: Path) -> None:
    folder = make_reports("shop", tmp_path / "r")
    with untold.connect(folder, threads=1, megabytes=500) as con:
        assert len(con.sql(QUERIES[0])) == 1
    for engine in ("toy", "spark"):
        with pytest.raises(untold.UntoldError, match='threads = 1 is for engine="duckdb"'):
            untold.connect(folder, engine=engine, threads=1)
    with pytest.raises(untold.UntoldError, match="one of duckdb, spark, toy, or a SparkSession"):
        untold.connect(folder, engine="other")
