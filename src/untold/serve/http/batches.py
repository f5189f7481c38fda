"""POST /batches: the one door through which reports of a mixed plan come in."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from untold.randomness import Secure
from untold.serve.http.refusals import Refusal, require
from untold.serve.relay.arrivals import Batches, Conflict
from untold.serve.relay.batch import BadBatch
from untold.store import files

MOST = 4 << 30  # bytes of a batch


async def batches(request: Request) -> Response:
    """Take a batch: {"counted": 1} if it is new, {"repeated": 1} if it is the one that is there."""
    taken: Batches | None = request.app.state.batches
    if taken is None:
        raise Refusal("not-found", "this plan is not mixed: reports come to /reports.")
    require(request, "relay")
    arrived = taken.folder / f".incoming-{Secure().words((2,)).tobytes().hex()}"
    try:
        with files.create(arrived, mode=0o600) as file:
            size = 0
            async for piece in request.stream():
                size += len(piece)
                if size > MOST:
                    raise Refusal("too-large", f"a batch has at most {MOST} bytes.")
                file.write(piece)
            await asyncio.to_thread(files.sync, file)
        new = await asyncio.to_thread(taken.take, arrived)
    except BadBatch as error:
        raise Refusal("bad-binary", str(error)) from error
    except Conflict as error:
        raise Refusal("conflict", str(error)) from error
    finally:
        arrived.unlink(missing_ok=True)
    return JSONResponse({"counted": int(new), "repeated": int(not new), "refused": []})
