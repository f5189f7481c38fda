"""In a notebook: an answer is shown once, everything has a short repr, plots need no network, `%%untold` asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import untold
from helpers.made_up import answer, by_state
from untold.collect.collected import Collected
from untold.commands.demo.people import people
from untold.tables import watch

IPython = pytest.importorskip("IPython")
SHOP = Path(__file__).parents[2] / "examples" / "shop.toml"
SHORT = 400  # characters of a repr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("notebook") / "reports"
    untold.perturb(untold.Plan.load(SHOP), "users", people(2000)[0], out=out, seed=1)
    return out


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An IPython shell that keeps nothing on disk."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    made = InteractiveShell(config=config)
    untold.load_ipython_extension(made)
    yield made
    made.history_manager.end_session() if made.history_manager else None


def test_an_answer_is_shown_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A notebook asks for text and HTML; making the text must show nothing by itself."""
    shown: list[object] = []
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("rich.jupyter.display", lambda *parts: shown.append(parts))
    asked = answer(by_state())
    assert "12,350 ± 680" in repr(asked)
    assert "12,350 ± 680" in asked._repr_html_()
    assert (shown, capsys.readouterr().out) == ([], "")


def test_reprs_are_short_and_say_something(folder: Path) -> None:
    plan, con = untold.Plan.load(SHOP), untold.connect(folder)
    client = untold.Client(plan, "u-1")
    sql = "SELECT COUNT(*) AS n FROM users WHERE age > 30"
    said = {
        "Plan 'shop'": plan,
        "Connection to": con,
        "Client of plan 'shop': epsilon 0 of": client,
        "release([...]) of age, income, state": con.marginals("users"),
        "n: standard error": plan.forecast(sql, users=1000),
        "estimator  blue": con.explain(sql),
        "users: one row per person": con.tables.users,
    }
    for words, thing in said.items():
        assert words in repr(thing)
        assert len(repr(thing)) < (SHORT if words != "estimator  blue" else 4 * SHORT), words
    assert "u-1" not in repr(client)  # nobody is named in a shared notebook
    assert "\\n" not in repr(con.explain(sql))


def test_a_plot_comes_as_a_drawing() -> None:
    bundle = answer(by_state()).plot()._repr_mimebundle_()
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "http" not in bundle["image/svg+xml"].replace("http://www.w3.org/", "")
    changed = answer(by_state()).plot().properties(width=100)
    assert "image/svg+xml" in changed._repr_mimebundle_()


def test_a_bar_below_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    class Handle:
        def update(self, html: Any) -> None:
            drawn.append(html.data)

    def display(html: Any, display_id: bool) -> Handle:
        drawn.append(html.data)
        return Handle()

    monkeypatch.setattr(watch, "in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", display)
    assert watch.is_wanted(None)
    assert not watch.is_wanted(False)
    bar = watch.open_bar("perturb <users>", 200, counted=True)
    bar.update(50)
    bar.close()
    assert [text.partition("<progress")[0] for text in drawn] == ["<label>perturb &lt;users&gt; "] * 2 + [""]
    assert 'value="0.250"' in drawn[1]


