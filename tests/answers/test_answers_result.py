"""A result is checked when it is made, not when it is shown."""

from __future__ import annotations

import pyarrow as pa
import pytest

from helpers.made_up import estimate, result
from untold.answers.result import OutputColumn, Result, table_names
from untold.errors import UnsupportedQuery

N = OutputColumn("n", "estimate")


def test_columns_come_in_the_order_of_select() -> None:
    columns = [N, OutputColumn("state", "key")]
    assert table_names(columns) == ("n", "n_se", "n_low", "n_high", "state")


@pytest.mark.parametrize("name", ["n", "n_se", "n_low", "n_high"])
def test_a_name_that_an_error_needs_is_refused(name: str) -> None:
    with pytest.raises(UnsupportedQuery, match=rf"two columns named '{name}'(.|\n)*AS"):
        table_names([OutputColumn(name, "key"), N])


def test_a_table_without_errors_is_refused() -> None:
    with pytest.raises(ValueError, match="n_se"):
        Result((N,), pa.table({"n": [1.0]}), 0.95)


def test_estimates_are_floats() -> None:
    table = pa.table(estimate("n", [(1.0, 1.0)]))
    whole = table.set_column(0, "n", pa.array([1], pa.int64()))
    assert Result((N,), table, 0.95).estimates == (N,)
    with pytest.raises(ValueError, match="n is not"):
        Result((N,), whole, 0.95)


def test_confidence_is_a_share() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        result({}, {"n": [(1.0, 1.0)]}, confidence=95)
