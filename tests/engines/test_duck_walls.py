"""The second wall: SQL that reached DuckDB after all could read the segments that are asked, and no other file."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import untold
from untold.ask.engines.duck import DuckEngine
from untold.store import Folder

PLAN = untold.Plan.from_dict(
    {
        "name": "walls",
        "user_key": "uid",
        "epsilon": 1.0,
        "lifetime": 10.0,
        "services": {"people": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 9}}}},
    }
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Two epochs, in a folder with a name that wants quoting, and a collector's files beside them."""
    path = tmp_path / "it's, [here]"
    for epoch in (0, 1):
        table = pa.table({"uid": [f"u-{i}" for i in range(20)], "age": [i % 10 for i in range(20)]})
        untold.perturb(PLAN, "people", table, out=path, epoch=epoch)
    (path / ".collector" / "log").mkdir(parents=True)
    (path / ".collector" / "secrets.json").write_text('{"signing": "00", "secret": "11"}')
    return Folder.open(path)


def hostile(folder: Folder) -> dict[str, str]:
    inside = str(folder.path.resolve()).replace("'", "''")
    segment = folder.paths("people", (1,))[0].name
    return {
        "secrets": f"SELECT content FROM read_text('{inside}/.collector/secrets.json')",
        "secrets as JSON": f"SELECT * FROM read_json('{inside}/.collector/secrets.json')",
        "secrets by a detour": f"SELECT content FROM read_text('{inside}/people/../.collector/secrets.json')",
        "secrets by a pattern": f"SELECT content FROM read_text('{inside}/.collector/secret?.json')",
        "names of files": f"SELECT * FROM glob('{inside}/.collector/*')",
        "the plan": f"SELECT content FROM read_text('{inside}/plan.json')",
        "another epoch": f"SELECT * FROM read_parquet('{inside}/people/{segment}')",
        "a new file": f"COPY (SELECT 1) TO '{inside}/people/x.parquet'",
        "a file elsewhere": "SELECT content FROM read_text('/etc/hostname')",
    }


ATTEMPTS = ("secrets", "secrets as JSON", "secrets by a detour", "secrets by a pattern", "names of files", "the plan")


@pytest.mark.parametrize("attempt", [*ATTEMPTS, "another epoch", "a new file", "a file elsewhere"])
def test_duckdb_reads_the_segments_and_nothing_else(attempt: str, folder: Folder) -> None:
    engine = DuckEngine(folder, (0,))
    try:
        with pytest.raises(duckdb.PermissionException):
            engine._db.execute(hostile(folder)[attempt]).fetchall()
    finally:
        engine.close()


def test_the_segments_are_read_all_the_same(folder: Folder) -> None:
    for epochs, reports in ((None, 40.0), ((0,), 20.0)):
        with untold.connect(folder.path, epochs=epochs, summaries=False) as con:
            assert con.sql("SELECT COUNT(*) AS n FROM people").df()["n"].tolist() == [reports]


def test_a_wall_around_the_whole_folder_would_let_secrets_out(folder: Folder) -> None:
    """The attempts above are real: what kept the whole folder open before would not stop them."""
    db = duckdb.connect(":memory:")
    inside = str(folder.path.resolve()).replace("'", "''")
    db.execute(f"SET allowed_directories = ['{inside}']")
    db.execute("SET enable_external_access = false")
    for attempt in ("secrets", "secrets by a detour", "the plan"):
        assert db.execute(hostile(folder)[attempt]).fetchall()
    db.close()


def test_names_of_folders_are_no_columns(tmp_path: Path) -> None:
    """As `message=5/` would be to a reader that looks for partitions."""
    table = pa.table({"uid": range(200), "age": [i % 10 for i in range(200)]})
    answers = []
    for path in (tmp_path / "plain", tmp_path / "message=5" / "epoch=7"):
        untold.perturb(PLAN, "people", table, out=path, seed=1)
        with untold.connect(path, summaries=False) as con:
            answers.append(con.sql("SELECT COUNT(*) FROM people WHERE age > 4").arrow())
    assert answers[0] == answers[1]
