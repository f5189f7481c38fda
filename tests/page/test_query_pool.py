"""Query processes: answers, refusals with their places, deadlines, memory, and what they are kept from."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from processes import children, environment, memory
from site_under_test import SHOP, fill

import untold
from untold.ask.sql.parameters import text_with
from untold.commands.demo.people import people
from untold.serve.queries.limits import QueryLimits
from untold.serve.queries.pool import QueryPool
from untold.serve.queries.process import QueryProcess
from untold.store.asked import QuestionLog, asked_often

SLACK = 60.0  # seconds on top of a deadline: far from the endless, however busy the machine
COUNT = "SELECT COUNT(*) AS n FROM users WHERE age < 40"
MANY = "SELECT age, income, SUM(amount) AS n FROM users JOIN transactions USING (uid) GROUP BY age, income"  # scores of each
ENDLESS = "SELECT age, income, category, COUNT(*) AS n FROM users JOIN transactions USING (uid) GROUP BY ALL"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pool") / "reports"
    fill(made, 2000)
    return made


def with_pool(folder: Path, work: Callable[[QueryPool], Awaitable[Any]], **limits: Any) -> Any:
    """Run something with a pool that has a process ready."""

    async def run() -> Any:
        async with QueryPool(folder, QueryLimits(**{"processes": 1, **limits})) as pool:
            pool.start()
            while not pool.pids:
                await asyncio.sleep(0.02)
            return await work(pool)

    with ThreadPoolExecutor(1) as thread:  # the driver of a browser may hold this one's event loop
        return thread.submit(asyncio.run, run()).result()


def test_answers_are_those_of_a_connection(folder: Path) -> None:
    async def work(pool: QueryPool) -> Any:
        return [await pool.ask("query", {"sql": COUNT, "confidence": 0.9, "format": form}) for form in ("json", "csv")]

    answer, table = with_pool(folder, work)
    with untold.connect(folder, summaries=False) as con:
        value, se, low, high = con.sql(COUNT, confidence=0.9).fetchall()[0]
    (cell,) = json.loads(answer.body)["rows"][0]
    assert (cell["value"], cell["se"], cell["low"], cell["high"]) == pytest.approx((value, se, low, high))
    assert [float(x) for x in table.body.decode().splitlines()[1].split(",")] == pytest.approx([value, se, low, high])


def test_questions_that_were_answered_are_logged_where_that_is_wanted(folder: Path, tmp_path: Path) -> None:
    log = QuestionLog(tmp_path / "asked.jsonl", days=3)
    where = "SELECT COUNT(*) FROM users WHERE age > ?"

    async def work(pool: QueryPool) -> Any:
        pool.log = log
        for sql, given in ((where, [30]), (where, [30]), (where, None), ("SELECT COUNT(*) FROM nobody", None)):
            await pool.ask("query", {"sql": sql, "parameters": given}, who="ada")
        await pool.ask("check", {"sql": COUNT})

    with_pool(folder, work, seconds=60.0)  # on a busy machine, too
    assert asked_often(log.path, text_with) == [(where.replace("?", "30"), 2)]
    assert "ada" not in log.path.read_text()


def test_a_downloaded_table_holds_no_formula(tmp_path: Path) -> None:
    """What a device sent as public text, the analyst opens in a spreadsheet."""
    table = people(200)[0].to_pandas().assign(os='=HYPERLINK("http://example.org")')
    untold.perturb(SHOP, "users", table, out=tmp_path / "r")

    async def work(pool: QueryPool) -> Any:
        sql = "SELECT os, COUNT(*) AS n FROM users GROUP BY os"
        return [await pool.ask("query", {"sql": sql, "format": form}) for form in ("csv", "json")]

    table, answer = with_pool(tmp_path / "r", work)
    assert table.body.decode().splitlines()[1].startswith("\"'=HYPERLINK(")
    assert json.loads(answer.body)["rows"][0][0]["value"].startswith("=HYPERLINK(")


def test_a_refusal_says_where(folder: Path) -> None:
    async def work(pool: QueryPool) -> Any:
        return await pool.ask("check", {"sql": "SELECT COUNT(*)\nFROM users\nWHERE  nobody = 1"})

    reply = with_pool(folder, work)
    said = json.loads(reply.body)
    assert reply.status == 422
    assert (said["start"], said["end"], said["line"], said["column"]) == (34, 40, 3, 8)
    assert "^" not in said["message"]
    assert said["hint"]


def test_a_query_is_stopped_at_its_deadline_and_the_next_one_is_answered(folder: Path) -> None:
    async def work(pool: QueryPool) -> Any:
        (first,) = pool.pids
        start = time.monotonic()
        reply = await pool.ask("query", {"sql": ENDLESS})
        took = time.monotonic() - start
        while (await pool.ask("query", {"sql": COUNT})).status != 200:
            pass  # a fresh one may be slow at first
        return first, json.loads(reply.body)["error"], took

    first, error, took = with_pool(folder, work, seconds=3.0, megabytes=4000)
    assert error == "too-slow"
    assert took < 3 + SLACK
    assert not Path(f"/proc/{first}").exists()


def test_memory_is_bounded_and_the_process_lives_on(folder: Path) -> None:
    async def work(pool: QueryPool) -> Any:
        (first,) = pool.pids
        reply = await pool.ask("query", {"sql": MANY})
        seen = [memory(first, field) for field in ("VmHWM", "RssFile", "VmData")]
        return first in pool.pids, json.loads(reply.body).get("error"), *seen

    lives, error, peak, code, data = with_pool(folder, work, seconds=300.0, megabytes=700)
    assert (lives, error) == (True, "too-large")
    assert data <= 700
    assert peak <= 700 + code  # the code of libraries is not counted: see limits.bind
    assert code < 200


def test_who_asks_after_memory_ran_out_is_answered(folder: Path) -> None:
    async def work(pool: QueryPool) -> list[Any]:
        texts = (MANY, "SELECT COUNT(*) AS n FROM users WHERE state ~ 'N'")
        return [json.loads((await pool.ask("query", {"sql": text})).body).get("error") for text in texts]

    assert with_pool(folder, work, seconds=300.0, megabytes=700) == ["too-large", None]


def test_new_reports_are_seen(tmp_path: Path) -> None:
    target = tmp_path / "reports"
    fill(target, 1000)

    async def work(pool: QueryPool) -> Any:
        first = await pool.ask("query", {"sql": "SELECT COUNT(*) AS n FROM users"})
        users, _ = people(1500)
        fresh = users.slice(1000)
        await asyncio.to_thread(untold.perturb, untold.connect(target).plan, "users", fresh, out=target)
        return first, await pool.ask("query", {"sql": "SELECT COUNT(*) AS n FROM users"})

    counts = [json.loads(reply.body)["rows"][0][0]["value"] for reply in with_pool(target, work)]
    assert counts == [1000, 1500]


def test_epochs_are_chosen(tmp_path: Path) -> None:
    plan, (users, _) = untold.Plan.load(SHOP), people(1500)
    for epoch, some in ((0, users), (3, users.slice(0, 1000))):
        untold.perturb(plan, "users", some, out=tmp_path / "reports", epoch=epoch)

    async def work(pool: QueryPool) -> Any:
        asked = (None, [0], [3], [3, 0, 3], [7], [], ["0"], [True], 3, [0.0])
        everybody = {"sql": "SELECT COUNT(*) AS n FROM users"}
        return [await pool.ask("query", everybody if e is None else {**everybody, "epochs": e}) for e in asked]

    replies = with_pool(tmp_path / "reports", work)
    assert [json.loads(reply.body)["rows"][0][0]["value"] for reply in replies[:4]] == [2500, 1500, 1000, 2500]
    assert [reply.status for reply in replies[4:]] == [409, 400, 400, 400, 400, 400]


def test_a_folder_without_reports_is_asked_in_vain(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(untold.Plan.load(SHOP).to_json())

    async def work(pool: QueryPool) -> Any:
        return [await pool.ask(kind, {"sql": COUNT, "users": 10}) for kind in ("query", "check", "forecast")]

    assert [reply.status for reply in with_pool(tmp_path, work)] == [409, 200, 200]


def test_a_process_has_no_secret_and_writes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "not for query processes")
    before = sorted(folder.rglob("*"))

    async def work(pool: QueryPool) -> Any:
        (first,) = pool.pids
        for _ in range(3):
            await pool.ask("query", {"sql": COUNT})
        return environment(first), Path(f"/proc/{first}/limits").read_text()

    seen, limits = with_pool(folder, work)
    assert b"not for query processes" not in seen
    assert any(line.split()[:4] == ["Max", "file", "size", "0"] for line in limits.splitlines())
    assert sorted(folder.rglob("*")) == before  # no summaries, no caches


@pytest.mark.parametrize(
    "attempt",
    [
        "open('{out}', 'w')",
        "open('{out}', 'ab')",
        "__import__('os').open('{out}', 65)",
        "__import__('os').system('true')",
        "__import__('subprocess').run(['true'])",
        "__import__('os').fork()",
        "__import__('os').posix_spawn('/bin/true', ['true'], {{}})",
        "__import__('socket').create_connection(('127.0.0.1', 9))",
        "__import__('os').remove('{out}')",
        "__import__('os').mkdir('{out}')",
        "__import__('ctypes').CDLL('libc.so.6')",
        "bytearray(900 << 20)",
    ],
)
def test_a_bound_process_is_kept_from(attempt: str, tmp_path: Path) -> None:
    done = bound(attempt.format(out=tmp_path / "out"), 600)
    assert done.stdout == "kept\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_it_is_the_limit_that_keeps_it() -> None:
    assert bound("bytearray(900 << 20)", 2000).stdout == "did it\n"


def bound(attempt: str, megabytes: int) -> subprocess.CompletedProcess[str]:
    """Try something in a process that has bound itself."""
    program = (
        "import os, socket, subprocess, ctypes\nfrom untold.serve.queries.limits import QueryLimits, bind\n"
        f"bind(QueryLimits(megabytes={megabytes}))\ntry:\n    {attempt}\n    print('did it')\n"
        "except (PermissionError, MemoryError):\n    print('kept')\n"
    )
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)


def test_queries_wait_their_turn_and_too_many_are_sent_away(folder: Path) -> None:
    async def work(pool: QueryPool) -> Any:
        asked = [pool.ask("query", {"sql": COUNT}) for _ in range(12)]
        return [reply.status for reply in await asyncio.gather(*asked)]

    statuses = with_pool(folder, work, waiting=4)
    assert statuses.count(200) in (4, 5)
    assert statuses.count(503) == 12 - statuses.count(200)


def test_a_start_that_was_too_slow_gets_twice_the_time_and_askers_are_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine a start can take minutes. Given the same time again and again, none would ever end."""
    given: list[float] = []

    async def slow(where: Path, limits: QueryLimits, patience: float = 120.0) -> QueryProcess:
        given.append(patience)
        if len(given) < 4:
            raise TimeoutError
        raise asyncio.CancelledError

    async def run() -> Any:
        async with QueryPool(folder, QueryLimits(processes=1, seconds=0.05, starting=0.05)) as pool:
            told = json.loads((await pool.ask("query", {"sql": COUNT})).body)
            while len(given) < 4:
                await asyncio.sleep(0.01)
            return told

    monkeypatch.setattr(QueryProcess, "start", slow)
    monkeypatch.setattr("untold.serve.queries.pool.FIRST_PAUSE", 0.001)
    with ThreadPoolExecutor(1) as thread:
        told = thread.submit(asyncio.run, run()).result()
    assert given == [120.0, 240.0, 480.0, 960.0]
    assert (told["error"], told["message"]) == ("busy", "The query processes are still starting.")


