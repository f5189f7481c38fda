"""Codes, content types and limits of the wire are said once: the table, the page and the kernels agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import untold
from untold.kernels import records as kernel
from untold.wire.contract import BINARY_TYPE, CODES, FORGET, LAST_EPOCH, LONGEST_KEY, LONGEST_TEXT, Code, try_later

SOURCES = Path(untold.__file__).parent
PAGE = (SOURCES.parents[1] / "docs" / "wire.md").read_text(encoding="utf-8")


def test_every_code_has_a_meaning() -> None:
    assert set(get_args(Code)) == set(CODES)
    assert len(get_args(Code)) == len(CODES)


@pytest.mark.parametrize("code", CODES)
def test_the_page_knows_the_code_and_its_status(code: Code) -> None:
    line = next(line for line in PAGE.splitlines() if f"`{code}`" in line and line.startswith("|"))
    assert str(CODES[code].status) in line.split("|")[1]


def test_the_page_names_no_other_code() -> None:
    rows = re.findall(r"^\| [0-9, ]+ \|([^|]*)\|", PAGE, re.MULTILINE)
    assert {code for row in rows for code in re.findall(r"`([a-z-]+)`", row)} == set(CODES)


def test_a_status_to_try_later_is_that_of_codes_to_try_later() -> None:
    assert {code for code, meaning in CODES.items() if try_later(meaning.status)} == {
        code for code, meaning in CODES.items() if meaning.client == "later"
    }
    assert not any(try_later(CODES[code].status) for code in FORGET)


def test_the_kernel_and_the_page_have_the_same_limits() -> None:
    assert kernel.LONGEST_TEXT == LONGEST_TEXT
    assert LAST_EPOCH == 2**31 - 1
    assert f"1 to {LONGEST_KEY} " in PAGE
    assert f"at most {LONGEST_TEXT})" in PAGE
    assert BINARY_TYPE in PAGE


def test_no_other_file_spells_the_content_type() -> None:
    spelled = [
        path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.py") if BINARY_TYPE in path.read_text()
    ]
    assert spelled == ["wire/contract.py"]
