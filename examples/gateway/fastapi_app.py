"""A backend with FastAPI that carries reports of people who are logged in: uvicorn fastapi_app:app"""

import os

from fastapi import Depends, FastAPI, HTTPException, Request

import untold

app = FastAPI()
gateway = untold.Gateway(os.environ["COLLECTOR"], os.environ["GATEWAY_TOKEN"])


def current_user(request: Request) -> str:
    return request.headers["x-user"]  # in the place of your log-in


@app.post("/reports")
async def reports(request: Request, user: str = Depends(current_user)) -> dict[str, int]:
    try:
        carried = await gateway.forward_async(await request.body(), user)
    except untold.BadRecord as error:
        raise HTTPException(400, str(error)) from error
    except untold.CollectorError as error:
        raise HTTPException(503, str(error)) from error  # the device keeps its report, and comes again
    return {"counted": carried.counted, "repeated": carried.repeated}
