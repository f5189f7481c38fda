"""The door for agents, through the client of the official package: over standard input and output, and in memory."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import untold
from untold.demo.people import people
from untold.serve.agents.server import agents_server
from untold.serve.agents.words import answer_in_words, schema_in_words
from untold.serve.queries.limits import QueryLimits

SHOP = Path(__file__).parents[2] / "examples" / "shop.toml"
SQL = "SELECT state, COUNT(*) AS people FROM users GROUP BY state ORDER BY state"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("agents") / "reports"
    untold.perturb(untold.Plan.load(SHOP), "users", people(2000)[0], out=out, seed=1)
    return out


def text(result: object) -> str:
    (part,) = result.content  # type: ignore[attr-defined]
    return str(part.text)


def test_four_tools_over_standard_input_and_output(folder: Path) -> None:
    """The command that people put into their agent's settings."""
    command = ["-m", "untold", "mcp", str(folder), "--query-seconds", "120", "--query-processes", "1"]
    started = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))

    async def talk() -> None:
        async with Client(stdio_client(started)) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == {"schema", "ask", "forecast", "explain"}
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
            told = text(await client.call_tool("schema", {}))
            assert "Table users: one row per person" in told
            assert "state (categorical): one of 'NY', 'WA', 'CA'" in told
            answered = text(await client.call_tool("ask", {"sql": SQL}))
            plain = untold.connect(folder).sql(SQL).fetchall()
            shape = "state = {}: people is about {:,.0f}, and with 95% confidence between {:,.0f} and {:,.0f}"
            tens = [(s, *(round(x, -1) for x in (n, low, high))) for s, n, _, low, high in plain]
            assert answered.splitlines()[:3] == [shape.format(*row) for row in tens]  # ± 300 or so: two digits of it
            wide = text(await client.call_tool("ask", {"sql": SQL, "confidence": 0.99}))
            assert "with 99% confidence" in wide
            expected = text(await client.call_tool("forecast", {"sql": SQL, "users": 1000000}))
            assert re.search(r"people will have a 95% interval of ± [\d,]+ in each of 3 groups", expected)
            assert "estimator  blue" in text(await client.call_tool("explain", {"sql": SQL}))

    asyncio.run(asyncio.wait_for(talk(), 300))


REFUSED = {
    "SELECT AVG(state) AS x FROM users": "Hint",
    "SELECT * FROM read_csv('/etc/passwd')": "Files, functions and values cannot stand in FROM",
    "COPY users TO '/tmp/x'": "",
}


def test_a_refusal_is_told_with_its_hint(folder: Path) -> None:
    async def talk() -> None:
        async with Client(agents_server(folder, QueryLimits(seconds=120, processes=1))) as client:
            for sql, said in REFUSED.items():
                refused = await client.call_tool("ask", {"sql": sql})
                assert refused.is_error
                assert said in text(refused)
                assert "root:" not in text(refused)

    asyncio.run(asyncio.wait_for(talk(), 300))


def test_words_of_odd_answers() -> None:
    columns = [{"name": "state", "kind": "key"}, {"name": "n", "kind": "estimate"}]
    cells = [
        {"value": None, "low": None, "high": None, "text": "undefined"},
        {"value": 5.0, "low": None, "high": None, "text": "5.0 (-∞ to ∞)"},
        {"value": 12.0, "low": 12.0, "high": 12.0, "text": "12 ± 0"},
    ]
    rows = [[{"value": s, "text": s}, cell] for s, cell in zip("abc", cells, strict=True)]
    told = {"confidence": 0.95, "columns": columns, "rows": rows, "total": 4, "caption": "4 rows", "notes": ["N."]}
    assert answer_in_words(told).splitlines() == [
        "state = a: n is undefined",
        "state = b: n is 5.0 (-∞ to ∞): its error is not bounded, so this says next to nothing",
        "state = c: n is exactly 12",
        "1 more row not shown; ask with LIMIT or for fewer groups.",
        "(4 rows)",
        "Note: N.",
    ]


def test_words_of_a_folder_without_reports() -> None:
    service = {"name": "s", "rows": "one row per person", "people": 0, "epochs": [], "attributes": []}
    told = {"name": "p", "user_key": "uid", "services": [service], "examples": [], "promise": ("Deny everything.",)}
    assert "Table s: one row per person. 0 people, nothing collected yet." in schema_in_words(told)