def test_a_cell_of_sql(shell: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shell.user_ns |= {"youngest": 30, "folder": str(folder)}
    assert shell.run_line_magic("untold", str(folder)).plan.name == "shop"
    asked = shell.run_cell_magic("untold", "--as found", "SELECT COUNT(*) AS n FROM users WHERE age >= $youngest")
    assert shell.user_ns["found"] is asked
    plain = untold.connect(folder).sql("SELECT COUNT(*) AS n FROM users WHERE age >= 30")
    assert asked.fetchall() == plain.fetchall()
    wide = shell.run_cell_magic("untold", "--confidence 0.99", "SELECT COUNT(*) AS n FROM users WHERE age >= 30")
    assert wide.result.confidence == 0.99
    assert shell.user_ns["answer"] is wide
    rows = "SELECT state, COUNT(*) AS n FROM users GROUP BY state"
    together = shell.run_cell_magic("untold", "--simultaneous", rows)
    assert together.fetchall() == untold.connect(folder).sql(rows, simultaneous=True).fetchall()
    close = shell.run_cell_magic(
        "untold", "--plausible --confidence 0.9", "SELECT COUNT(*) AS n FROM users WHERE age >= 30"
    )
    told = untold.connect(folder).sql("SELECT COUNT(*) AS n FROM users WHERE age >= 30", confidence=0.9, plausible=True)
    assert close.fetchall() == told.fetchall()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("line", "cell", "said"),
    [
        ("", "SELECT AVG(state) FROM users", "Hint"),
        ("", "SELECT COUNT(*) FROM users WHERE age = $nowhere", "no value for this parameter"),
        ("--colour blue", "SELECT 1", "%%untold [FOLDER or CONNECTION]"),
        ("/nowhere/at/all", "SELECT 1", "nowhere"),
    ],
)
def test_a_mistake_in_a_cell_is_a_sentence(
    shell: Any, folder: Path, capsys: pytest.CaptureFixture[str], line: str, cell: str, said: str
) -> None:
    assert shell.run_cell_magic("untold", "", "SELECT 1") is None
    assert "%untold FOLDER" in capsys.readouterr().out
    assert shell.run_line_magic("untold", "/nowhere/at/all") is None
    assert "does not exist" in capsys.readouterr().out
    shell.run_line_magic("untold", str(folder))
    assert shell.run_cell_magic("untold", line, cell) is None
    assert said in capsys.readouterr().out


def test_what_was_collected_is_a_sentence(shell: Any) -> None:
    told = shell.display_formatter.format(Collected(reports=2000, users=1000))[0]["text/plain"]
    assert told == "2,000 reports of 1,000 users"


@pytest.mark.parametrize("jedi", [True, False])
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("con.ta", "tables"),
        ("con.sq", "sql"),
        ("con.tables.us", "users"),
        ("con.tables.reg", "regions"),
        ("con.tables['us", "users"),
        ("users['ag", "age"),
        ("untold.conn", "connect"),
        ("%%unt", "%%untold"),
    ],
)
def test_tab_completes(shell: Any, folder: Path, typed: str, completed: str, jedi: bool) -> None:
    from IPython.core.completer import provisionalcompleter

    con = untold.connect(folder)
    con.register("regions", pa.table({"state": ["NY", "WA", "CA"], "coast": ["east", "west", "west"]}), key="state")
    shell.user_ns.update(con=con, untold=untold, users=con.tables.users)
    shell.Completer.use_jedi = jedi
    with provisionalcompleter():
        found = [each.text for each in shell.Completer.completions(typed, len(typed))]
    assert completed in [text.lstrip(".") for text in found]


@pytest.mark.parametrize(
    ("cell", "completed"),
    [
        ("SELECT st", "state"),
        ("SELECT COUNT(*) FROM us", "users"),
        ("SELECT COUNT(*) FROM users u WHERE users.ag", "age"),
        ("SELECT COUNT(*)\nFROM users\nGROUP", "GROUP BY"),
        ("select cou", "COUNT(*)"),
    ],
)
def test_tab_completes_inside_of_a_cell(shell: Any, folder: Path, cell: str, completed: str) -> None:
    from IPython.core.completer import provisionalcompleter

    shell.run_line_magic("untold", str(folder))
    typed = f"%%untold\n{cell}"
    with provisionalcompleter():
        found = [each.text for each in shell.Completer.completions(typed, len(typed))]
        elsewhere = [each.text for each in shell.Completer.completions("sta", 3)]
    assert completed in found
    assert "state" not in elsewhere


def test_execute_gives_what_duckdb_users_expect(folder: Path) -> None:
    con = untold.connect(folder)
    sql = "SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY state"
    answer = con.sql(sql)
    done = con.execute(sql)
    assert done.df().equals(answer.df())
    assert done.fetchdf().equals(answer.df())
    assert done.pl().equals(answer.pl())
    assert done.arrow().equals(answer.arrow())
    assert done.fetchall() == answer.fetchall()
    assert (repr(done), done._repr_html_()) == (repr(done.answer), done.answer._repr_html_())
    assert "without an answer" in repr(con.cursor())
