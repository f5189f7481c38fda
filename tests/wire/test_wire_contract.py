"""Codes, content types and limits of the wire are said once: the table, the page and the kernels agree."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

import untold
from mixing.parties import mixed_plan
from untold.kernels import records as kernel
from untold.serve.relay.batch import BATCH_TYPE, HEAD, MAGIC, VERSION
from untold.wire.bundle import PIECE, Bundles
from untold.wire.contract import BINARY_TYPE, CODES, FORGET, LAST_EPOCH, LONGEST_KEY, LONGEST_TEXT, Code, try_later
from untold.wire.sealing import INFO, Opener

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


def test_the_frozen_plan_of_the_page_is_one() -> None:
    shown = json.loads(PAGE.split("### The frozen plan")[1].split("```json")[1].split("```")[0])
    made = untold.Plan.from_dict(shown["declared"]).to_json()
    assert made == json.dumps(shown, separators=(",", ":"))


def test_the_page_has_the_form_of_a_batch_and_of_a_relays_plan() -> None:
    part = PAGE.split("## A relay")[1]
    sizes = [
        {"u8": 1, "u16": 2, "u32": 4}.get(cell) or int(cell)
        for cell in re.findall(r"^\| (u?\d+) \|", part, re.MULTILINE)
    ]
    assert sum(sizes) == HEAD.size
    assert f"`{MAGIC.decode()}`" in part
    assert f"version: {VERSION}" in part
    assert BATCH_TYPE in part
    assert f"`{INFO.decode()}`" in part
    assert f"pieces of {PIECE} bytes" in part
    bundles = Bundles.of(mixed_plan(50, Opener(b"k" * 32).key))
    assert bundles.envelope.services == ("bundles",)
    assert [each.name for each in bundles.envelope.service("bundles").public] == ["sealed_0"]
    assert bundles.envelope.name == f"mix_{bundles.plan.id[:48]}"
    assert bundles.envelope.user_key == "sender"
