"""Every block of code in the documentation runs here, or says above itself why it does not."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import untold
from helpers.doc_blocks import Block, Run, blocks
from helpers.registers import kept_registers
from untold.commands.demo.people import people

ROOT = Path(__file__).parents[1]
PAGES = [  # all that the site shows; notebooks run in tests/examples
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
    *(ROOT / name for name in ("CONTRIBUTING.md", "clients/js/README.md")),
]
COMMAND = re.compile(r"^(?: {4}|\t)(?:untold |scripts/|SELECT |%|pip |docker |python )", re.MULTILINE)
FEW = 20_000  # people of the demo, for pages that ask its reports


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pages take for granted: the plan of the examples, and what `untold demo` leaves."""
    import pyarrow.parquet

    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copy(ROOT / "examples" / "shop.toml", folder)
    users, transactions = people(FEW)
    (folder / "untold-demo" / "people").mkdir(parents=True)
    for name, table in (("users", users), ("transactions", transactions)):
        pyarrow.parquet.write_table(table, folder / "untold-demo" / "people" / f"{name}.parquet")
    plan = untold.Plan.load(folder / "shop.toml")
    untold.perturb(plan, "users", users, out=folder / "reports")
    untold.perturb(plan, "transactions", transactions, population=users["uid"], out=folder / "reports")
    return folder


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix().removeprefix("docs/")


@pytest.mark.parametrize("path", [page for page in PAGES if list(blocks(page.read_text(encoding="utf-8")))], ids=named)
def test_blocks_run(path: Path, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(demo, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    run = Run(named(path), {"__name__": "__main__"})
    with kept_registers():
        for block in blocks(path.read_text(encoding="utf-8")):
            run.take(block)


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=named)
def test_commands_stand_in_blocks(path: Path) -> None:
    """Indented lines would be code that nothing runs."""
    outside = re.sub(r"^ *```.*?^ *```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert COMMAND.findall(outside) == []


def test_a_wrong_block_is_noticed() -> None:
    def taken(*texts: tuple[str, str, str]) -> None:
        run = Run("page")
        for mark, language, text in texts:
            run.take(Block(1, mark, language, text, True))

    taken(("", "python", "print(1)"), ("", "text", "1"))
    taken(("", "python", "print(1)"), ("chance", "text", "2"))
    taken(("not run: a cluster", "python", "1 / 0"), ("", "text", "3"))
    for wrong in (
        [("", "python", "1 / 0")],
        [("", "python", "print(1)"), ("", "text", "2")],
        [("", "python", "print('one 1')"), ("chance", "text", "two 1")],
        [("", "pycon", ">>> 1\n2\n")],
        [("", "sh", "rm -r reports")],
        [("", "js", "1")],
    ):
        with pytest.raises((AssertionError, ZeroDivisionError)):
            taken(*wrong)


def test_blocks_are_read() -> None:
    page = "a\n```sh\nb\n```\n\n```text\nc\n```\n\nd\n<!-- not run: e -->\n```js\nf\n```\n```text\ng\n```\n"
    assert [(each.line, each.language, each.text, each.left_alone, each.follows) for each in blocks(page)] == [
        (2, "sh", "b\n", "", False),
        (6, "text", "c\n", "", True),
        (12, "js", "f\n", "e", False),
        (15, "text", "g\n", "", True),
    ]
