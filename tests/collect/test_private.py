"""Temporary folders with true rows: private, gone at the end, and gone after a kill once the next one is made."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

import untold
from untold.collect import private
from untold.collect.private import PREFIX, private_folder

PLAN = untold.Plan.from_dict(
    {
        "name": "poll",
        "user_key": "uid",
        "epsilon": 2.0,
        "services": {
            "votes": {
                "rows_per_user": {"max": 2, "report": 1},
                "attributes": {"choice": {"kind": "categorical", "values": ["yes", "no"]}},
            }
        },
    }
)
TABLE = pa.table({"uid": [1, 2, 2], "choice": ["yes", "no", "no"]})
# perturbs a stream, and stops in the middle: when all rows are in temporary files
HANGING = """
import sys, pyarrow as pa, untold
from untold.collect import one_call
def hang(self, grouped):
    print("rows are on the disk", flush=True)
    sys.stdin.read()
one_call.Run.many_rows_each = hang
table = pa.table({"uid": [1, 2, 2], "choice": ["yes", "no", "no"]})
reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
untold.perturb(untold.Plan.from_json(sys.argv[1]), "votes", reader, population=[1, 2, 3], ledger={})
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@contextmanager
def hanging(temporary: Path) -> Iterator[subprocess.Popen[str]]:
    """A process in the middle of `perturb`."""
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", HANGING, PLAN.to_json()]
    with subprocess.Popen(command, env=known, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "rows are on the disk\n"
            yield process
        finally:
            process.kill()


def perturb_here() -> None:
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches())
    assert untold.perturb(PLAN, "votes", reader, population=[1, 2, 3], ledger={}).users == 3


def left(temporary: Path) -> list[Path]:
    return sorted(temporary.glob(f"{PREFIX}*"))


def test_a_folder_is_private_and_goes(temporary: Path) -> None:
    def fail() -> None:
        with private_folder() as folder:
            assert folder.parent == temporary
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            (folder / "rows").write_text("true")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert left(temporary) == []


def test_what_a_killed_process_left_is_removed_by_the_next_one(temporary: Path) -> None:
    with hanging(temporary) as process:
        held = left(temporary)
        assert len(held) == 2  # the stream, and DuckDB's scratch paper
        assert all(any(folder.glob("*.parquet")) for folder in held)
        perturb_here()
        assert left(temporary) == held  # their process lives
        process.kill()
        process.wait(10)
        assert left(temporary) == held
    perturb_here()
    assert left(temporary) == []


def test_a_sweep_that_asks_for_no_lock_is_noticed(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def never_busy(folder: Path) -> Iterator[None]:
        yield

    monkeypatch.setattr(private, "FolderLock", never_busy)
    with hanging(temporary):
        private.remove_unheld()
        assert left(temporary) == []


def test_folders_of_others_and_what_only_looks_like_one_stay(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = temporary / f"{PREFIX}theirs"
    elsewhere = temporary / "elsewhere"
    for folder in (theirs, elsewhere):
        folder.mkdir()
        (folder / "file").write_text("theirs")
    (temporary / f"{PREFIX}link").symlink_to(elsewhere)
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    perturb_here()
    assert (theirs / "file").exists()
    monkeypatch.setattr(os, "getuid", lambda: me)
    perturb_here()
    assert not theirs.exists()
    assert (elsewhere / "file").exists()


def test_a_folder_that_is_swept_before_it_is_locked_is_made_anew(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process sweeps between the making and the locking, or between the opening and the locking."""
    make, made = tempfile.mkdtemp, []

    def swept_at_first(prefix: str) -> str:
        folder = make(prefix=prefix)
        made.append(folder)
        if len(made) == 1:
            private.remove_unheld()
            assert not Path(folder).exists()
        return folder

    class SweptOnce(private.FolderLock):
        def __enter__(self) -> private.FolderLock:
            lock = super().__enter__()
            if len(made) == 2:
                shutil.rmtree(self.folder)
            return lock

    monkeypatch.setattr(tempfile, "mkdtemp", swept_at_first)
    monkeypatch.setattr(private, "FolderLock", SweptOnce)
    with private_folder() as folder:
        assert folder.exists()
    assert len(made) == 3
