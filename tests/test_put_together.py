"""More attributes than were reported together: refused, or a best guess put together from pairs, with what pairs guarantee."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

import untold

N = 60_000
WHERE = "WHERE a < 6 AND b < 6 AND c >= 4 AND side = 'l'"
COUNT = f"SELECT COUNT(*) AS n FROM s {WHERE}"
AVERAGE = "SELECT AVG(a) AS x, COUNT(*) AS n FROM s WHERE b < 6 AND c >= 4"


def people() -> pa.Table:
    rng = np.random.default_rng(5)
    base = rng.normal(size=N)
    columns = {name: np.clip(np.round(6 + 2 * base + 2 * rng.normal(size=N)), 0, 11).astype(np.int64) for name in "abc"}
    return pa.table(
        {"uid": np.arange(N), **columns, "side": np.where(rng.random(N) < 0.3 + 0.4 * (base > 0), "l", "r")}
    )


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[untold.Connection]:
    place = tmp_path_factory.mktemp("together")
    attributes: dict[str, object] = {name: {"kind": "ordinal", "low": 0, "high": 11} for name in "abc"}
    attributes["side"] = {"kind": "categorical", "values": ["l", "r"]}
    services = {"s": {"max_active": 2, "attributes": attributes}}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 4.0, "services": services})
    untold.perturb(plan, "s", people(), out=place / "r", seed=4, progress=False)
    with untold.connect(place / "r") as con:
        yield con


def truth(sql: str) -> tuple[float, ...]:
    import duckdb

    with duckdb.connect() as known:
        known.register("s", people())
        (row,) = known.sql(sql).fetchall()
    return row


def test_without_best_guesses_it_is_refused_and_the_way_is_said(con: untold.Connection) -> None:
    with pytest.raises(untold.UnsupportedQuery, match="sensitive attributes of one service together") as refusal:
        con.sql(COUNT)
    assert "plausible=True" in str(refusal.value)


def test_a_count_has_a_best_guess_and_what_pairs_guarantee_but_no_unbiased_number(con: untold.Connection) -> None:
    """3,460 ~ 220 when this was written, of 3,357; independence would say about 4,400."""
    ((exact,),) = (truth(COUNT),)
    answer = con.sql(COUNT, plausible=True)
    row = answer.df().iloc[0]
    assert np.isnan(row.n)
    assert np.isnan(row.n_se)
    assert row.n_low <= exact <= row.n_high
    assert row.n_high < 0.5 * N
    assert abs(row.n_best - exact) < 3 * row.n_typical
    assert 0 < row.n_typical < 0.03 * N
    assert abs(row.n_best - exact) < 0.02 * N
    shown = repr(answer)
    assert "put together from pairs" in shown
    assert " ~ " in shown


def test_averages_come_from_the_same_table(con: untold.Connection) -> None:
    mean, count = truth(AVERAGE)
    row = con.sql(AVERAGE, plausible=True).df().iloc[0]
    assert row.x_best == pytest.approx(mean, abs=0.3)
    assert row.n_best == pytest.approx(count, rel=0.15)
    assert (row.x_low, row.x_high) == (0, 11)
    everybody = con.sql("SELECT AVG(a) AS x FROM s", plausible=True).df().iloc[0]
    assert row.x_best < everybody.x_best - 0.2


def test_the_same_question_has_the_same_digits(con: untold.Connection) -> None:
    assert con.sql(COUNT, plausible=True).fetchall()[0][2:] == con.sql(COUNT, plausible=True).fetchall()[0][2:]


def test_pairs_that_are_independent_give_the_product(con: untold.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow twin: with tables of pairs that are products, the count is the product of shares."""
    from untold.ask.connection import put_together as module

    def product(reports: object, classes: list[object], found: object) -> tuple[np.ndarray, np.ndarray]:
        one, other = (np.bincount(each.place) / each.place.size for each in classes)  # type: ignore[attr-defined]
        return np.multiply.outer(one, other), np.zeros((len(one), len(other), 1))

    monkeypatch.setattr(module, "_pair", product)
    row = con.sql(COUNT, plausible=True).df().iloc[0]
    assert row.n_best == pytest.approx(N * 6 / 12 * 6 / 12 * 8 / 12 * 1 / 2, rel=1e-4)


@pytest.mark.parametrize("more", ["GROUP BY a", "HAVING COUNT(*) > 3"])
def test_what_is_not_put_together_is_refused(con: untold.Connection, more: str) -> None:
    with pytest.raises(untold.UnsupportedQuery, match="touches"):
        con.sql(f"SELECT COUNT(*) AS n FROM s {WHERE} {more}", plausible=True)
