"""Arguments that no agent should send to the tools of `untold mcp`: each is answered, or refused in words."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

from benchmarks.attack.folders import made
from untold.serve.mcp.server import agents_server
from untold.serve.queries.limits import QueryLimits

COUNT = "SELECT COUNT(*) AS n FROM people"
TEXTS: tuple[Any, ...] = (
    COUNT, "", "\0", "x" * 60_000, "(" * 5000, "SELECT " + "1+" * 5000 + "1", "\ud800", "SELECT * FROM read_csv('/etc/passwd')",
    "COPY people TO '/tmp/x'", "SELECT AVG(age * 1e999) FROM people", None, 5, [], {}, True,
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    0.95,
    -1,
    0,
    1,
    2,
    1e400,
    -1e400,
    float("nan"),
    10**400,
    "0.5",
    "x",
    None,
    [],
    {},
    True,
    2**63,
)
RAW = ("Traceback", "Error(", "KeyError", "TypeError", "ValueError", "OverflowError", "RecursionError", "site-packages")


def attack(scratch: Path, rounds: int, seed: int) -> dict[str, int]:
    """Returns how often a reply was an error that was not in words, and whether the tools still answer."""
    return asyncio.run(calls(made(scratch / "good"), rounds, random.Random(seed)))


async def calls(folder: Path, rounds: int, rng: random.Random) -> dict[str, int]:
    """One after the other, over the protocol."""
    from mcp.client.client import Client

    found = {"rounds": 0, "refused": 0, "raw errors": 0, "died": 0}
    async with Client(agents_server(folder, QueryLimits(seconds=120.0, processes=1))) as client:
        for number in range(rounds):
            tool = rng.choice(("ask", "forecast", "explain", "schema", "nothing"))
            given = {"sql": rng.choice(TEXTS), "users": rng.choice(NUMBERS), "confidence": rng.choice(NUMBERS)}
            words = {name: value for name, value in given.items() if rng.random() < 0.8}
            found["rounds"] += 1
            try:
                reply = await client.call_tool(tool, words)
            except Exception as error:  # of the protocol: the server's refusal, or this client's own
                found["refused"] += 1
                said, failed = str(error), True
            else:
                said, failed = str(reply.content), bool(reply.is_error)
                found["refused"] += failed
            if failed and any(word in said for word in RAW):
                found["raw errors"] += 1
                print(f"agents, round {number}: {tool} {str(words)[:150]}: {said[:300]}", flush=True)
        good = await client.call_tool("ask", {"sql": COUNT})
        found["died"] = int(bool(good.is_error))
        if good.is_error:
            print(f"agents, at the end: {good.content}", flush=True)
    return found
