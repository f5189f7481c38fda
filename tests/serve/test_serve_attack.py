"""A few rounds of the second attack (`scripts/bench robust attack` has more): folders and answers of strangers."""

from __future__ import annotations

from pathlib import Path

from benchmarks.attack import answers, folders


def test_folders_of_strangers_are_refused_in_words_and_lead_nowhere(tmp_path: Path) -> None:
    found = folders.attack(tmp_path, 40, seed=5)
    assert (found["raw errors"], found["outside touched"]) == (0, 0)
    assert found["refused"] > 10


def test_no_answer_but_an_acknowledgement_ends_a_report(tmp_path: Path) -> None:
    found = answers.attack(tmp_path, 15, seed=5)
    assert (found["raw errors"], found["given up"]) == (0, 0)
