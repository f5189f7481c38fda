"""Which tests `scripts/test --quick` leaves out: everything that drives other programs for real, or computes for long."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest

SLOW = {  # by place below tests/, with the reason
    "clients/test_js_*": "Node and a browser",
    "collect/test_perturb_spark*": "a JVM",
    "engines/test_engines_agree*": "a JVM",
    "engines/test_spark_*": "JVMs",
    "page/*": "a browser, and query processes",
    "serve/test_serve_kills*": "collectors that are killed hundreds of times",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them."""
    for item in items:
        place = item.nodeid.removeprefix("tests/")
        if any(fnmatch(place, pattern) for pattern in SLOW):
            item.add_marker(pytest.mark.slow)
