"""Reports of clients, put into a folder without a collector: then SQL sees them, and nobody twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from shop import everything

import untold
from untold.randomness import Seeded
from untold.store import Folder

DECLARED = {
    "name": "shop",
    "user_key": "uid",
    "epsilon": 4.0,
    "services": {
        "users": {
            "attributes": {
                "age": {"kind": "ordinal", "low": 1, "high": 100},
                "state": {"kind": "categorical", "values": ["NY", "WA"]},
                "os": {"kind": "public"},
            }
        },
        "orders": {
            "rows_per_user": {"max": 3, "report": 2},
            "oracle": "olh",
            "attributes": {"kind": {"kind": "categorical", "values": list("abcdefgh")}},
        },
    },
}
PLAN = untold.Plan.from_dict(DECLARED)


def made(user: str | int, epoch: int = 0, rng: Seeded | None = None) -> list[untold.Report]:
    """One person's reports to both services; two thirds live in NY."""
    number = int(str(user).removeprefix("u"))
    client = untold.Client(PLAN, user, rng=rng)
    person = {"age": 20 + number % 50, "state": "WA" if number % 3 == 0 else "NY", "os": ("ios", "web")[number % 2]}
    orders = [{"kind": "a"}] * (number % 4)
    return [*client.report("users", person, epoch), *client.report("orders", orders, epoch)]


def test_sql_sees_what_was_delivered(tmp_path: Path) -> None:
    """Counts of 900 people at epsilon 2 a service: five standard errors are missed less than once in 10^6 runs."""
    rng = Seeded(11)
    reports = [report for i in range(900) for report in made(f"u{i}", rng=rng)]
    done = untold.deliver(tmp_path / "r", reports, PLAN, insecure=True)
    assert (done.reports, done.users, done.insecure) == (900 * 3, 900, True)
    Folder.open(tmp_path / "r").verify()
    con = untold.connect(tmp_path / "r")
    answer = con.sql("SELECT COUNT(*) AS n FROM users WHERE state = 'NY' AND os = 'ios'").df()
    assert abs(answer["n"][0] - 300) < 5 * answer["n_se"][0]
    joined = con.sql("SELECT COUNT(*) AS n FROM orders JOIN users USING (uid) WHERE kind = 'a' AND os = 'web'").df()
    assert abs(joined["n"][0] - 900) < 5 * joined["n_se"][0]


def test_more_are_added_and_nobody_twice(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    untold.deliver(folder, made("u1"), PLAN)
    untold.deliver(folder, [*made("u2"), *made("u1", epoch=1)])  # the folder knows its plan
    before = everything(folder)
    with pytest.raises(untold.AlreadyReported, match=r"user 'u2' has already reported in epoch 0"):
        untold.deliver(folder, [*made("u3"), *made("u2")])
    with pytest.raises(untold.AlreadyReported, match="user 'u4' has two reports for service 'users' in epoch 0"):
        untold.deliver(folder, [*made("u4"), *made("u4")])
    assert everything(folder) == before
    assert Folder.open(folder).users("users", 0) == 2


def test_a_person_is_named_as_on_the_wire(tmp_path: Path) -> None:
    untold.deliver(tmp_path / "text", [*made("u1"), *made(17)], PLAN)
    with pytest.raises(untold.AlreadyReported):
        untold.deliver(tmp_path / "text", made("17"))
    with pytest.raises(untold.AlreadyReported, match="two reports"):
        untold.deliver(tmp_path / "one", [*made(17), *made("17")], PLAN)
    untold.deliver(tmp_path / "numbers", [*made(17), *made(18)], PLAN)
    with pytest.raises(untold.AlreadyReported):
        untold.deliver(tmp_path / "numbers", made("17"))
    with pytest.raises(untold.BadRecord, match="must be an integer in decimal"):
        untold.deliver(tmp_path / "numbers", made("u1"))


def test_reports_of_perturb_and_of_clients_share_a_folder(tmp_path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"uid": ["u1", "u2"], "age": [31, 32], "state": ["NY", "WA"], "os": ["ios", "web"]})
    untold.perturb(PLAN, "users", table, out=tmp_path / "r")
    untold.deliver(tmp_path / "r", made("u3"))
    assert Folder.open(tmp_path / "r").users("users", 0) == 3
    with pytest.raises(untold.AlreadyReported):
        untold.deliver(tmp_path / "r", made("u2"))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"plan": "0" * 64}, "was made under plan 000"),
        ({"insecure": True}, "drawn with a seed"),
        ({"public": (("os", 3), ("age", 31))}, None),
    ],
)
def test_what_does_not_fit_is_refused_and_leaves_nothing(tmp_path: Path, change: dict, complaint: str | None) -> None:
    first, *others = made("u1")
    if complaint is None:  # public values of two types
        reports, complaint = [*made("u2"), replace(first, **change), *others], "public column 'os'"
    else:
        reports = [replace(first, **change), *others]
    with pytest.raises(untold.UntoldError, match=complaint):
        untold.deliver(tmp_path / "r", reports, PLAN)
    assert not (tmp_path / "r").exists()


def test_incomplete_or_impossible_reports_are_refused(tmp_path: Path) -> None:
    reports = made("u1")
    with pytest.raises(untold.BadRecord, match="1 of 2 slots"):
        untold.deliver(tmp_path / "r", reports[:2], PLAN)
    wrong = replace(reports[0], messages=(replace(reports[0].messages[0], index=10**9),))
    with pytest.raises(untold.BadRecord, match="a message must be one of"):
        untold.deliver(tmp_path / "r", [wrong], PLAN)
    with pytest.raises(untold.StoreError, match="hand in the plan"):
        untold.deliver(tmp_path / "r", reports)
    with pytest.raises(untold.BadRecord, match="no reports"):
        untold.deliver(tmp_path / "r", [], PLAN)
    assert not (tmp_path / "r").exists()
