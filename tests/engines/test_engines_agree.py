"""One truth: every query of the corpus has the same answer, with the same errors, from DuckDB, Spark and the slow twin.

All that a query asks of its engine is asked of the three and compared (`agreeing`). Where public keys make several groups, which
come in an engine's own order, the answer is made a second time from the groups backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from agreeing import Agreeing, agreeing_connection
from three_engines import make_reports, same_answers

import untold
from helpers.corpus import Text, valid
from helpers.spark_sessions import NEEDS_JAVA

pytestmark = NEEDS_JAVA
Connected = Callable[[str], untold.Connection]


@pytest.fixture(scope="module")
def connected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connected]:
    """A connection to the reports of a plan."""
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("reports")
        yield cache(lambda plan: stack.enter_context(agreeing_connection(make_reports(plan, folder / plan))))


@pytest.mark.parametrize("text", valid(), ids=lambda t: t.sql)
def test_duckdb_spark_and_the_slow_twin_agree(connected: Connected, text: Text) -> None:
    connection = connected(text.plan)
    engine = connection._reports.engine
    assert isinstance(engine, Agreeing)
    engine.asked, engine.most_groups, engine.backwards = 0, 0, False
    answer = connection.sql(text.sql).arrow()
    assert engine.asked  # and compared
    if engine.most_groups > 1:
        engine.backwards = True
        same_answers(connection.sql(text.sql).arrow(), answer)