def test_processes_are_replaced_after_a_while_and_end_with_the_pool(folder: Path) -> None:
    async def work(pool: QueryPool) -> Any:
        seen = set(pool.pids)
        for _ in range(5):
            assert (await pool.ask("check", {"sql": COUNT})).status == 200
            seen |= pool.pids
        return seen

    seen = with_pool(folder, work, lifetime=2, seconds=20.0)
    assert len(seen) >= 2
    assert not children(os.getpid()) & seen


def test_a_process_that_dies_is_a_refusal_and_not_the_end(folder: Path) -> None:
    async def work(pool: QueryPool) -> Any:
        (first,) = pool.pids
        asked = asyncio.ensure_future(pool.ask("query", {"sql": ENDLESS}))
        await asyncio.sleep(0.3)
        os.kill(first, 9)
        return (await asked).status, (await pool.ask("query", {"sql": COUNT})).status

    assert with_pool(folder, work, seconds=120.0, megabytes=4000) == (422, 200)


@pytest.mark.parametrize("busy", [False, True])
def test_processes_do_not_outlive_a_server_that_is_killed(folder: Path, busy: bool) -> None:
    """Idle ones see the end of their input; busy ones are ended by the kernel a little after the deadline."""
    ask = f"asyncio.ensure_future(pool.ask('query', {{'sql': {ENDLESS!r}}})); " if busy else ""
    program = (
        "import asyncio, os\nfrom untold.serve.queries.limits import QueryLimits\nfrom untold.serve.queries.pool import QueryPool\n"
        f"async def run():\n    pool = QueryPool({str(folder)!r}, QueryLimits(seconds=1.0, processes=1, megabytes=4000))\n"
        f"    pool.start()\n    while not pool.pids: await asyncio.sleep(0.02)\n    print(*pool.pids, flush=True)\n"
        f"    {ask}await asyncio.sleep(0.5)\n    os.kill(os.getpid(), 9)\nasyncio.run(run())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False)
    (pid,) = map(int, done.stdout.split())
    end = time.monotonic() + SLACK
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split():
        assert time.monotonic() < end, "a query process outlives its server"
        time.sleep(0.1)
