"""Refusals as HTTP responses, and the check of a token before a handler runs."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from untold.serve.collector import Collector
from untold.wire.contract import CODES, Code


class Refusal(Exception):
    """Ends a request with a status, a code for machines and a sentence for people; never with a value or a key."""

    def __init__(self, code: Code, message: str, retry_after: int | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.status = CODES[code].status if status is None else status
        self.code, self.message, self.retry_after = code, message, retry_after

    @property
    def headers(self) -> dict[str, str]:
        """Retry-After, where there is one."""
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}


def refuse(request: Request, refusal: Exception) -> Response:
    """A refusal as a response."""
    assert isinstance(refusal, Refusal)
    body = {"error": refusal.code, "message": refusal.message}
    return JSONResponse(body, refusal.status, headers=refusal.headers)


def collector_of(request: Request) -> Collector:
    """The collector that serves a request."""
    found: Collector = request.app.state.collector
    return found


def bearer(authorization: str) -> str:
    """The token of an Authorization header; empty if there is none."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def require(request: Request, role: str) -> None:
    """Refuse whoever does not hold the token of a role (gateway, operator)."""
    if not collector_of(request).holds(role, _token(request)):
        raise Refusal(
            "bad-token",
            f"this needs the {role}'s token as 'Authorization: Bearer ...'; `untold serve token {role}` prints it.",
        )


def require_analyst(request: Request) -> str:
    """The name of the analyst who asks; a refusal if their token is nobody's, or was revoked."""
    collector = collector_of(request)
    name = collector.analysts.now.who(_token(request), collector.tokens)
    if name is None:
        raise Refusal(
            "bad-token",
            "this needs an analyst's token as 'Authorization: Bearer ...'; `untold serve tokens add NAME` makes one.",
        )
    return name


def _token(request: Request) -> str:
    return bearer(request.headers.get("authorization", ""))
