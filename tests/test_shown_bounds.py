"""Every epsilon, delta and ratio that is shown is rounded outwards: nobody is promised more than holds."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from math import exp, nextafter
from pathlib import Path

import numpy as np
import pytest

import untold
from untold.exact import NANO, at_least_text, at_most_text, nano_text, percent_range
from untold.plan.in_words.mixing import mixing_on_a_page, odds_in_words
from untold.plan.in_words.plan import plan_in_words
from untold.plan.in_words.promise import after_seeing, guess_in_words
from untold.streams import PAK, ToPS

SOURCE = Path(untold.__file__).parent
PROMISED = re.compile(
    r"epsilon|delta|nano\b|_nano|central|\blocal|lifetime|spent|ceiling|odds|likel|ratio|\bbound\b|_nano", re.IGNORECASE
)
ROUNDED = re.compile(r"[.0-9]*[gf%]$")


def formatted(path: Path) -> Iterator[tuple[int, str]]:
    """Every value of an f-string in a file that is rounded by its format, as source."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            spec = "".join(str(part.value) for part in node.format_spec.values if isinstance(part, ast.Constant))  # type: ignore[attr-defined]
            if ROUNDED.search(spec):
                yield node.lineno, f"{ast.unparse(node.value)}:{spec}"


def test_no_promise_is_rounded_by_a_format() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in SOURCE.rglob("*.py")
        for line, text in formatted(path)
        if PROMISED.search(text)
    ]
    assert found == []


VALUES = [0.1, 0.3, 1 / 3, 2 / 3, 1.0, 1.0049, 1.05, 2.0, 0.04461, 1e-8, 1.0000001e-8, 9.99999999, 12345.678901]


@pytest.mark.parametrize("digits", [2, 3, 6])
def test_bounds_are_rounded_up_and_at_most_by_one_digit(digits: int) -> None:
    drawn = np.random.default_rng(5).lognormal(0, 4, 2000).tolist()
    for value in [*VALUES, *drawn, nextafter(1.0, 2.0)]:
        shown, least = Decimal(at_most_text(value, digits)), Decimal(at_least_text(value, digits))
        assert least <= Decimal(repr(value)) <= shown
        assert shown - least <= Decimal(repr(value)) * Decimal(10) ** (1 - digits)


def test_what_has_few_digits_is_shown_as_it_is() -> None:
    assert [at_most_text(x) for x in (0.1, 0.3, 2.0, 1e-8, 0.25)] == ["0.1", "0.3", "2", "1e-08", "0.25"]
    assert nano_text(1_753_086_600) == "1.7530866"


def awkward(epsilon: float) -> untold.Plan:
    cell = {"kind": "categorical", "values": ["a", "b", "c"]}
    rows = {"max": 5, "report": 3}
    services = {"one": {"attributes": {"x": cell}}, "two": {"rows_per_user": rows, "attributes": {"y": cell}}}
    mix = {"people": 3000, "delta": 1.23456789e-8}
    return untold.Plan.from_dict({"name": "p", "user_key": "u", "epsilon": epsilon, "mix": mix, "services": services})


@pytest.mark.parametrize("epsilon", [1 / 3, 1.0000001, 2.00000049, 3.14159265, 4.0])
def test_a_plan_in_words_promises_no_more_than_it_keeps(epsilon: float) -> None:
    plan, promise = awkward(epsilon), awkward(epsilon).promise()
    words = " ".join(plan_in_words(plan).split())
    shown = {float(x) for x in re.findall(r"epsilon ([0-9.e-]*[0-9])", words)}
    one, two = (plan.schema.budget.slot_nano(name) / NANO for name in ("one", "two"))
    for truth in (plan.schema.nano / NANO, one, two, 3 * plan.schema.budget.slot_nano("two") / NANO, promise.local):
        assert any(truth <= x <= truth * (1 + 1e-5) for x in shown), truth
    for text in (words, mixing_on_a_page(plan)):
        central, delta = re.search(r"epsilon ([0-9.e-]+) at delta ([0-9.e-]+[0-9])", text).groups()  # type: ignore[union-attr]
        assert promise.central <= float(central) <= 1.1 * promise.central
        assert promise.delta <= float(delta) <= promise.delta * (1 + 1e-5)
    assert float(re.search(r"At most ([0-9.]+) in a lifetime", words).group(1)) >= plan.schema.lifetime_nano / NANO  # type: ignore[union-attr]
    assert float(re.search(r"epsilon ([0-9.]+),", repr(plan)).group(1)) >= epsilon  # type: ignore[union-attr]


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 1 / 3, 1.0, 2.0, 5.0, 40.0])
def test_odds_are_rounded_outwards(epsilon: float) -> None:
    low, high = after_seeing(epsilon)
    for words in (odds_in_words(epsilon), guess_in_words(epsilon)):
        first, last = (float(x) / 100 for x in re.findall(r"([0-9.]+)%", words)[1:])
        assert first <= low
        assert last >= high
    assert percent_range(0.0, 1.0) == ("0.0%", "100.0%")


def test_a_stream_promises_no_more_than_it_keeps() -> None:
    assert "epsilon = 0.333334 " in str(ToPS(1 / 3, 10.0).privacy)
    privacy = PAK(1.0, 10.0, horizon=1000).privacy
    assert float(re.search(r"delta = (\S+) ", str(privacy)).group(1)) >= privacy.delta  # type: ignore[union-attr]


def test_the_page_rounds_up_as_well() -> None:
    """The same numbers in JavaScript, and none of the pages rounds such a number by itself."""
    numbers = SOURCE / "serve/pages/static/shared/numbers.js"
    values = [*VALUES, exp(1 / 3), exp(2.3)]
    script = (
        f"import {{ atMost }} from {str(numbers)!r};"
        f"console.log({values!r}.map((x) => [2, 4, 6].map((digits) => atMost(x, digits)).join(' ')).join(';'))"
    )
    out = subprocess.run(
        ["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    for value, texts in zip(values, out.strip().split(";"), strict=True):
        for digits, text in zip((2, 4, 6), texts.split(), strict=True):
            assert float(text) == float(at_most_text(value, digits))
    for page in (SOURCE / "serve/pages/static").glob("*/*.js"):
        for line in page.read_text().splitlines():
            if "toFixed" in line or "toPrecision" in line:
                assert not PROMISED.search(line.replace("client/", "")), f"{page.name}: {line.strip()}"


def test_the_table_that_explains_epsilon_is_rounded_up() -> None:
    page = (Path(__file__).parents[1] / "docs/ideas/epsilon.md").read_text()
    rows = re.findall(
        r"^\| ([0-9.]+) \| ([0-9,.]+) times \| ([0-9.]+)% \| ([0-9.]+)% \| ([0-9.]+)% \|$", page, re.MULTILINE
    )
    assert len(rows) == 6
    for row in rows:
        epsilon, ratio, *likely = (float(cell.replace(",", "")) for cell in row)
        assert exp(epsilon) <= ratio
        for before, shown in zip((0.01, 0.1, 0.5), likely, strict=True):
            odds = before / (1 - before) * exp(epsilon)
            assert odds / (1 + odds) <= shown / 100
