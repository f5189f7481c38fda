"""Blocks of code in pages: what they are, and how each kind is run.

A line above a block may say how to take it:

    <!-- not run: REASON -->      it is left alone
    <!-- file: NAME -->           it is written to a file, which later blocks of the page use
    <!-- chance -->               a block of text shows what was printed, but for its numbers
"""

from __future__ import annotations

import doctest
import io
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import untold
from untold.cli import main as command

FENCE = re.compile(
    r"(?:^ *<!-- (?P<mark>[^\n]*?) -->\n)?^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$", re.M | re.S
)
NUMBER = re.compile(r"[\d.]+ m?s\b|\b\d+-[0-9a-f]{16}\b|[-−]?\d[\d,.]*%?|[ ─]+")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A block of code of a page, with what stands above it."""

    line: int
    mark: str
    language: str
    text: str
    follows: bool  # right after another block: if it is text, it shows what that printed

    @property
    def left_alone(self) -> str:
        """Why it is not run, or nothing."""
        return self.mark.removeprefix("not run:").strip() if self.mark.startswith("not run:") else ""


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, in order."""
    end = -1
    for found in FENCE.finditer(page):
        line = page.count("\n", 0, found.start("language")) + 1
        follows = end >= 0 and not page[end : found.start()].strip()
        yield Block(line, found["mark"] or "", found["language"], found["text"], follows)
        end = found.end()


@dataclass
class Run:
    """Runs blocks of one page in the folder where the test stands."""

    page: str
    names: dict[str, Any] = field(default_factory=dict)
    printed: str | None = None

    def take(self, block: Block) -> None:
        """Run one block, or compare what the one before printed."""
        if block.left_alone:
            self.printed = None
        elif block.mark.startswith("file:"):
            Path(block.mark.removeprefix("file:").strip()).write_text(block.text, encoding="utf-8")
        elif block.language in ("", "text"):
            if block.follows and self.printed is not None:
                compare(block, self.printed, self.page)
        else:
            run = getattr(self, f"run_{block.language.replace('bash', 'sh')}", None)
            assert run, (
                f"{self.page}:{block.line}: nothing runs {block.language!r}: write <!-- not run: REASON --> above it"
            )
            with redirect_stdout(io.StringIO()) as out:
                run(block)
            self.printed = out.getvalue()

    def run_python(self, block: Block) -> None:
        """Statements, in the names of the page."""
        exec(compile("\n" * block.line + block.text, self.page, "exec"), self.names)

    def run_pycon(self, block: Block) -> None:
        """A session, compared line by line."""
        test = doctest.DocTestParser().get_doctest(block.text, self.names, self.page, self.page, block.line)
        report: list[str] = []
        done = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
        assert not done.failed, "".join(report)
        self.names.update(test.globs)

    def run_sh(self, block: Block) -> None:
        """Lines `untold ...`."""
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                assert words[0] == "untold", f"{self.page}:{block.line}: only lines `untold ...` are run, not {line!r}"
                assert command(words[1:]) == 0, f"{self.page}:{block.line}: {line}"

    def run_sql(self, block: Block) -> None:
        """Questions to the reports of the folder."""
        with untold.connect("reports") as connection:
            for question in block.text.split(";"):
                if question.strip():
                    connection.sql(question).show()

    def run_toml(self, block: Block) -> None:
        """A plan, or a part of one."""
        told = tomllib.loads(block.text)
        if "services" in told and "epsilon" in told:
            untold.Plan.from_dict(told)

    def run_json(self, block: Block) -> None:
        """Anything that is JSON."""
        json.loads(block.text)


def compare(block: Block, printed: str, page: str) -> None:
    """Whether a block shows what was printed; by chance its numbers may differ."""
    want, got = block.text.strip(), printed.strip()
    if block.mark == "chance":
        want, got = (" ".join(NUMBER.sub(" ", each).split()) for each in (want, got))
    assert doctest.OutputChecker().check_output(want, got, FLAGS), f"{page}:{block.line} printed\n{printed}"
