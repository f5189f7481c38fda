"""The command line as people use it, mistakes included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import untold
from untold import cli
from untold.cli import COMMANDS, Command, main
from untold.commands.demo.people import people

SHOP = str(Path(__file__).parents[1] / "examples" / "shop.toml")
PEOPLE = 2000
COUNT = "SELECT COUNT(*) AS n FROM users"
BY_STATE = "SELECT state, COUNT(*) AS n FROM users GROUP BY state"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People as Parquet and CSV, and their reports."""
    root = tmp_path_factory.mktemp("cli")
    users, transactions = people(PEOPLE)
    pq.write_table(users, root / "users.parquet")
    pq.write_table(transactions, root / "transactions.parquet")
    csv.write_csv(users, root / "users.csv")
    (root / "empty").mkdir()
    assert main(["perturb", SHOP, "users", str(root / "users.parquet"), "--out", str(root / "all" / "reports")]) == 0
    return root


@pytest.fixture
def run(place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Exit code, standard output and standard error of a command, run where the files are."""
    monkeypatch.chdir(place)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_help_has_a_line_for_every_command_and_every_command_has_help(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    for command in COMMANDS:
        assert f"  {command.name:<12}{command.summary}\n" in out
        code, explained, _ = run(command.name, "--help")
        assert code == 0
        assert f"usage: untold {command.name}" in explained
        assert "Example:" in explained


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"untold {untold.__version__}\n", "")


def test_help_imports_nothing_heavy() -> None:
    program = "import sys; from untold.cli import main; main(['--help']); print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"numpy", "numba", "pyarrow", "duckdb", "sqlglot", "rich"} & set(done.stderr.split("'"))


def test_plan_in_words(run: Run) -> None:
    assert run("plan", "check", SHOP)[0] == 0
    code, out, _ = run("plan", "show", SHOP)
    assert code == 0
    for words in (
        "integers 1..125",
        "os        public",
        "0 to 10 rows per person, always one report",
        "epsilon 2 per epoch, over both services together. At most 10 in a lifetime: 5 epochs",
        "10% likely can, after seeing this, think it 1.4% to",
    ):
        assert words in out
    design = untold.Plan.load(SHOP).design("transactions")
    assert f"{design.messages:,} different messages, 2 bytes." in out


def test_frozen_plan_of_a_file_and_of_a_folder(run: Run) -> None:
    frozen = untold.Plan.load(SHOP).to_json() + "\n"
    assert run("plan", "show", SHOP, "--json") == (0, frozen, "")
    assert run("plan", "show", "all/reports", "--json") == (0, frozen, "")


def test_perturb_takes_csv_and_a_population_then_verify_and_index(run: Run, place: Path) -> None:
    code, out, _ = run("perturb", SHOP, "users", "users.csv", "--out", "from_csv")
    assert (code, out.split(" in ")[0]) == (0, f"{PEOPLE:,} reports of {PEOPLE:,} users")
    arguments = ("transactions.parquet", "--out", "from_csv", "--population", "users.csv")
    code, out, _ = run("perturb", SHOP, "transactions", *arguments)
    assert (code, out.split(" in ")[0]) == (0, f"{PEOPLE:,} reports of {PEOPLE:,} users")
    code, out, _ = run("verify", "from_csv")
    assert code == 0
    assert f"transactions: {PEOPLE:,} reports in 1 segment, epoch 0" in out
    counted = f"Counted {PEOPLE:,} reports of 'users', {PEOPLE:,} reports of 'transactions'.\n"
    assert run("index", "from_csv") == (0, counted, "")
    assert "summary of" in run("query", "from_csv", BY_STATE)[1]


def test_verify_notices_one_changed_byte(run: Run, place: Path) -> None:
    assert run("perturb", SHOP, "users", "users.parquet", "--out", "damaged")[0] == 0
    (segment,) = (place / "damaged" / "users").glob("*.parquet")
    data = bytearray(segment.read_bytes())
    data[100] ^= 1
    segment.chmod(0o644)
    segment.write_bytes(data)
    code, _, err = run("verify", "damaged")
    assert code == 2
    assert "damaged" in err


def test_intervals_of_chosen_rows_can_be_switched(run: Run) -> None:
    top = f"{BY_STATE} ORDER BY n DESC LIMIT 1"

    def low(*how: str) -> float:
        code, out, _ = run("query", "all/reports", top, "--format", "csv", *how)
        assert code == 0
        return float(out.splitlines()[1].split(",")[3])

    assert low() == low("--simultaneous") < low("--no-simultaneous")


def test_query_formats_agree(run: Run, place: Path) -> None:
    code, out, _ = run("query", "all/reports", BY_STATE, "--format", "json")
    assert code == 0
    rows = json.loads(out)["rows"]
    assert [row["state"] for row in rows] == ["NY", "WA", "CA"]
    assert sum(row["n"] for row in rows) == pytest.approx(PEOPLE)
    assert run("query", "all/reports", BY_STATE, "--out", "answer.csv")[:2] == (0, "")
    assert run("query", "all/reports", BY_STATE, "--out", "answer.parquet")[:2] == (0, "")
    assert csv.read_csv(place / "answer.csv").to_pylist() == rows
    assert pq.read_table(place / "answer.parquet").to_pylist() == rows
    code, _, err = run("query", "all/reports", BY_STATE, "--spreadsheet")
    assert (code, "--spreadsheet needs --format csv" in err) == (2, True)
    code, out, _ = run("query", "all/reports", BY_STATE.replace("AS n", 'AS "-n"'), "--format", "csv", "--spreadsheet")
    assert '"\'-n"' in out.splitlines()[0]
    code, out, _ = run("query", "all/reports", BY_STATE, "--format", "csv")
    assert out == (place / "answer.csv").read_text()
    code, out, _ = run("query", "all/reports", BY_STATE)
    assert "± spans the 95% interval" in out


def test_query_options_reach_the_engine(run: Run, place: Path) -> None:
    def width(*options: str) -> float:
        code, out, err = run("query", "all/reports", f"{COUNT} WHERE age < 35", "--format", "json", *options)
        assert (code, err) == (0, "")
        (row,) = json.loads(out)["rows"]
        return float(row["n_high"] - row["n_low"])

    assert width("--confidence", "0.5") < width()
    assert width("--estimator", "greedy") > width()
    assert width("--epochs", "0") == pytest.approx(width())
    code, out, _ = run("query", "all/reports", BY_STATE, "--plausible", "--plot", "states.svg")
    assert code == 0
    assert "Note:" in out
    assert (place / "states.svg").read_text().startswith("<svg")


def test_a_forecast_averages_as_many_decompositions_as_asked(run: Run) -> None:
    asked = ("forecast", SHOP, COUNT + " WHERE age BETWEEN 13 AND 77", "--users", "1e6", "--estimator", "rdc")
    two, eight = (run(*asked, "--top", top)[1] for top in ("2", "8"))
    assert run(*asked)[1] == two
    assert eight != two
    plan = untold.Plan.load(SHOP)
    assert eight == f"{plan.forecast(asked[2], users=1e6, estimator='rdc', top=8)}\n"


def test_explain_and_forecast(run: Run) -> None:
    code, out, _ = run("explain", "all/reports", BY_STATE)
    assert (code, out.splitlines()[0].split()[0]) == (0, "estimator")
    code, out, _ = run("forecast", SHOP, COUNT + " WHERE age < 35", "--users", "1e6")
    assert code == 0
    assert out == f"{untold.Plan.load(SHOP).forecast(COUNT + ' WHERE age < 35', users=1e6)}\n"
    code, out, _ = run("forecast", SHOP, COUNT + " WHERE age < 35", "--error", "0.5%")
    assert code == 0
    assert "0.5% of all users" in out


def test_sql_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from io import StringIO

    monkeypatch.setattr(sys, "stdin", StringIO(COUNT))
    code, out, _ = run("query", "all/reports", "-", "--format", "json")
    assert (code, json.loads(out)["rows"][0]["n"]) == (0, PEOPLE)


MISTAKES = (
    (["qurey"], "Did you mean 'untold query'?"),
    (["xyzzy"], "There are: demo, plan, "),
    (["plan", "chek", SHOP], "invalid choice: 'chek'"),
    (["plan", "check", "missing.toml"], "missing.toml: no such plan file"),
    (["plan", "check", "missing.json"], "missing.json: no such plan file"),
    (["plan", "check", "users.parquet"], "is not a plan file"),
    (["plan", "check", "empty"], "empty is empty"),
    (["plan", "show", SHOP, "--jsno"], "Did you mean --json?"),
    (["perturb", SHOP, "user", "users.parquet", "--out", "r"], "Did you mean 'users'?"),
    (["perturb", SHOP, "users", "missing.parquet", "--out", "r"], "missing.parquet does not exist"),
    (["perturb", SHOP, "users", "missing.csv", "--out", "r"], "missing.csv: no such file"),
    (["perturb", SHOP, "users", "transactions.parquet", "--out", "r"], "has no column 'age'"),
    (["perturb", SHOP, "transactions", "transactions.parquet", "--out", "r"], "pass --population with"),
    (["perturb", SHOP, "users", "users.parquet", "--out", "all/reports"], "pass the next --epoch."),
    (["perturb", SHOP, "users", "users.parquet"], "required: --out"),
    (["query", "all", COUNT], "did you mean all/reports?"),
    (["query", "missing", COUNT], "missing does not exist"),
    (["query", "users.parquet", COUNT], "users.parquet is a file; expected a folder of reports"),
    (["query", COUNT, "all/reports"], "the SQL comes second"),
    (["query", "all/reports", "  "], "The SQL is empty"),
    (["query", "all/reports", "users.csv"], "the SQL itself is needed"),
    (["query", "all/reports", "SELECT age FROM users"], "Hint:"),
    (["query", "all/reports", COUNT, "--confidence", "95"], "between 0 and 1"),
    (["query", "all/reports", COUNT, "--epochs", "x"], "does not name epochs"),
    (["query", "all/reports", COUNT, "--format", "parquet"], "needs --out FILE"),
    (["query", "all/reports", COUNT, "--out", "empty"], "empty is a folder"),
    (["query", "all/reports", COUNT, "--out", "missing/a.csv"], "the folder missing does not exist"),
    (["query", "all/reports", COUNT, "--plot", "a.bmp"], "ends with .png"),
    (["query", "all/reports", "SELECT SUM(amount) AS s FROM transactions"], "has no reports"),
    (["forecast", SHOP, COUNT], "--users --error --lift is required"),
    (["forecast", SHOP, COUNT, "--users", "many"], "'many' is not a number of people"),
    (["forecast", SHOP, COUNT, "--error", "-1%"], "expected one argument"),
    (["verify", "empty"], "empty is empty"),
    (["demo", "--users", "10"], "too few"),
    (["demo", "--out", "."], "which the demo does not touch"),
    (["demo", "--out", "users.csv"], "users.csv is a file"),
)


@pytest.mark.parametrize(("arguments", "complaint"), MISTAKES, ids=[" ".join(a)[-60:] for a, _ in MISTAKES])
def test_a_mistake_is_explained(run: Run, place: Path, arguments: list[str], complaint: str) -> None:
    before = sorted(place.rglob("*"))
    code, out, err = run(*arguments)
    assert code == (3 if "already reported" in err else 2)
    assert out == ""
    assert complaint in err
    assert "Traceback" not in err
    assert sorted(place.rglob("*")) == before


def test_benchmarks_need_the_repository(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from untold.commands import bench

    monkeypatch.setattr(bench, "__file__", str(tmp_path / "site-packages" / "untold" / "commands" / "bench.py"))
    code, _, err = run("bench", "speed")
    assert code == 2
    assert "run inside the repository" in err


def failing(error: BaseException) -> tuple[Command, ...]:
    def fail(_: object) -> int:
        raise error

    class Broken(Command):
        def load(self) -> Callable[..., int]:
            return fail

    return (Broken("fail", "", ""),)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "\nStopped.\n"),
        (untold.UntoldError("Too much.\nHint: less."), 2, "Too much.\nHint: less.\n"),
        (PermissionError(13, "Permission denied", "a.csv"), 2, "a.csv: Permission denied.\n"),
        (ZeroDivisionError("oops"), 1, "untold failed: ZeroDivisionError: oops\nHint: this should not happen."),
    ],
)
def test_failures_become_messages(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, message: str
) -> None:
    monkeypatch.setattr(cli, "BY_NAME", {"fail": failing(error)[0]})
    monkeypatch.delenv("UNTOLD_DEBUG", raising=False)
    got, out, err = run("fail")
    assert (got, out) == (code, "")
    assert err.startswith(message)
    if isinstance(error, Exception):
        monkeypatch.setenv("UNTOLD_DEBUG", "1")
        with pytest.raises(type(error)):
            main(["fail"])


def test_a_closed_pipe_is_no_error(place: Path) -> None:
    """The reader has gone before a word is written, as with `| head`."""
    read, write = os.pipe()
    os.close(read)
    program = "import sys; from untold.cli import main; sys.exit(main(['--help']))"
    done = subprocess.run([sys.executable, "-c", program], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_help_is_fast() -> None:
    """It takes about 0.05 s, as it loads next to nothing: some 80 modules, where numpy alone has 150."""
    program = (
        "import sys; from untold.cli import main; code = main(['--help']); print(len(sys.modules), file=sys.stderr); "
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stderr) < 150
