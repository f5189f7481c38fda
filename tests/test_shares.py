"""The chooser of shares: never worse than even ones, and uneven where the workload is."""

from math import log

import pytest

from untold.ask.forecast.epsilon_shares import best_shares, mean_log_error, whole_steps, with_shares
from untold.errors import UntoldError

DECLARED = {
    "name": "p",
    "user_key": "uid",
    "epsilon": 2.0,
    "services": {
        "a": {"fanout": 2, "attributes": {"x": {"kind": "ordinal", "low": 0, "high": 15}}},
        "b": {
            "fanout": 2,
            "attributes": {
                "y": {"kind": "ordinal", "low": 0, "high": 15},
                "z": {"kind": "ordinal", "low": 0, "high": 7},
            },
        },
    },
}
JOIN = "SELECT COUNT(*) FROM a JOIN b USING (uid) WHERE x > 3 AND y BETWEEN 2 AND 9"


def test_a_service_that_is_asked_more_gets_more():
    chosen = best_shares(DECLARED, [JOIN + " AND z < 5", "SELECT SUM(y) FROM b WHERE z > 2"], 1e5)
    assert chosen.shares["b"] > 0.6
    assert sum(chosen.shares.values()) == pytest.approx(1)
    even, uneven = ({"a": 0.5, "b": 0.5}, chosen.shares)
    queries = [JOIN + " AND z < 5", "SELECT SUM(y) FROM b WHERE z > 2"]
    gain = mean_log_error(with_shares(DECLARED, even), queries, 1e5) - mean_log_error(
        with_shares(DECLARED, uneven), queries, 1e5
    )
    assert gain == pytest.approx(-log(chosen.error))
    assert chosen.error < 0.97
    assert "epsilon_share" in str(chosen)


def test_a_balanced_workload_stays_near_even():
    like_a = {"fanout": 2, "attributes": {"y": {"kind": "ordinal", "low": 0, "high": 15}}}
    twins = {**DECLARED, "services": {"a": DECLARED["services"]["a"], "b": like_a}}
    assert best_shares(twins, [JOIN], 1e5).shares["a"] == pytest.approx(0.5, abs=0.05)


def test_whole_steps_sum_to_one():
    assert whole_steps({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}) == {"a": 0.34, "b": 0.33, "c": 0.33}


def test_one_service_has_nothing_to_share():
    with pytest.raises(UntoldError, match="two or more"):
        best_shares({**DECLARED, "services": {"a": DECLARED["services"]["a"]}}, ["SELECT COUNT(*) FROM a"], 1e4)
