"""The two pages and what they are made of: plain files in one frame, sent with a policy that allows nothing from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.resources import files
from string import Template
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

STATIC = str(files("untold.serve.pages").joinpath("static"))
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True)
class Page:
    """What differs between the pages, beside their bodies."""

    path: str
    title: str
    name: str  # of its body and its script
    styles: tuple[str, ...]
    skip: str
    tools: str = ""


HERE = ' aria-current="page"'
SIGN_OUT = '\n  <button type="button" class="quiet" id="sign-out" hidden>Sign out</button>'
ASK = Page("/", "Ask", "ask", ("base", "ask", "editor", "chart"), "Skip to the question", SIGN_OUT)
SURVEY = Page("/survey", "Survey", "survey", ("base", "survey"), "Skip to the form")
PAGES = (ASK, SURVEY)


@dataclass(frozen=True)
class Mixing:
    """What the survey of a mixed plan says: where sealed reports go, and what that promises."""

    relay: str  # its address
    words: str

    @property
    def policy(self) -> str:
        """The page may also ask the relay."""
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(self.relay))
        return POLICY.replace("connect-src 'self'", f"connect-src 'self' {origin}")


@lru_cache
def whole(page: Page, mixing: Mixing | None = None) -> str:
    """A page in its frame."""
    read = files("untold.serve.pages").joinpath("html").joinpath
    links = (f'<a href="{p.path}"{HERE if p is page else ""}>{p.title}</a>' for p in PAGES)
    return Template(read("frame.html").read_text(encoding="utf-8")).substitute(
        title=page.title,
        styles="\n".join(f'<link rel="stylesheet" href="/static/css/{name}.css">' for name in page.styles),
        script=page.name,
        skip=page.skip,
        links="".join(links),
        tools=page.tools,
        body=_body(read(f"{page.name}.html").read_text(encoding="utf-8"), mixing),
    )


def _body(text: str, mixing: Mixing | None) -> str:
    if mixing is None:
        return text
    beside = f'data-relay="{escape(mixing.relay)}" data-words="{escape(mixing.words)}"'
    return text.replace('<main id="main">', f'<main id="main" {beside}>', 1)


async def ask_page(request: Request) -> Response:
    """The analyst's page. It holds nothing: everything on it is asked for with an analyst's token."""
    return HTMLResponse(whole(ASK), headers=HEADERS)


async def survey_page(request: Request) -> Response:
    """The page where a visitor answers the questions of the plan."""
    mixing: Mixing | None = request.app.state.mixing
    policy = {} if mixing is None else {"Content-Security-Policy": mixing.policy}
    return HTMLResponse(whole(SURVEY, mixing), headers=HEADERS | policy)


class Assets(StaticFiles):
    """Scripts and styles, with the same policy as the pages."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]  # type: ignore[misc]
            await send(message)

        await super().__call__(scope, receive, send_with_headers)  # type: ignore[arg-type]
