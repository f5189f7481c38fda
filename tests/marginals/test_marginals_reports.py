"""From a folder of reports to marginals: any design and oracle, by Python and on the command line."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_views import collected, plan
from small_views import people as people_of

import untold
from untold.cli import main
from untold.marginals import collect, load, plan_for

N = 20_000
ATTRIBUTES = {
    "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
    "age": {"kind": "ordinal", "low": 18, "high": 24},
    "owner": {"kind": "categorical", "values": [False, True]},
    "income": {"kind": "ordinal", "low": 0, "high": 4, "bins": 4},
}


def people():
    rng = np.random.default_rng(4)
    age = np.minimum(18 + rng.geometric(0.35, N) - 1, 24)
    owner = rng.random(N) < (age - 16) / 10
    state = np.array(["NY", "WA", "CA"])[np.where(owner, rng.integers(0, 2, N), rng.integers(0, 3, N))]
    return pa.table(
        {"uid": np.arange(N), "state": state, "age": age, "owner": owner, "income": rng.integers(0, 5, N) * 1.0}
    )


TABLE = people()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("marginals") / "reports"
    collected = collect(TABLE, ATTRIBUTES, 4.0, out=out, users=N, k=2, seed=1, views="published")
    assert collected.users == N
    return out


def true_shares(*names):
    frame = TABLE.to_pandas()
    return frame.groupby(list(names), observed=True).size() / N


def test_con_marginal_is_near_the_truth(folder):
    with untold.connect(folder) as con:
        answer = con.marginal(["owner", "state"])
    assert answer.columns == ["owner", "state", "share", "share_se", "share_low", "share_high"]
    frame = answer.df()
    assert frame["share"].sum() == pytest.approx(1, abs=1e-9)
    assert (frame["share"] >= 0).all()
    for row, true in zip(
        frame.itertuples(),
        true_shares("owner", "state").reindex(pd_index(frame, "owner", "state"), fill_value=0),
        strict=True,
    ):
        assert abs(row.share - true) < 6 * row.share_se + 0.01  # false alarms: none in a million runs
        assert row.share_low <= row.share <= row.share_high


def pd_index(frame, *names):
    import pandas as pd

    return pd.MultiIndex.from_arrays([frame[name] for name in names], names=names)


def test_the_order_of_attributes_is_kept(folder):
    found = load(folder)
    there, back = found.array(["age", "state"]), found.array(["state", "age"])
    assert there.shape == (7, 3)
    np.testing.assert_array_equal(there, back.T)
    wide = found.array(["owner", "age", "state"])
    np.testing.assert_allclose(wide.sum(axis=(0, 1)), found.array(["state"]), atol=1e-9)
    first = found.release(["age", "state"]).fetchall()[1]
    assert first[:2] == (18, "WA")
    assert first[2] == pytest.approx(there[0, 1])


def test_values_of_every_kind_come_back(folder):
    found = load(folder)
    rows = found.sample(50, seed=3)
    assert set(rows.column_names) == set(ATTRIBUTES)
    assert rows.schema.field("owner").type == pa.bool_()
    assert rows.schema.field("age").type == pa.int64()
    assert set(rows["income"].to_pylist()) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def test_synthetic_rows_have_the_released_marginals(folder):
    """40,000 rows; every share within 5 standard errors: a false alarm in 50,000 runs."""
    found = load(folder)
    rows = found.sample(40_000, ["state", "owner"], seed=3).to_pandas()
    share = rows.groupby(["state", "owner"]).size() / len(rows)
    released = found.release(["state", "owner"]).df().set_index(["state", "owner"])["share"]
    for key, value in released.items():
        assert abs(share.get(key, 0.0) - value) < 5 * np.sqrt(value * (1 - value) / 40_000) + 1e-9


def test_synthetic_rows_say_which_pairs_they_know_and_how_well(monkeypatch, folder):
    """Drawn along a tree, two of three pairs are drawn from their own tables; the error of each is that of its marginal."""
    from untold.commands.marginals import synthetic_in_words
    from untold.marginals import synthetic

    found = load(folder)
    every = found.pairs(["state", "age", "owner"]).to_pylist()
    assert [pair["kept"] for pair in every] == [True] * 3
    monkeypatch.setattr(synthetic, "MOST_JOINT_CELLS", 10)
    rows = found.sample(100, ["state", "age", "owner"], seed=3)
    told = json.loads(rows.schema.metadata[b"untold"])
    assert told["synthetic"]
    assert told["pairs"] == found.pairs(["state", "age", "owner"]).to_pylist()
    assert sum(pair["kept"] for pair in told["pairs"]) == 2
    for pair in told["pairs"]:
        errors = found.unbiased([pair["first"], pair["second"]]).errors
        assert pair["known"]
        assert pair["error"] == pytest.approx(np.sqrt((errors**2).mean()))
    words = synthetic_in_words(told["pairs"])
    assert words.count("not drawn together") == 1
    assert words.count("shares of cells to ±") == 3


def test_many_attributes_are_drawn_along_a_tree(monkeypatch, folder):
    from untold.marginals import synthetic

    found = load(folder)
    monkeypatch.setattr(synthetic, "MOST_JOINT_CELLS", 10)
    rows = found.sample(40_000, ["state", "age", "owner"], seed=3).to_pandas()
    released = found.array(["age", "owner"])
    share = np.array(
        [[((rows["age"] == a) & (rows["owner"] == o)).mean() for o in (False, True)] for a in range(18, 25)]
    )
    worth = {
        pair: synthetic.mutual_information(found.array(list(pair)))
        for pair in (("state", "owner"), ("age", "owner"), ("state", "age"))
    }
    assert min(worth, key=worth.get) == ("state", "age")  # so that the tree holds age and owner
    assert np.abs(share - released).max() < 5 * np.sqrt(0.25 / 40_000)


def test_an_uncovered_marginal_says_so(folder):
    found = load(folder)
    if found.releaser.linear.table((0, 1, 2)) is not None:
        pytest.fail("this plan was meant to have views of two attributes")
    answer = found.release(["state", "age", "owner"])
    assert any("maximum entropy" in note for note in answer.notes)
    assert answer.df()["share"].sum() == pytest.approx(1, abs=1e-9)
    with pytest.raises(untold.UnsupportedQuery, match="no report speaks of"):
        found.unbiased(["state", "age", "owner"])


def wide(users=2000):
    """Three attributes of 13 values, in views of two: 2,197 cells that no view holds together."""
    return collected(people_of(users, (13,) * 3), plan(sizes=(13,) * 3, users=users), 1)


def test_intervals_without_an_error_say_nothing():
    answer = wide().release(["a0", "a1", "a2"])
    frame = answer.df()
    assert frame["share_se"].isna().all()
    assert (frame["share_low"] == 0).all()
    assert (frame["share_high"] == 1).all()
    assert any("more than 2,048 cells" in note for note in answer.notes)


def test_a_table_mixed_with_the_uniform_one_says_so():
    found = wide()
    assert not any("uniform" in note for note in found.release(["a0"]).notes)
    found.releaser._plausible = replace(found.releaser._plausible, mixed=0.091)
    assert any("9.1% of the table is the uniform one" in note for note in found.release(["a0"]).notes)


def test_rows_are_drawn_where_the_table_would_be_too_large():
    sizes = (13,) * 6
    found = collected(people_of(2000, sizes), plan(sizes=sizes, users=2000), 1)
    rows = found.sample(100, seed=1)
    assert rows.num_rows == 100
    assert rows.num_columns == 6
    for asked in (found.release, found.array, found.unbiased):
        with pytest.raises(untold.UnsupportedQuery, match="4,826,809 cells"):
            asked([f"a{i}" for i in range(6)])


ANY = [
    "calm olh",
    "calm oue",
    "calm agr",
    "am grr",
    "mg auto",
    "hio auto",
    "hi auto",
    "tuned auto",
    "tuned olh",
    "ahio auto",
]


@pytest.mark.parametrize(("design", "oracle"), [each.split() for each in ANY])
def test_reports_of_any_design_serve_marginals(design, oracle, tmp_path):
    plan = plan_for(ATTRIBUTES, 8.0, N, 2, design=design, oracle=oracle)
    untold.perturb(plan, "people", TABLE, out=tmp_path / "r", seed=2)
    found = load(tmp_path / "r")
    estimate = found.unbiased(["owner", "state"])
    frame = true_shares("owner", "state")
    true = np.array([[frame.get((o, s), 0.0) for s in ("NY", "WA", "CA")] for o in (False, True)])
    assert np.abs((estimate.table - true) / estimate.errors).max() < 6  # false alarms: less than one in a million
    released = found.array(["owner", "state"])
    assert released.sum() == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(released.sum(axis=1), found.array(["owner"]), atol=1e-9)
    assert np.abs(released - true).max() < 6 * estimate.errors.max()


def test_summaries_give_the_same_marginals(folder):
    with untold.connect(folder) as con:
        first = con.marginals().array(["state", "age"])
        con.index()
        second = con.marginals().array(["state", "age"])
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["state", "size"], "no attribute 'size'"),
        (["state", "state"], "different attributes"),
        ([], "one or more"),
    ],
)
def test_what_is_no_marginal_is_refused(folder, asked, reason):
    with pytest.raises(untold.UntoldError, match=reason):
        load(folder).release(asked)


def test_services_with_many_rows_or_separate_reports_are_refused(tmp_path):
    rows = {"attributes": ATTRIBUTES, "rows_per_user": {"max": 2}}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": rows}})
    untold.perturb(plan, "people", TABLE, population=TABLE["uid"], out=tmp_path / "a", seed=1)
    with pytest.raises(untold.UnsupportedQuery, match="many rows per person"):
        load(tmp_path / "a")
    untold.perturb(plan_for(ATTRIBUTES, 1.0, N, design="sc"), "people", TABLE, out=tmp_path / "b", seed=1)
    with pytest.raises(untold.UnsupportedQuery, match="each attribute by itself"):
        load(tmp_path / "b")


def test_sql_on_the_same_reports(folder):
    with untold.connect(folder) as con:
        counted = con.sql("SELECT COUNT(*) AS n FROM people WHERE owner AND state = 'NY'").scalar()
        true = float(true_shares("owner", "state")[True, "NY"]) * N
        assert abs(counted.value - true) < 6 * counted.variance**0.5  # false alarms: less than one in a million
        with pytest.raises(untold.UnsupportedQuery, match=r"con\.marginal"):
            con.sql("SELECT COUNT(*) FROM people WHERE owner AND state = 'NY' AND age = 20")


def test_a_service_with_many_attributes_answers_sql(tmp_path):
    """32 bits: the tables of `blue` are made for the attributes that a query touches."""
    names = [f"b{i}" for i in range(32)]
    rng = np.random.default_rng(1)
    bits = {name: (rng.random(N) < 0.3).astype(np.int64) for name in names}
    plan = plan_for({name: {"kind": "categorical", "values": [0, 1]} for name in names}, 4.0, 2**18, 2)
    untold.perturb(plan, "people", pa.table({"uid": np.arange(N), **bits}), out=tmp_path / "r", seed=3)
    held = plan.design("people").views[0].levels
    a, b, *_ = (names[i] for i, level in enumerate(held) if level)
    with untold.connect(tmp_path / "r") as con:
        found = con.sql(f"SELECT COUNT(*) AS n FROM people WHERE {a} = 1 AND {b} = 1").scalar()
    true = float((bits[a] & bits[b]).sum())
    assert abs(found.value - true) < 6 * found.variance**0.5  # false alarms: less than one in a million
    assert found.variance**0.5 < N / 4


def test_wrong_options_are_refused(folder):
    with untold.connect(folder) as con:
        for options in ({"weights": "best"}, {"nonnegative": "clip"}, {"service": "orders"}):
            with pytest.raises(untold.UntoldError):
                con.marginals(**options)
        with pytest.raises(untold.UntoldError, match="confidence"):
            con.marginal(["age"], confidence=95)


def test_the_command_prints_and_writes(folder, tmp_path, capsys):
    assert main(["marginals", str(folder), "state", "owner"]) == 0
    assert "share" in capsys.readouterr().out
    assert main(["marginals", str(folder), "state", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert sum(row["share"] for row in shown["rows"]) == pytest.approx(1)
    out = tmp_path / "m.parquet"
    assert main(["marginals", str(folder), "age", "owner", "--out", str(out), "--plot", str(tmp_path / "m.html")]) == 0
    assert pq.read_table(out).num_rows == 14
    assert "share" in (tmp_path / "m.html").read_text()
    rows = tmp_path / "rows.csv"
    assert main(["marginals", str(folder), "--sample", "100", "--out", str(rows)]) == 0
    assert len(rows.read_text().splitlines()) == 101
    named = tmp_path / "rows.table.of.people"
    assert main(["marginals", str(folder), "--sample", "100", "--format", "parquet", "--out", str(named)]) == 0
    assert pq.read_table(named).num_rows == 100  # the option says what it is, not the name


@pytest.mark.parametrize("ways", [[], ["--format", "csv"]])
def test_synthetic_rows_for_a_spreadsheet_hold_no_formula(ways, tmp_path, capfdbinary):
    attributes = {"state": {"kind": "categorical", "values": ["=NY", "WA"]}, "age": ATTRIBUTES["age"]}
    table = pa.table({"uid": range(500), "state": ["=NY", "WA"] * 250, "age": [20, 18, 21, 22] * 125})
    collect(table, attributes, 4.0, out=tmp_path / "r", users=500, k=2, seed=1)
    assert main(["marginals", str(tmp_path / "r"), "--sample", "50", *ways]) == 0
    exact = capfdbinary.readouterr().out.decode().splitlines()
    assert (exact[0], any(line.startswith('"=NY"') for line in exact)) == ('"state","age"', True)
    assert main(["marginals", str(tmp_path / "r"), "--sample", "50", "--spreadsheet", *ways]) == 0
    safe = capfdbinary.readouterr().out.decode().splitlines()
    assert safe[0] == exact[0]
    assert {line.split(",")[0] for line in safe[1:]} == {'"\'=NY"', '"WA"'}


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["--sample", "10", "--plot", "x.png"],
        ["--sample", "10", "--out", "x.json"],
        ["--sample", "10", "--out", "x.parquet", "--spreadsheet"],
        ["age", "--weights", "best"],
        ["age", "--format", "parquet"],
    ],
)
def test_the_command_refuses(folder, wrong, capsys):
    assert main(["marginals", str(folder), *wrong]) == 2
    assert "Hint" in capsys.readouterr().err


def test_a_pair_is_drawn_as_a_heat_map(folder):
    chart = load(folder).release(["state", "age"]).plot()
    marks = {layer["mark"]["type"] for layer in chart.to_dict()["layer"]}
    assert "rect" in marks
