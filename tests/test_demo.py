"""The tour and the README: what they show is what happens."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.resources import files
from math import inf
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest

from untold.ask.forecast.forecast import Expected
from untold.cli import BY_NAME, main
from untold.commands.demo.compare import Compared, Line, _if_other, true_answer
from untold.commands.demo.figure import figure
from untold.commands.demo.people import MOST_ROWS, people
from untold.commands.demo.person import send
from untold.commands.demo.questions import QUESTIONS
from untold.commands.demo.speech import Speaker, precision
from untold.device.client import Client
from untold.plan import Plan
from untold.randomness import Seeded

ROOT = Path(__file__).parents[1]
SHOP = ROOT / "examples" / "shop.toml"
README = (ROOT / "README.md").read_text(encoding="utf-8")
FEW = 5000  # people, where the README has 200,000


def test_the_plan_in_the_package_is_the_one_of_the_examples() -> None:
    assert files("untold.commands.demo").joinpath("shop.toml").read_bytes() == SHOP.read_bytes()


def test_people_are_always_the_same_and_fit_the_plan() -> None:
    users, transactions = people(FEW)
    assert users.equals(people(FEW)[0])
    assert users.num_rows == pc.count_distinct(users["uid"]).as_py() == FEW
    rows = transactions.group_by("uid").aggregate([("uid", "count")])
    assert pc.max(rows["uid_count"]).as_py() <= MOST_ROWS
    assert rows.num_rows < FEW  # somebody buys nothing
    income, age = users["income"].to_numpy(), users["age"].to_numpy()
    assert income[(age > 40) & (age < 60)].mean() > 1.5 * income[age < 25].mean()
    assert np.all(income % 2000 == 0)


@pytest.fixture(scope="module")
def toured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder that a quick tour was made in twice, and what the second one said."""
    root = tmp_path_factory.mktemp("demo")
    assert main(["demo", "--users", "1000", "--out", str(root / "tour")]) == 0
    done = subprocess.run(
        [sys.executable, "-m", "untold.cli", "demo", "--quick", "--out", "tour"],
        capture_output=True, text=True, check=True, cwd=root, encoding="utf-8", env={"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.stderr == ""
    return root / "tour", done.stdout


def test_the_tour_asks_everything_and_counts_its_intervals(toured: tuple[Path, str]) -> None:
    _, said = toured
    assert "A shop with 20,000 made-up people" in said
    for asked in QUESTIONS:
        assert asked.words in said
        assert asked.sql in said
    held, missed = said.count("  ✓\n"), said.count("  ✗ the interval misses the truth\n")
    assert f"{held} of {held + missed} intervals hold the truth" in said
    assert held + missed == 20
    assert (
        held >= 14
    )  # of 20 at 95%: fewer happens less than once in 3,000 tours (binomial, seven or more misses: 3e-5)


def test_the_tour_collects_for_its_questions_too(toured: tuple[Path, str]) -> None:
    """Every question has a second error, from the same people; most are closer."""
    folder, said = toured
    told = [float(each) for each in re.findall(r"made for these questions: ([\d.]+) times closer", said)]
    assert said.count("where the plan was made for these questions") == len(QUESTIONS)
    assert len(told) >= 6
    assert max(told) > 2
    page = (folder / "demo.html").read_text(encoding="utf-8")
    assert page.count("where the plan was made for these questions") == len(QUESTIONS)
    assert Plan.load(folder / "made.json").schema.budget == Plan.load(folder / "shop.toml").schema.budget


def test_the_tour_shows_the_closest_plausible_answer_where_it_differs(toured: tuple[Path, str]) -> None:
    """Some answers get one. Each lies within the unbiased interval, or is 0 where that lies below. A join's is only cut at 0."""
    folder, said = toured
    found = re.findall(r"answer +(-?[\d,.]+) ± ([\d,.]+) +best (-?[\d,.]+) +[✓✗]", said)
    assert 3 <= len(found) <= 17
    for answer, half, closest in (tuple(float(part.replace(",", "")) for part in each) for each in found):
        assert closest != answer
        near_zero = answer < 0 <= closest <= 0.6 * half  # all of the interval, or nearly, is below 0
        assert near_zero or abs(closest - answer) <= 1.01 * half + 1
    assert "It is biased; the interval is the unbiased one." in said
    last = said[said.index(QUESTIONS[-1].sql) :]
    for answer, closest in re.findall(r"answer +(-?[\d,.]+) .*best (\S+)", last.partition("intervals hold")[0]):
        assert float(answer.replace(",", "")) < 0
        assert closest == "0"
    page = (folder / "demo.html").read_text(encoding="utf-8")
    assert page.count('<circle class="closest" cx="12"') == 1
    assert page.count('<circle class="closest"') == 1 + len(re.findall(r"best -?\d", said))


def test_an_answer_without_end_has_a_closest_one_too() -> None:
    line = Line("", 1.0, 5.0, -inf, inf)
    assert _if_other(line, 7.0) == 7.0
    assert _if_other(line, 5.0) is None


def test_the_tour_shows_the_truth_of_duckdb(toured: tuple[Path, str]) -> None:
    _, said = toured
    users, transactions = people(20_000)
    ((truth,),) = true_answer("SELECT COUNT(*) FROM users WHERE age < 35", users, transactions)
    assert truth == pc.sum(pc.less(users["age"], 35)).as_py()
    assert f"truth {truth:,}" in said


class Page(HTMLParser):
    """Counts tags, and collects what would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "data", "srcset")]


def test_the_page_is_complete_and_fetches_nothing(toured: tuple[Path, str]) -> None:
    folder, _ = toured
    text = (folder / "demo.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert page.fetched == []
    assert "script" not in page.tags
    assert "url(" not in text
    assert "http:" not in text
    assert page.tags.count("circle") - text.count('<circle class="closest"') == 20 + 1  # every estimate, and the key
    assert text.count('class="truth"') == 20 + 1


def test_the_tour_leaves_reports_that_can_be_asked(
    toured: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, said = toured
    monkeypatch.chdir(folder.parent)
    steps = [line.split("#")[0] for line in said.split("Try next\n")[1].splitlines()]
    assert len(steps) == 5
    for step in steps:
        if step.split()[:2] != ["untold", "demo"]:
            assert main(words(step)[1:]) == 0
    assert "±" in capsys.readouterr().out


def test_a_report_is_taken_apart_correctly() -> None:
    """Two records differ by e^epsilon at most, up to rounding of floats (tests/privacy is exact), and by no less."""
    plan = Plan.load(SHOP)
    record = {"age": 42, "income": 116_000, "state": "CA", "os": "ios"}
    truthful = 0
    for user in range(200):
        sent = send(Client(plan, user, rng=Seeded(user)), "users", [record])
        truthful += sent.truthful
        assert 0 <= sent.hinted < sent.combinations  # a line of padding alone hints at nothing
        assert sent.ratio == pytest.approx(np.e, rel=1e-9)
    assert 80 < truthful < 150  # p is 0.58 in almost every view: 115 expected, standard deviation 7; seeds are fixed


def test_a_drawing_survives_an_unbounded_interval() -> None:
    drawn = figure([Line("<NY>", 5.0, 4.0, -inf, inf), Line("CA", 0.0, 1.0, -1.0, 3.0)], "people")
    assert "<NY>" not in drawn
    assert "inf" not in re.sub(r'aria-label="[^"]*"|<title>.*?</title>', "", drawn.replace("∞", ""))
    numbers = [float(x) for x in re.findall(r'[xc][12x]?="([-0-9.]+)"', drawn)]
    assert all(0 <= x <= 760 for x in numbers)


def test_precision_of_a_count_is_relative_to_its_growth(capsys: pytest.CaptureFixture[str]) -> None:
    """50 times the people: 50 times the count. A forecast error of 1% of it is said to be 1% (times 1.96)."""
    line = Line("", 1000.0, 990.0, 900.0, 1100.0)
    count = Compared(QUESTIONS[0], (line,), 200_000, Expected("n", 0.0, 500.0, grows=True))
    share = Compared(QUESTIONS[5], (line,), 200_000, Expected("n", 0.0, 500.0, grows=False))
    assert (count.precision, count.precision_at_large) == (0.1, pytest.approx(0.0196))
    assert share.precision_at_large == pytest.approx(0.98)
    open_ended = Compared(QUESTIONS[2], (Line("", 5.0, 4.0, -inf, inf),), 200_000, Expected("n", 0.0, 1.0, grows=False))
    Speaker().answered(3, open_ended)
    assert "unknown  ✓" in capsys.readouterr().out
    assert precision(count) == "± 10% with 200,000 people; ± 2.0% forecast for 10 million"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def masked(text: str) -> list[str]:
    """Lines without what chance and clocks decide: numbers, file names, column widths."""
    text = re.sub(r"0-[0-9a-f]{16}", "#", text)
    lines = [re.sub(r"[-−]?(?:\binf\b|\d[\d,.]*)", "#", line) for line in text.splitlines()]
    lines = [re.sub(r"# m?s$", "# s", re.sub(r"[\s─]+", " ", line)).strip() for line in lines]
    return [line for line in lines if line]


def words(line: str) -> list[str]:
    import shlex

    return shlex.split(line)


def test_the_python_of_the_readme_prints_what_it_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    code, outputs = blocks("python"), blocks("text")[1:]
    assert len(code) == len(outputs) == 3
    program = "\nprint('<>')\n".join(code).replace("people(200_000)", f"people({FEW})")
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, check=False, cwd=tmp_path, encoding="utf-8", env={"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.stderr == ""
    printed = done.stdout.split("<>\n")
    assert printed[0] == outputs[0]  # no chance in a forecast
    for got, said in zip(printed, outputs, strict=True):
        assert masked(got) == masked(said)


def test_masking_leaves_words_to_compare() -> None:
    assert masked("NY  58,877 ± 2,946\n\n2 rows, 0.21 s") == masked("NY 1 ± 2\n3 rows, 12 ms")
    assert masked("NY 1 ± 2") != masked("CA 1 ± 2")


def test_the_shell_lines_of_the_readme_exist() -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [words(line) for line in lines if line.startswith("untold ")]
    assert len(commands) >= 5
    for command in commands:
        assert command[1] in BY_NAME
    for script in re.findall(r"^    (scripts/\w+)", README, re.MULTILINE):
        assert (ROOT / script).is_file()


def test_the_demo_of_the_readme_has_the_headings_of_the_demo(toured: tuple[Path, str]) -> None:
    shown = masked(blocks("text")[0])
    said = masked(toured[1])
    steady = [line for line in shown if re.match(r"# [A-Z]|SELECT|true record|A shop", line)]
    assert len(steady) >= 9
    assert [line for line in steady if line not in said] == []


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert len(links) >= 6
    assert [link for link in links if not (ROOT / link).exists()] == []
