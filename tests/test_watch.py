"""The progress line: silent off a terminal, drawn on one, and never in the way."""

import sys
import time

from untold.tables import watch


class Terminal:
    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass


def test_nothing_is_drawn_off_a_terminal(capsys):
    with watch.watched(lambda: 50.0, "scanning"):
        pass
    assert capsys.readouterr().err == ""


def test_wanted_or_not_is_stronger_than_the_terminal(monkeypatch):
    monkeypatch.setattr(watch, "PATIENCE", 0.01)
    monkeypatch.setattr(watch, "PACE", 0.01)

    def seen(wanted, expected):
        looks = []
        with watch.watched(lambda: looks.append(1) or 50.0, "perturbing", wanted):
            end = time.monotonic() + (60 if expected else 0.2)
            while not looks and time.monotonic() < end:
                time.sleep(0.01)
        return bool(looks)

    assert seen(True, expected=True)
    assert not seen(None, expected=False)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert seen(None, expected=True)
    assert not seen(False, expected=False)


def test_a_long_scan_is_drawn_and_taken_away(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(watch, "PATIENCE", 0.01)
    monkeypatch.setattr(watch, "PACE", 0.01)
    seen = []
    with watch.watched(lambda: seen.append(1) or 50.0, "scanning reports"):
        end = time.monotonic() + 60
        while not seen and time.monotonic() < end:
            time.sleep(0.01)
    assert seen
    assert "scanning reports" in terminal.text
