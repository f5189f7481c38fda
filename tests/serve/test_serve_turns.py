"""Everybody gets their turn: at the door for BI tools, and before the query processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from untold.serve.mysql.visitors import Visitors
from untold.serve.queries.queue import FairQueue, Full

PATIENCE = 60.0  # seconds; only to see that it hangs


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def in_time() -> None:
        async with asyncio.timeout(PATIENCE):
            await work()

    asyncio.run(in_time())


async def waits() -> asyncio.Task[None]:
    """Somebody who is connected until they are sent away."""

    async def forever() -> None:
        await asyncio.Event().wait()

    task = asyncio.create_task(forever())
    await asyncio.sleep(0)
    return task


def test_whose_connections_are_most_makes_way() -> None:
    async def work() -> None:
        visitors = Visitors(most=20, guests=4)
        ada = [await waits() for _ in range(5)]
        for each in ada:
            visitors.arrive(each)
        assert [visitors.enter(each, "ada") for each in ada] == [True] * 4 + [False]
        bob = [await waits() for _ in range(3)]
        assert [visitors.enter(each, "bob") for each in bob] == [True, True, False]  # two each: nobody has more
        await asyncio.sleep(0)
        assert [each.cancelled() for each in ada[:4]] == [True, True, False, False]
        for each in (*ada, *bob):
            each.cancel()
        await asyncio.gather(*ada, *bob, return_exceptions=True)

    run(work)


def test_names_take_turns() -> None:
    """Ada has asked five times before Bob has once: Bob is second."""

    async def work() -> None:
        queue: FairQueue[int] = FairQueue(most=10)
        served: list[str] = []

        async def ask(name: str) -> None:
            worker = await queue.take(name, PATIENCE)
            served.append(name)
            queue.put(worker)

        asked = [asyncio.create_task(ask("ada")) for _ in range(5)]
        await asyncio.sleep(0)
        asked.append(asyncio.create_task(ask("bob")))
        await asyncio.sleep(0)
        queue.put(1)
        await asyncio.gather(*asked)
        assert served == ["ada", "bob", *["ada"] * 4]

    run(work)


def test_a_full_queue_has_room_for_who_waits_least() -> None:
    async def work() -> None:
        queue: FairQueue[int] = FairQueue(most=3)
        ada = [asyncio.create_task(queue.take("ada", PATIENCE)) for _ in range(4)]
        await asyncio.sleep(0)
        bob = asyncio.create_task(queue.take("bob", PATIENCE))
        await asyncio.sleep(0.01)
        assert [each.done() and isinstance(each.exception(), Full) for each in ada] == [False, False, True, True]
        for worker in (1, 2, 3):
            queue.put(worker)
        assert await asyncio.gather(ada[0], bob, ada[1]) == [1, 2, 3]

    run(work)


def test_who_gives_up_takes_no_worker_along() -> None:
    async def work() -> None:
        queue: FairQueue[int] = FairQueue(most=3)
        gone, stays = (asyncio.create_task(queue.take("ada", PATIENCE)) for _ in range(2))
        await asyncio.sleep(0)
        queue.put(1)
        gone.cancel()  # in the moment in which it was its turn
        assert await stays == 1
        late = asyncio.create_task(queue.take("bob", 0.01))
        assert isinstance((await asyncio.gather(late, return_exceptions=True))[0], TimeoutError)
        queue.put(1)
        assert await queue.take("eve", 0.0) == 1

    run(work)
