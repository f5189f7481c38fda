"""Which path leads to which handler for analysts."""

from __future__ import annotations

from starlette.routing import BaseRoute, Mount, Route

from untold.serve.pages.questions import check, forecast, query, show_about
from untold.serve.pages.site import STATIC, Assets, ask_page, survey_page

ROUTES: tuple[BaseRoute, ...] = (
    Route("/", ask_page, methods=["GET"]),
    Route("/survey", survey_page, methods=["GET"]),
    Route("/about", show_about, methods=["GET"]),
    Route("/query", query, methods=["POST"]),
    Route("/check", check, methods=["POST"]),
    Route("/forecast", forecast, methods=["POST"]),
    Mount("/static", Assets(directory=STATIC)),
)
