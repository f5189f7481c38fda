"""A query about more attributes than any report speaks of is told their names, and what collecting more would take."""

from __future__ import annotations

import pytest

import untold

YES_NO = '{ kind = "categorical", values = ["YES", "NO"] }'
PLAN = f"""
name = "stops"
user_key = "idNum"
epsilon = 2.0
[services.stops]
max_active = 2
[services.stops.attributes]
gender = {YES_NO}
citationIssued = {YES_NO}
policePrecinct = {YES_NO}
"""


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> untold.Connection:
    folder = tmp_path_factory.mktemp("too_many")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    (folder / "rows.csv").write_text(
        "idNum,gender,citationIssued,policePrecinct\n" + "".join(f"{i},YES,NO,YES\n" for i in range(50)),
        encoding="utf-8",
    )
    untold.perturb(folder / "plan.toml", "stops", folder / "rows.csv", out=folder / "r")
    return untold.connect(folder / "r")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS n FROM stops WHERE gender = 'YES' AND citationIssued = 'YES' AND policePrecinct = 'NO'",
        "SELECT gender, citationIssued, policePrecinct, COUNT(*) AS n FROM stops GROUP BY ALL",
    ],
)
@pytest.mark.parametrize("estimator", ["blue", "greedy"])
def test_they_are_named_in_the_plan_s_spelling(con: untold.Connection, sql: str, estimator: str) -> None:
    with pytest.raises(untold.UnsupportedQuery) as refused:
        con.sql(sql, estimator=estimator).fetchall()  # type: ignore[arg-type]
    assert str(refused.value) == (
        "The query touches 3 sensitive attributes of one service together (gender, citationIssued, policePrecinct), but "
        "its reports (design 'tuned') speak of at most 2 at a time.\n"
        "Hint: ask about fewer attributes at once, or collect with max_active = 3, which makes all answers noisier "
        "(`untold plan show` says how much)."
        + ("" if "GROUP BY" in sql else " plausible=True gives a best guess that is put together from pairs.")
    )


def test_columns_are_spelled_as_in_the_plan(con: untold.Connection) -> None:
    with pytest.raises(untold.UnsupportedQuery, match=r"idNum, gender, citationIssued, policePrecinct\.") as refused:
        con.sql("SELECT COUNT(*) FROM stops WHERE neighborhood = 'x'")
    assert "citationissued" not in str(refused.value)
