"""Tables drawn without rich are rich's to the letter; what they cannot draw alike is left to rich."""

from __future__ import annotations

import io

import pytest

import untold.answers.text as text
from helpers.made_up import answer, by_state, one_number, result
from untold.answers.plain_table import fits, table_lines

RESULTS = {
    "by state": by_state(["Biased: counts below 0 were set to 0."]),
    "one number": one_number(),
    "no rows": result({"a": []}, {"n": []}),
    "keys alone": result({"a": ["x", "long name"], "b": [1, 23456]}, {}),
    "many": result({"age": list(range(60))}, {"n": [(1000.0 + i, 1.0) for i in range(60)], "m": [(0.5, 0.1)] * 60}),
    "accents": result({"city": ["Zürich", "x"]}, {"n": [(5.0, 1.0), (6.0, 1.0)]}),
    "wide letters": result({"city": ["東京", "x"]}, {"n": [(5.0, 1.0), (6.0, 1.0)]}),
}


@pytest.mark.parametrize("name", RESULTS)
def test_equals_rich(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own, theirs = io.StringIO(), io.StringIO()
    answer(RESULTS[name]).show(own)
    monkeypatch.setattr(text, "plain_width", lambda out, endless: None)
    answer(RESULTS[name]).show(theirs)
    assert own.getvalue() == theirs.getvalue()


def test_characters_of_unknown_width_and_lines_too_long_are_left_to_rich() -> None:
    lines = table_lines(["a"], [["59,426 ± 2,811"]], ["right"])
    assert fits(lines, 16)
    assert not fits(lines, 15)
    assert not fits(["東京"], 80)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_header_is_bold_and_the_caption_dim(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    out = Terminal()
    answer(one_number()).show(out)
    lines = out.getvalue().splitlines()
    assert lines[1].startswith("\x1b[1m")
    assert lines[-1].startswith("\x1b[2m1 row")
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    answer(one_number()).show(plain)
    assert "\x1b" not in plain.getvalue()
