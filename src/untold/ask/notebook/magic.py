"""`%%untold`: a cell of SQL.

    %load_ext untold
    %untold reports/                      the folder, or a variable with a connection, for the cells that follow

    %%untold                              the answer is shown, and kept in the variable `answer`
    SELECT state, COUNT(*) AS n FROM users WHERE age >= $youngest GROUP BY state

    %%untold --as by_state --plot         kept in `by_state`, and drawn

`$name` takes the value of the variable `name`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from untold.answers.answer import Answer
from untold.ask.connection import Connection, connect
from untold.ask.sql.parameters import placeholders
from untold.errors import UntoldError

T = TypeVar("T")
USAGE = "%%untold [FOLDER or CONNECTION] [--as NAME] [--confidence 0.95] [--plausible] [--simultaneous] [--plot]"


class Magic:
    """The connection of the last `%untold`, and the notebook's variables."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.connection: Connection | None = None

    def line(self, line: str) -> Connection | None:
        """`%untold reports/`: connect, and show what there is."""
        if line.strip() and self._told(lambda: self._connect(line.strip())) is None:
            return None
        return self._told(self._connected)

    def cell(self, line: str, cell: str) -> Answer | None:
        """`%%untold`: ask, keep the answer, show it once."""
        return self._told(lambda: self._asked(line, cell))

    def _asked(self, line: str, cell: str) -> Answer:
        words = line.split()
        kept, confidence, plot = _option(words, "--as") or "answer", _option(words, "--confidence"), "--plot" in words
        plausible, together = "--plausible" in words, True if "--simultaneous" in words else None
        names = [word for word in words if word not in ("--plot", "--plausible", "--simultaneous")]
        if len(names) > 1 or any(word.startswith("--") for word in names) or not kept.isidentifier():
            raise UntoldError(f"%%untold {line.strip()} is not understood.\nHint: {USAGE}")
        if names:
            self._connect(names[0])
        known = {name: self.shell.user_ns[name] for _, _, name in placeholders(cell) if name in self.shell.user_ns}
        sure = float(confidence or 0.95)
        ask = self._connected().sql
        answer = ask(cell, confidence=sure, plausible=plausible, parameters=known, simultaneous=together)
        assert answer.result  # runs here, so that a failure is told here
        self.shell.user_ns[kept] = answer
        if plot:
            from IPython.display import display

            display(answer.plot())
        return answer

    def _connected(self) -> Connection:
        if self.connection is None:
            raise UntoldError("%%untold does not know which reports to ask.\nHint: %untold FOLDER")
        return self.connection

    def _connect(self, name: str) -> Connection:
        found = self.shell.user_ns.get(name)
        self.connection = found if isinstance(found, Connection) else connect(Path(name).expanduser())
        return self.connection

    def _told(self, work: Callable[[], T]) -> T | None:
        """An error of ours is its sentence, without a page of Python."""
        try:
            return work()
        except UntoldError as error:
            print(error)
            return None


def _option(words: list[str], name: str) -> str | None:
    """The word after an option, both taken out."""
    if name not in words:
        return None
    at = words.index(name)
    value = words[at + 1] if at + 1 < len(words) else ""
    del words[at : at + 2]
    return value


def load(shell: Any) -> None:
    """For `%load_ext untold`."""
    magic = Magic(shell)
    shell.register_magic_function(magic.line, "line", "untold")
    shell.register_magic_function(magic.cell, "cell", "untold")
    if getattr(shell, "Completer", None) is not None:
        from untold.ask.notebook.completing import matcher

        own = shell.Completer.custom_matchers
        own[:] = [each for each in own if getattr(each, "__name__", "") != "untold_cell_matcher"]
        own.append(matcher(magic))
