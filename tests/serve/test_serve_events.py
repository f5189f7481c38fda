"""Everything that a collector, its libraries and its query processes have to say is one JSON object a line."""

from __future__ import annotations

import asyncio
import io
import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.collector.bodies import body
from benchmarks.collector.server import PLAN, Server

from helpers.inside import open_collector
from untold.errors import StoreError
from untold.serve import events
from untold.serve.queries.limits import QueryLimits
from untold.serve.queries.process import QueryProcess
from untold.store.logs import HOME

SECRET_LITERAL = 98765  # no part of a port, nor likely of a plan's id


def test_a_collector_in_trouble_speaks_json_alone(tmp_path: Path) -> None:
    server = Server(tmp_path / "r", ("--query-seconds", "0.1", "--segment-seconds", "0.1"))
    server.start()
    try:
        gateway, analyst = (f"Bearer {server.tokens.role(role)}" for role in ("gateway", "analyst"))
        kind = "application/vnd.untold.reports"
        server.request("POST", "/reports", body(np.arange(100)), Content_Type=kind, Authorization=gateway)
        with socket.create_connection(("127.0.0.1", server.port), 10) as raw:  # uvicorn complains of this
            raw.sendall(b"this is no HTTP\r\n\r\n")
            raw.recv(1000)
        server.operate("/flush")
        asked = json.dumps({"sql": f"SELECT COUNT(*) AS n FROM people WHERE age < {SECRET_LITERAL}"}).encode()
        end, status = time.monotonic() + 60, 503
        while status == 503 and time.monotonic() < end:  # until a process is there, and has no time
            status, _ = server.request("POST", "/query", asked, Authorization=analyst)
        (server.folder / HOME / "analysts.json").write_text("{}")
        assert server.request("POST", "/query", asked, Authorization=analyst)[0] == 500  # Starlette and uvicorn log it
    finally:
        code = server.stop()
    assert code == 0
    said = [json.loads(line) for line in server.said().splitlines()]  # or this fails
    assert all(isinstance(line["event"], str) and isinstance(line["time"], float) for line in said)
    by_event = {line["event"]: line for line in said}
    assert {"started", "listening", "segments", "asked", "uvicorn.error", "stopping", "stopped"} <= set(by_event)
    failed = next(line for line in said if line.get("error") == "StoreError")
    assert "analysts.json is damaged" in failed["message"]
    assert any("analysts.py" in place for place in failed["where"])
    assert any("Invalid HTTP request" in line.get("said", "") for line in said)
    assert str(SECRET_LITERAL) not in " ".join(str({k: v for k, v in line.items() if k != "time"}) for line in said)


def test_a_process_that_will_not_start_says_so_in_json(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plan.json").write_text(PLAN.to_json())

    async def start() -> None:
        with pytest.raises(asyncio.IncompleteReadError):
            await QueryProcess.start(tmp_path, QueryLimits(megabytes="many"))  # type: ignore[arg-type]  # Python's traceback, in plain text

    asyncio.run(start())
    said = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert {line["event"] for line in said} == {"query process"}
    assert any("Error" in line["said"] for line in said)


@pytest.mark.parametrize(
    ("line", "shown", "printed"),
    [
        (b'{"time": 1.0, "event": "query failed"}\n', False, {"event": "query failed"}),
        (
            b"near WHERE uid = 'u-17'\n",
            False,
            {"event": "query process", "said": "(not shown: it may quote a question)"},
        ),
        (b"ImportError: no module\n", True, {"event": "query process", "said": "ImportError: no module"}),
        (b"[1, 2]\n", True, {"event": "query process", "said": "[1, 2]"}),
        (b"\n", True, None),
    ],
)
def test_lines_of_query_processes(line: bytes, shown: bool, printed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    events.note_line(line, shown)
    said = capsys.readouterr().err
    assert ({k: v for k, v in json.loads(said).items() if k not in ("time", "level")} if said else None) == printed


def test_an_error_of_others_is_told_without_its_text() -> None:
    def told(error: Exception) -> dict[str, Any]:
        try:
            raise error
        except Exception as raised:
            return events.failure(raised)

    assert "u-17" not in str(told(KeyError("u-17")))
    assert told(StoreError("the file is damaged"))["message"] == "the file is damaged"
    assert "test_serve_events.py" in told(KeyError("u-17"))["where"][-1]


def test_a_failed_collector_does_not_quote_an_error_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for error in (KeyError("u-17"), OSError(28, "No space left on device")):
        with open_collector(tmp_path / type(error).__name__) as collector:
            collector.committer.fail(error)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    key, disk = (line for line in lines if line["event"] == "failed")
    assert (key["error"], "message" in key, "u-17" in json.dumps(lines)) == ("KeyError", False, False)
    assert (disk["error"], disk["errno"], "No space left" in disk["message"]) == ("OSError", 28, True)


def test_a_line_is_written_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or threads that write at once share a line, and neither can be read."""

    class Pieces(io.StringIO):
        def write(self, text: str) -> int:
            pieces.append(text)
            return len(text)

    pieces: list[str] = []
    monkeypatch.setattr(sys, "stderr", Pieces())
    events.note("segments", log=1)
    events.note_line(b'{"time": 1.0, "event": "query failed"}\n', False)
    assert [json.loads(piece)["event"] for piece in pieces] == ["segments", "query failed"]
    assert all(piece.endswith("}\n") for piece in pieces)


def test_every_event_is_in_the_documentation() -> None:
    root = Path(__file__).parents[2]
    watching = (root / "docs" / "deployment.md").read_text().partition("## Watching")[2].partition("\n## ")[0]
    sources = (root / "src" / "untold" / "serve").rglob("*.py")
    noted = {event for file in sources for event in re.findall(r'\bnote\(\s*"([^"]+)"', file.read_text())}
    assert {"started", "asked", "merge put off"} <= noted  # or they were not found
    assert noted == {event for event in noted if f"`{event}`" in watching}


def test_libraries_warnings_and_threads_are_noted() -> None:
    program = (
        "import logging, threading, warnings\n"
        "from untold.serve.events import note_everything\n"
        "note_everything()\n"
        "logging.getLogger('asyncio').error('lost\\nsecond line')\n"
        "logging.getLogger('chatty').info('nobody needs this')\n"
        "warnings.warn('old')\n"
        "t = threading.Thread(target=lambda: {}['u-17'], name='commit'); t.start(); t.join()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    said = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["event"] for line in said] == ["asyncio", "py.warnings", "thread died"]
    assert (said[0]["said"], said[2]["thread"], said[2]["error"]) == ("lost", "commit", "KeyError")
    assert "u-17" not in done.stderr
