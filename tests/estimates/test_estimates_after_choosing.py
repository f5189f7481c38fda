"""Rows that estimates have chosen: their intervals hold for all candidates together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.estimates.estimate import estimates, normal_quantile
from untold.ask.estimates.measured import Block, Blocks
from untold.ask.estimates.simultaneous import reaching_further, sidak
from untold.ask.estimates.totals import Totals
from untold.ask.question.model import TotalOf

GROUPS, PEOPLE, TIMES = 60, 3_000, 20
ATTRIBUTES = {
    "city": {"kind": "ordinal", "low": 0, "high": GROUPS - 1},
    "sick": {"kind": "categorical", "values": ["no", "yes"]},
    "trial": {"kind": "public"},
}
SERVICE = {"attributes": ATTRIBUTES, "max_active": 2}


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[untold.Connection]:
    """20 collections of the same people, who are spread evenly; a public column tells them apart."""
    plan = untold.Plan.from_dict({"name": "after", "user_key": "uid", "epsilon": 1.0, "services": {"s": SERVICE}})
    uid, out = np.arange(PEOPLE * TIMES), tmp_path_factory.mktemp("after")
    sick = np.where(uid % 3 == 0, "yes", "no")
    table = pa.table({"uid": uid, "city": uid % GROUPS, "sick": sick, "trial": uid // PEOPLE})
    untold.perturb(plan, "s", table, out=out / "r", seed=7, progress=False)
    with untold.connect(out / "r", summaries="in memory", threads=1) as opened:
        yield opened


def asked(con: untold.Connection, tail: str, trial: int = 0, key: str = "city", **how: Any) -> untold.Answer:
    return con.sql(f"SELECT {key}, COUNT(*) AS n FROM s WHERE trial = {trial} GROUP BY {key} {tail}", **how)


def held(con: untold.Connection, tail: str, **how: Any) -> int:
    """In how many collections all intervals that are shown hold."""
    right = 0
    for trial in range(TIMES):
        found = asked(con, tail, trial, **how).arrow().to_pydict()
        truth = PEOPLE / GROUPS
        right += all(low <= truth <= high for low, high in zip(found["n_low"], found["n_high"], strict=True))
    return right


@pytest.mark.parametrize("tail", ["ORDER BY n DESC LIMIT 1", "ORDER BY n LIMIT 5", "HAVING LOW(n) > 0", "HAVING n < 0"])
def test_chosen_rows_are_right_as_often_as_they_say(con: untold.Connection, tail: str) -> None:
    """In 95% of collections all are right: fewer than 15 of 20 would be once in 3,000 times."""
    assert held(con, tail) >= 15


def test_rows_by_themselves_are_there_for_who_wants_them_and_say_so(con: untold.Connection) -> None:
    tail = "ORDER BY n DESC LIMIT 1"
    assert held(con, tail, simultaneous=False) <= 8
    single = asked(con, tail, simultaneous=False)
    assert "hold less often than they say" in " ".join(single.notes)
    assert _plain(single)


def _reach(answer: untold.Answer) -> list[float]:
    """How far each interval reaches up, in standard errors; those of numbers below zero are cut to what is possible."""
    found = answer.arrow().to_pydict()
    rows = zip(found["n"], found["n_high"], found["n_se"], strict=True)
    return [(high - n) / se for n, high, se in rows if n > 0]


def _wider(answer: untold.Answer) -> float:
    """How many times wider its intervals are, as a note says."""
    (told,) = (found for note in answer.notes if (found := re.search(r"together: ([\d.]+) times as wide", note)))
    return float(told[1])


def test_any_answer_can_hold_as_a_whole_and_costs_what_the_joint_law_asks(con: untold.Connection) -> None:
    """Who is not sick is well: two rows that are one number. 60 cities are nearly independent."""
    assert _wider(asked(con, "", key="sick", simultaneous=True)) == pytest.approx(1.0, rel=0.02)
    most = normal_quantile(sidak(0.95, GROUPS)) / normal_quantile(0.95)
    assert 0.93 * most < _wider(asked(con, "", simultaneous=True)) <= most + 0.005
    assert _plain(asked(con, ""))


def _plain(answer: untold.Answer) -> bool:
    """Whether intervals are those of single rows; as many as are enough to tell."""
    found = _reach(answer)
    return len(found) >= len(answer) // 3 and found == pytest.approx([normal_quantile(0.95)] * len(found))


@pytest.mark.parametrize(
    ("tail", "noted"),
    [
        ("ORDER BY n DESC LIMIT 2", "too large"),
        ("ORDER BY LOW(n) DESC LIMIT 2", "too large"),
        ("HAVING n > 10", "too large"),
        ("HAVING NOT n <= 10", "too large"),
        ("ORDER BY n LIMIT 2", "too small"),
        ("HAVING n < 0", "too small"),
        ("HAVING 0 > n", "too small"),
        ("HAVING n BETWEEN 20 AND 60", "which of 60 rows are shown"),
        ("HAVING n > 10 ORDER BY n LIMIT 2", "which of 60 rows are shown"),
        ("HAVING city < 30 AND n <> 10", "which of 30 rows are shown"),
    ],
)
def test_the_note_names_the_direction_in_which_noise_has_pushed(con: untold.Connection, tail: str, noted: str) -> None:
    notes = " ".join(asked(con, tail).notes)
    assert noted in notes
    assert ("too " in noted) == ("too " in notes)
    assert "together" in notes


@pytest.mark.parametrize("tail", ["ORDER BY n DESC", "ORDER BY city LIMIT 3", "ORDER BY n LIMIT 60", "HAVING city > 3"])
def test_what_estimates_do_not_choose_is_as_it_was(con: untold.Connection, tail: str) -> None:
    answer = asked(con, tail)
    assert _plain(answer)
    assert not any("Estimates decide" in note for note in answer.notes)


def test_exact_counts_carry_no_note(con: untold.Connection) -> None:
    answer = con.sql("SELECT trial, COUNT(*) AS n FROM s GROUP BY trial ORDER BY n DESC LIMIT 2")
    assert answer.arrow()["n_se"].to_pylist() == [0.0, 0.0]
    assert not any("Estimates decide" in note for note in answer.notes)


def test_ends_in_having_are_those_that_are_shown(con: untold.Connection) -> None:
    """Half of the upper ends are below their median; fewer of those that hold together are."""
    bar = float(np.median(asked(con, "").arrow()["n_high"].to_numpy()))
    together, single = (asked(con, f"HAVING HIGH(n) < {bar}", simultaneous=how).arrow() for how in (None, False))
    assert all(high < bar for high in together["n_high"].to_pylist())
    assert together.num_rows < single.num_rows == GROUPS // 2


def test_the_rows_of_a_union_are_chosen_among_all(con: untold.Connection) -> None:
    each = "SELECT city, COUNT(*) AS n FROM s WHERE trial = {} GROUP BY city"
    both = f"{each.format(0)} UNION ALL {each.format(1)}"
    found = con.sql(f"{both} ORDER BY n DESC LIMIT 1")
    assert _reach(found)[0] > 1.01 * _reach(asked(con, "ORDER BY n DESC LIMIT 1"))[0]
    assert "rows of all SELECTs together" in " ".join(found.notes)
    assert found.result.confidence == 0.95
    assert _plain(con.sql(both))


def test_quantiles_of_chosen_groups_are_as_wide_as_their_number_asks(con: untold.Connection) -> None:
    """Of two groups, of which one is shown: each end holds with a confidence of 0.975."""
    sql = "SELECT sick, MEDIAN(city) AS n FROM s WHERE trial < 9 GROUP BY sick"
    with untold.connect(con.folder.path) as other:
        wide = con.sql(f"{sql} ORDER BY n LIMIT 1").arrow().to_pylist()[0]
        single = other.sql(sql, confidence=sidak(0.95, 2)).arrow().to_pylist()
    assert (wide["n_low"], wide["n_high"]) in [(row["n_low"], row["n_high"]) for row in single]


def test_far_out_an_interval_knows_that_variances_grow_with_their_numbers() -> None:
    """A count of 9 with variance 9, of which each further one adds 1: the least w with (w - 9)^2 = 4 (9 + (w - 9)) is above."""
    totals = Totals(np.array([[9.0], [9.0]]), np.array([[[9.0]], [[0.0]]]))
    block = Block((), ((0,), (1,)), totals, leaning=lambda weights: np.array([1.0, 1.0]))
    found = reaching_further(TotalOf(0), Blocks([block]), estimates(TotalOf(0), totals, 0.95), 2.0)
    assert found.high[0] - 9 == pytest.approx(2 + np.sqrt(4 + 36))
    assert (found.high[0] - 9) ** 2 == pytest.approx(4 * found.high[0])
    assert found.low[0] == pytest.approx(9 - normal_quantile(0.95) * 3)
    assert (found.low[1], found.high[1]) == (9.0, 9.0)  # what is certain stays so
