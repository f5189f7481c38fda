"""There is one rule for the variance of a total, whichever way its sums were found."""

import numpy as np
import pytest

import untold
from untold.ask.estimates.totals import totals
from untold.ask.evidence.scanned import scanned_groups
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.scores.scan import Moments
from untold.ask.sql.question import question

ROWS = {"max": 4}


class Sums:
    """Evidence of one total in one group: these sums and no others."""

    def __init__(self, users, first, second, noise):
        self.users, self._sums = users, (np.array([first]), np.array([second]), np.array([noise]))

    def first(self, total):
        return self._sums[0]

    def second(self, left, right):
        return self._sums[1]

    def noise(self, left, right):
        return self._sums[2]

    def largest(self, total):
        return None


@pytest.mark.parametrize("users", [1, 2, 10, 29, 30, 1000])
@pytest.mark.parametrize("rows", [None, ROWS])
@pytest.mark.parametrize("first", [50.0, -50.0, 2.0])
def test_a_scan_and_all_groups_at_once_have_the_same_variance(users, rows, first):
    """10 users, first 50, second 30 and several rows a user had a variance of 0 by a scan and of 30 otherwise."""
    service = {"attributes": {"a": {"kind": "categorical", "values": ["x", "y"]}}}
    service |= {"rows_per_user": rows} if rows else {}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "u", "epsilon": 30.0, "services": {"s": service}})
    compiled = compile_question(question("SELECT COUNT(*) FROM s WHERE a = 'x'", plan), plan, ESTIMATORS["blue"])
    scan = compiled.scan
    moments = Moments((), users, np.full(len(scan.totals), first), np.full(len(scan.pairs), 30.0))
    found = scanned_groups(compiled, [moments]).totals
    expected = totals(compiled.grouped, Sums(users, first, 30.0, compiled.spelled.noise((0, 0), moments)))
    assert found.variances == pytest.approx(expected.variances)
    assert found.covariance == pytest.approx(expected.covariance)
    if (users, first) == (10, 50.0):
        assert found.variances[0, 0] == pytest.approx(30.0)
