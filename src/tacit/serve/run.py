"""The HTTP server: uvicorn, one process, one event loop."""

from __future__ import annotations

from tacit.serve.app import make_app
from tacit.serve.collector import Collector


def run(collector: Collector, host: str, port: int) -> int:
    """Serve until asked to stop; returns the exit code."""
    import uvicorn

    config = uvicorn.Config(
        make_app(collector), host=host, port=port, log_level="warning", access_log=False, lifespan="on"
    )
    server = uvicorn.Server(config)
    server.run()
    return 0
