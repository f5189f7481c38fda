"""Frequent texts among reports: what is found, how it is counted and asked about, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.discovered import search as searching
from untold.ask.discovered.found import counted_texts
from untold.ask.discovered.left_out import LeftOut
from untold.ask.discovered.reach import reach_of
from untold.ask.discovered.search import _continued, grown, looked_up, search
from untold.ask.discovered.tails import tail, threshold
from untold.ask.evidence.counted import evidence_of
from untold.ask.evidence.routes import decoded_counts, kind_for
from untold.ask.scores.coefficients import blue
from untold.ask.sql.parameters import NO_VALUES
from untold.cli import main
from untold.collect.texts import cells_of
from untold.errors import StoreError, UnsupportedQuery
from untold.plan import Plan
from untold.plan.schema.text import LETTERS, Letters
from untold.randomness import Seeded
from untold.store.discovered import read_discovered

PEOPLE = 40_000
SHARES = {"maps": 0.3, "registered nurse": 0.2, "Caf\u00e9": 0.15, "a@b.org": 0.1, "mail": 0.05}


def plan_of(epsilon: float = 4.0, lifetime: float = 8.0, **app: object) -> Plan:
    app = {"kind": "text", "discover": True, "bytes": 16} | app
    service = {"attributes": {"app": app, "os": {"kind": "public"}}}
    return Plan.from_dict(
        {"name": "shop", "user_key": "uid", "epsilon": epsilon, "lifetime": lifetime, "services": {"phones": service}}
    )


def people(seed: int = 3) -> tuple[pa.Table, dict[str, int]]:
    """A fifth of them has a text that nobody else has."""
    rng = np.random.default_rng(seed)
    pick = rng.choice(len(SHARES) + 1, PEOPLE, p=[*SHARES.values(), 1 - sum(SHARES.values())])
    texts = [([*SHARES][i] if i < len(SHARES) else f"own {n}") for n, i in enumerate(pick)]
    often = {text: int((pick == i).sum()) for i, text in enumerate(SHARES)}
    return pa.table({"uid": range(PEOPLE), "app": texts, "os": ["a" if n % 4 else "b" for n in range(PEOPLE)]}), often


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("texts") / "reports"
    untold.perturb(plan_of(), "phones", people()[0], out=place, seed=11, progress=False)
    return place


@pytest.fixture(scope="module")
def found(folder: Path) -> object:
    with pytest.raises(UnsupportedQuery, match="not known yet"):
        untold.connect(folder).sql("SELECT app, COUNT(*) FROM phones GROUP BY app")
    return untold.connect(folder).discover("phones", "app", deny=["MAIL"])


def test_tails_are_those_of_the_binomial() -> None:
    for n, q in ((9, Fraction(1, 3)), (80, Fraction(1, 7)), (200, Fraction(19, 20))):
        exact = [sum(comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(least, n + 1)) for least in range(n + 2)]
        assert [tail(least, n, float(q)) for least in range(n + 2)] == pytest.approx(
            [float(e) for e in exact], rel=1e-9
        )
        for chance in (0.3, 1e-3, 1e-9):
            assert threshold(chance, n, float(q)) == next(i for i, e in enumerate(exact) if e <= chance)
    assert tail(120_000, 1_000_000, 0.1) < 1e-300 or tail(120_000, 1_000_000, 0.1) > 0  # no overflow


@pytest.mark.parametrize("name", LETTERS)
def test_bulk_and_devices_put_texts_into_the_same_cells(name: str) -> None:
    plan = plan_of(bytes=24, letters=name)
    text = plan.service("phones").sensitive[0].searched
    assert text is not None
    texts = [
        text.normal(each)
        for each in ("", "a", "Registered Nurse", "\u00c9cole \u6771\u4eac", "x" * 60, "e-17/b_2", "\ud800")
    ]
    columns = plan.design("phones").texts
    for column, cells in zip(columns, cells_of(text, columns, texts), strict=True):
        assert cells.tolist() == [column.cell.of(each.encode(), Letters.named(name)) for each in texts]
        assert cells.max() < column.cells
    # and so does the search, which knows no text but its first bits
    for column in columns:
        if 1 << column.bits > column.cells and column.bits:
            prefix = Letters.named(name).prefix(texts[2].encode(), column.bits)
            words = _continued([prefix >> 12], column.bits, 12)
            whole = int.from_bytes(words[prefix & 4095].astype(">u8").tobytes(), "big")
            assert whole >> 64 * words.shape[1] - column.bits == prefix


def test_frequent_texts_are_found_and_nothing_else(folder: Path, found: object) -> None:
    """The chance that a text is listed that nobody has is at most 0.1; the seed is fixed."""
    _, often = people()
    assert found.values == ("maps", "registered nurse", "caf\u00e9")  # denied and identifiers are left out
    for each, text in zip(found.search.found, ("maps", "registered nurse", "Caf\u00e9"), strict=True):
        low, high = each.interval(0.999)
        assert low < often[text] / PEOPLE < high
        assert high - low < 0.06
    words = found.in_words()
    assert "a@b" not in words
    assert "mail" not in words
    assert untold.connect(folder).discover("phones", "app", deny=["mail"], identifiers=True).values[3] == "a@b.org"
    untold.connect(folder).discover("phones", "app", deny=["MAIL"])


def test_sql_tells_the_list_and_the_rest_apart(folder: Path, found: object) -> None:
    _, often = people()
    con = untold.connect(folder)
    answer = con.sql("SELECT app, COUNT(*) AS n FROM phones GROUP BY app").df().set_index("app")
    assert list(answer.index) == ["maps", "registered nurse", "caf\u00e9", "OTHER"]
    assert answer.n.sum() == pytest.approx(PEOPLE)
    truth = {"maps": often["maps"], "registered nurse": often["registered nurse"], "caf\u00e9": often["Caf\u00e9"]}
    truth["OTHER"] = PEOPLE - sum(truth.values())
    for text, row in answer.iterrows():
        assert abs(row.n - truth[text]) < 4 * row.n_se  # four rows: 1 in 4,000
        shares = {each.text: each for each in found.search.found}
        if text in shares:
            assert row.n / PEOPLE == pytest.approx(shares[text].share, abs=2e-5)  # the same numbers, but for strangers
            assert row.n_se / PEOPLE == pytest.approx(shares[text].error, rel=0.1)
    shown = con.discovered("phones", "app").df()
    assert set(shown.app) == set(answer.index)
    both = con.sql(
        "SELECT COUNT(*) FILTER (WHERE app IN ('maps', 'caf\u00e9')) AS two, COUNT(*) AS all_of FROM phones"
    ).df()
    assert both.two[0] == pytest.approx(answer.n["maps"] + answer.n["caf\u00e9"])
    assert both.all_of[0] == PEOPLE
    by_os = con.sql("SELECT os, app, COUNT(*) AS n FROM phones GROUP BY os, app").df()
    assert by_os.n.sum() == pytest.approx(PEOPLE)
    quarter = by_os[(by_os.os == "b") & (by_os.app == "maps")].iloc[0]
    assert abs(quarter.n - often["maps"] / 4) < 4 * quarter.n_se
    assert con.sql("SELECT COUNT(*) AS n FROM phones WHERE app = 'MAPS'").df().n[0] == pytest.approx(answer.n["maps"])


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT COUNT(*) FROM phones WHERE app = 'zoom'", "not on the list"),
        ("SELECT COUNT(*) FROM phones WHERE app LIKE 'ma%'", "only those on its list are kept apart"),
        ("SELECT COUNT(*) FROM phones WHERE app < 'n'", "only those on its list are kept apart"),
        ("SELECT AVG(app) FROM phones", "is text"),
        (
            "SELECT app || 'x' AS k, COUNT(*) FROM phones WHERE CASE app WHEN 'Maps' THEN TRUE END GROUP BY k",
            'as "maps"',
        ),
    ],
)
def test_what_a_list_cannot_tell_is_refused(folder: Path, found: object, sql: str, said: str) -> None:
    with pytest.raises(UnsupportedQuery, match=said):
        untold.connect(folder).sql(sql).fetchall()


def test_sums_of_scores_are_those_of_single_reports(folder: Path, found: object) -> None:
    """The matrix of the list's size against one score of each message, report by report."""
    con = untold.connect(folder)
    sql = "SELECT app, COUNT(*) AS n FROM phones GROUP BY app"
    compiled = con.reports.compile(con._question(sql, NO_VALUES), blue)
    asked = compiled.grouped
    (groups, _) = decoded_counts(con.reports, kind_for(compiled))
    (evidence,) = evidence_of(asked, groups)
    design, counts = con.plan.design("phones"), groups[0]
    (place,) = [i for i, view in enumerate(design.views) if not view.oracle.pure]
    view, often = design.views[place], counts.sums[0]
    own = (counts.message >= view.offset) & (counts.message < view.offset + view.oracle.indexes)
    n, m = often.sum(), often[own].sum()
    total = asked.totals[0]
    first, second = evidence.first(total), evidence.second(total, total)
    for group in range(4):
        beta = (np.arange(4) == group) * 1.0
        rest = beta[-1]
        phi = view.oracle.scores(beta)[
            counts.message[own] - view.offset
        ]  # sum over cells of beta phi, the rest by the others
        z_counting, mean = n / m * (phi - rest), (phi - rest) @ often[own] / m
        assert first[group] == pytest.approx(rest * n + z_counting @ often[own])
        spread = (z_counting - n / m * mean) ** 2 @ often[own]  # the mean is taken off: which reports count is known
        assert second[group] == pytest.approx(n * (rest + mean) ** 2 + spread)
    both = evidence.between(asked.totals, np.ones((4, 1)))
    assert np.diag(both) == pytest.approx(second)
    sides = evidence.second(total, total).sum() + 2 * both[np.triu_indices(4, 1)].sum()
    assert sides == pytest.approx(n, rel=1e-6)  # all rows together are everybody, whatever was drawn


