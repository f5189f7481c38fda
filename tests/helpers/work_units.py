"""How `pytest -n 2 --dist loadgroup` shares out the tests: a file is one unit of work, so that its tests share what they make.

Some tests share more than a file: one JVM, one site with a browser. Others share nothing and take long: each is a unit of its own.
What takes longest begins first. The names of tests decide, which is all that xdist's scheduler knows: it reads group marks from
an attribute that pytest 9.2 no longer has.
"""

from __future__ import annotations

from fnmatch import fnmatch

JVM, DATABASE = "one JVM", "one database server"
TOGETHER = {  # by place below tests/
    "collect/test_perturb_spark.py::*": JVM,
    "engines/test_engines_agree.py::*": JVM,
    "engines/test_spark_dialect.py::*": JVM,
    "engines/test_spark_engine.py::*": JVM,
    "engines/test_spark_star.py::*": JVM,
    "engines/test_spark_start.py::test_the_command_line_has_spark_count*": JVM,
    "examples/test_examples.py::test_spark*": JVM,
    "page/test_page_*": "one site",
    "serve/test_serve_buckets.py::*": DATABASE,
    "serve/test_serve_counting.py::*": DATABASE,
    "serve/test_serve_hostile_rows.py::*": DATABASE,
    "serve/test_serve_once.py::*": DATABASE,
    "serve/test_serve_postgres.py::*": DATABASE,
}
APART = ("serve/test_serve_kills.py::*", "serve/test_serve_failover.py::*")
LONGEST = (
    *(place for place, unit in TOGETHER.items() if unit == JVM),
    "page/*",
    "engines/test_spark_*",
    "collect/test_perturb_spark_again*",
    "contracts/*",
    "auditing/*",
    *APART,
    "examples/*",
    "clients/*",
    "privacy/*",
    "marginals/*",
    "serve/*",
)


def unit_of(nodeid: str) -> str:
    """The unit of work that a test belongs to.

    >>> unit_of("tests/sql/test_parse.py::test_a[x::y]"), unit_of("tests/serve/test_serve_kills.py::test_death[synced]")
    ('tests/sql/test_parse.py', 'tests/serve/test_serve_kills.py::test_death[synced]')
    >>> unit_of("tests/page/test_page_ask.py::test_a") == unit_of("tests/page/test_page_survey.py::test_b")
    True
    """
    place = nodeid.removeprefix("tests/")
    for pattern, unit in TOGETHER.items():
        if fnmatch(place, pattern):
            return unit
    return nodeid if any(fnmatch(place, pattern) for pattern in APART) else nodeid.partition("::")[0]


def when(nodeid: str) -> int:
    """What begins first has the smallest."""
    place = nodeid.removeprefix("tests/")
    return next((n for n, pattern in enumerate(LONGEST) if fnmatch(place, pattern)), len(LONGEST))