def test_lists_have_their_hash(folder: Path, found: object) -> None:
    (*_, last) = read_discovered(folder)
    assert (last.values, last.hash) == (found.values, found.kept.hash)
    assert main(["verify", str(folder)]) == 0
    file = folder / "discovered.json"
    kept = file.read_text()
    try:
        file.write_text(kept.replace("maps", "taps"))
        with pytest.raises(StoreError, match="is damaged"):
            read_discovered(folder)
    finally:
        file.write_text(kept)


def test_the_next_plan_is_written_once_and_devices_go_on(
    folder: Path, found: object, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, deny = tmp_path / "next.toml", tmp_path / "deny.txt"
    deny.write_text("Mail\n")
    command = ["plan", "discover", str(folder), "phones.app", "--deny", str(deny), "--out", str(out)]
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert main(command) == 2  # nobody approves
    assert not out.exists()
    assert main([*command, "--yes", "--least-people", "7000"]) == 0
    assert "too few people to list" in capsys.readouterr().out
    text = out.read_text()
    assert main([*command, "--yes"]) == 2
    assert out.read_text() == text
    assert plan_of().id in text
    assert found.kept.hash in text
    later = Plan.load(out)
    assert later.version == 2
    assert later.service("phones").attributes[0].declared()["values"] == ["maps", "registered nurse"]
    memory: dict[str, str] = {}
    untold.Client(plan_of(), "u", memory).report("phones", {"app": "Maps", "os": "a"}, epoch=0)
    (report,) = untold.Client(later, "u", memory).report("phones", {"app": "something new", "os": "a"}, epoch=1)
    assert report.plan == later.id


def test_a_part_of_the_people_keeps_looking(tmp_path: Path) -> None:
    """`values` and `discover = 0.3`: the others count as ever, and what is new is found."""
    plan = plan_of(values=["maps", "mail"], discover=0.5, count=0.1)
    table, often = people(5)
    untold.perturb(plan, "phones", table, out=tmp_path / "r", seed=2, progress=False)
    con = untold.connect(tmp_path / "r")
    answer = con.sql("SELECT app, COUNT(*) AS n FROM phones GROUP BY app").df().set_index("app")
    for text in ("maps", "mail"):
        assert abs(answer.n[text] - often[text]) < 4 * answer.n_se[text]
    assert "registered nurse" in con.discover().values
    assert con.plan.id == plan.id


def counted(plan: Plan, texts: list[str], number: list[int], seed: int):
    """Counts of messages of people with these texts."""
    from untold.collect.bulk import encode_codes

    text, design = plan.service("phones").sensitive[0].searched, plan.design("phones")
    rows = np.repeat(np.arange(len(texts)), number)
    codes = [np.zeros(len(rows), np.uint32), *(c[rows] for c in cells_of(text, design.texts, texts))]
    _, messages = encode_codes(design, codes, Seeded(seed))
    message, often = np.unique(messages.index, return_counts=True)
    return counted_texts(text, design, message.astype(np.uint32), often.astype(float))


def test_candidates_are_tested_by_others_and_found_when_rarer() -> None:
    """With the list "nurse" is found though its share is too small for prefixes, and of 500 strangers none."""
    plan = plan_of(count=0)
    own = counted(plan, ["maps", "nurse", "rest of it"], [12_000, 480, 27_520], 6)
    alone = {each.text for each in search(own).found}
    strangers = [f"word {n}" for n in range(500)]
    listed = {each.text for each in search(own, candidates=["Nurse", *strangers]).found}
    assert {"maps", "rest of it"} <= alone
    assert "nurse" in listed - alone
    assert not listed & set(strangers)
    assert all(each.listed == 1 for each in looked_up(own, ["nurse"]))


def test_no_view_makes_a_candidate_and_tests_it() -> None:
    """Of texts that nobody has the pooled test keeps as many as it says. Counting the view that chose them, too, keeps far more:
    of 20,000 strangers that the first view likes best."""
    plan = plan_of(count=0)
    own = counted(plan, ["rest"], [30_000], 6)
    strangers = [f"{n:x} x" for n in range(20_000)]
    chosen = looked_up(own, strangers)
    assert len(chosen) > 60
    assert searching.tested(own, chosen) == []
    cheated = [replace(each, listed=0) for each in chosen]
    assert len(searching.tested(own, cheated)) < len(chosen)
    first = own.whole[0]
    liked = [tail(own.support(first, each.text), own.people(first), first.view.oracle.floats[1]) for each in chosen]
    assert max(liked) < 0.01  # as the choosing view likes all of them, it may not say how well they do


def test_a_beginning_whose_end_is_not_seen_is_said() -> None:
    plan = plan_of(bytes=16, letters="codes", count=0)  # 67 bits: 11 letters
    own = counted(plan, ["a long long name", "short"], [15_000, 15_000], 8)
    found, unfinished = grown(own)
    assert "short" in {each.text for each in found}
    assert any(each.startswith("a long") for each in unfinished)


def test_forecasts_say_what_will_be_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.json"
    file.write_text(plan_of().to_json())
    assert main(["forecast", str(file), "--discover", "app", "--users", "1e6"]) == 0
    assert "from 0.3" in capsys.readouterr().out
    plan = plan_of()
    text, design = plan.service("phones").sensitive[0].searched, plan.design("phones")
    few, many = reach_of(design, text, 1e4), reach_of(design, text, 1e6)
    assert [a.share / b.share for a, b in zip(few, many, strict=True)] == pytest.approx([10] * len(few))
    assert [each.share for each in many] == sorted(each.share for each in many)
    assert main(["forecast", str(file), "SELECT COUNT(*) AS n FROM phones", "--users", "1e6"]) == 0
    assert main(["forecast", str(file), "--discover", "os", "--users", "1e6"]) == 2


def test_identifiers_are_left_out_by_default() -> None:
    out = LeftOut(frozenset({"secret"}))
    assert all(
        each in out
        for each in ("secret", "a@b.example", "0171 2345678", "3f2a9c81-77aa", "https://x.example/u", "10.0.0.1")
    )
    assert not any(each in out for each in ("maps", "error 404", "e1234", "new york", "windows 11"))
    assert "a@b.example" not in LeftOut(identifiers=False)


def test_frozen_messages_keep_their_numbers(folder: Path, found: object) -> None:
    """Questions read the plan otherwise; it stays the plan that was followed, and so do its messages."""
    con = untold.connect(folder)
    asked, followed = con.plan.design("phones"), plan_of().design("phones")
    assert [view.offset for view in asked.views] == [view.offset for view in followed.views]
    assert asked.messages == followed.messages
    assert con.plan.id == plan_of().id
    assert json.loads(con.plan.to_json())["declared"]["services"]["phones"]["attributes"]["app"]["discover"] is True
