"""One form for every text, its bits, and what a plan may declare of it."""

import json
import unicodedata

import pytest

from untold.errors import PlanError
from untold.plan import Plan
from untold.plan.schema.text import LETTERS, Letters, normal
from untold.plan.schema.text.letters import ALPHABET, END, ESC
from untold.plan.schema.text.normal import foldings, is_known
from untold.plan.schema.text.siphash import siphash

TEXTS = ["", "maps", "registered nurse", "\u00e9rable \u00e0 sucre", "x" * 24, "e-17/b_2", "caf\u00e9", "\u6771\u4eac"]


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("  Two\t\n words ", "two words"),
        ("STRASSE", "strasse"),
        ("Stra\u00dfe", "strasse"),
        ("e\u0301COLE", "\u00e9cole"),
        ("\u0130", "i\u0307"),
        ("a\u00a0\u3000b", "a b"),
        ("\ud800x", "\ufffdx"),
        ("\U0001fae0", "\ufffd"),  # younger than Unicode 10
        ("abcdefgh ijk", "abcdefgh"),  # cut to nine bytes, and no blank at the end
        ("\u6771\u4eac\u90fd\u5e81", "\u6771\u4eac\u90fd"),  # not within a character
        (None, ""),
        (17, ""),
        (b"x", ""),
    ],
)
def test_the_form_that_counts(value, form):
    assert normal(value, 9 if value not in ("STRASSE", "Stra\u00dfe") else 24, True) == form
    assert normal(form, 9, True) == form


def test_the_form_is_its_own_form():
    """Whatever comes: nothing that a device sends depends on how often it was normalised."""
    every = [chr(code) for code in range(0, 0x3000, 7)] + ["A\u030a\u0327", "\u1e9e\u0301", " \u0301"]
    for text in every:
        for fold in (True, False):
            once = normal(f"x{text}y{text}", 24, fold)
            assert normal(once, 24, fold) == once
            assert len(once.encode()) <= 24


def test_tables_are_those_of_unicode():
    assert is_known(ord("a"))
    assert not is_known(0xD800)
    assert not is_known(0x1FAE0)
    known = [chr(code) for code in range(0x20000) if is_known(code)]
    assert all(unicodedata.category(c) not in ("Cn", "Cs") for c in known)
    assert {c: c.casefold() for c in known if c.casefold() != c} == foldings()


@pytest.mark.parametrize("name", LETTERS)
def test_bits_are_a_code_that_can_be_read(name):
    letters = Letters.named(name)
    for row in letters.lengths:  # no word begins another
        assert sum(2.0**-length for length in row) <= 1
    for text in map(str.encode, TEXTS):
        number, size = letters.bits(text)
        for more in (0, 3, 11):
            parsed = letters.parse(number << more, size + more)
            assert (parsed.text, parsed.ended, parsed.rest) == (text, True, False)
        assert letters.parse(number << 1 | 1, size + 1).rest
        assert letters.prefix(text, size + 5) == number << 5
        if size > 8:
            assert letters.prefix(text, 8) == number >> size - 8
            assert not letters.parse(letters.prefix(text, 8), 8).ended or text == b""


def test_common_words_are_short():
    assert Letters.named("words").bits(b"registered nurse")[1] < 4.5 * 16
    assert Letters.named("codes").bits(b"e-17/b_2")[1] == 6 * 9
    assert (len(ALPHABET), END, ESC) == (49, 49, 50)


def test_siphash_is_that_of_the_paper():
    assert siphash(bytes(range(15)), bytes(range(16))) == 0xA129CA6149BE45E5  # its appendix A


def plan(**app):
    return Plan.from_dict(
        {
            "name": "p",
            "user_key": "u",
            "epsilon": 1,
            "services": {"s": {"attributes": {"app": {"kind": "text", **app}}}},
        }
    )


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({}, "or write discover = true"),
        ({"values": ["Maps"]}, '"Maps" is told as "maps". Write "maps"'),
        ({"values": ["maps", "maps"]}, "is repeated"),
        ({"values": ["maps", "MAPS"]}, "are the same text"),
        ({"values": ["maps", " "]}, "has no letters"),
        ({"values": [1]}, "not a text"),
        ({"values": ["rest"], "other": "rest"}, "is listed, too"),
        ({"values": ["maps"], "discover": True}, "a share of the people"),
        ({"values": ["maps"], "discover": 1.5}, "not a share above 0 and below 1"),
        ({"discover": 0.2}, "everybody looks for them"),
        ({"values": ["maps"], "letters": "words"}, "nothing is looked for here"),
        ({"discover": True, "letters": "runes"}, "Choose one of: words, codes"),
        ({"discover": True, "count": 1}, "not a share from 0 to 0.9"),
        ({"discover": True, "bytes": 2}, "not in 4..64"),
        ({"discover": True, "missing": True}, "Leave missing out"),
        ({"discover": True, "clip": True}, "unknown key"),
    ],
)
def test_mistakes_are_named(declared, said):
    with pytest.raises(PlanError) as refused:
        plan(**declared)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("service", "said"),
    [
        ({"rows_per_user": {"max": 3}}, "one row per person"),
        ({"repeat": "changes"}, 'needs "fresh" or "once"'),
        ({"design": "hio"}, 'needs design = "tuned"'),
        ({"oracle": "grr"}, 'needs design = "tuned"'),
    ],
)
def test_services_that_cannot_look_for_texts(service, said):
    app = {"kind": "text", "discover": True}
    with pytest.raises(PlanError) as refused:
        Plan.from_dict(
            {"name": "p", "user_key": "u", "epsilon": 1, "services": {"s": {**service, "attributes": {"app": app}}}}
        )
    assert said in str(refused.value)


def test_one_attribute_of_a_service_is_looked_for():
    app = {"kind": "text", "discover": True}
    for attributes, said in (
        ({"app": app, "city": app}, "one attribute of a service"),
        ({"app": app, "age": {"kind": "ordinal", "low": 0, "high": 9}}, "for a service of its own"),
    ):
        with pytest.raises(PlanError) as refused:
            Plan.from_dict({"name": "p", "user_key": "u", "epsilon": 1, "services": {"s": {"attributes": attributes}}})
        assert said in str(refused.value)


def test_frozen_as_it_was():
    made = plan(discover=True, bytes=16)
    assert Plan.from_json(made.to_json()) == made
    assert [column.name for column in made.design("s").texts] == [
        *("prefix 19", "prefix 31", "prefix 43", "prefix 55", "prefix 67", "whole 1", "whole 2", "count")
    ]
    frozen = json.loads(made.to_json())
    keys = [column["key"] for column in frozen["designs"]["s"]["derived"]]
    assert len(set(keys)) == len(keys)
    for change in ({"cells": 2**40}, {"key": "00"}, {"bits": -1}, {"attribute": 7}, {"size": 3}):
        other = json.loads(made.to_json())
        other["designs"]["s"]["derived"][0] |= change
        with pytest.raises(PlanError):
            Plan.from_json(json.dumps(other))


@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 4, 6])
def test_every_view_has_half_a_million_cells_and_little_noise(epsilon):
    made = Plan.from_dict(
        {"name": "p", "user_key": "u", "epsilon": epsilon}
        | {"services": {"s": {"attributes": {"app": {"kind": "text", "discover": True}}}}}
    )
    oracle = made.design("s").views[0].oracle
    assert 2**19 <= oracle.domain_size <= 2**20
    assert oracle.domain_size == oracle.sides**oracle.digits
    from math import exp

    ideal = 4 * exp(epsilon) / (exp(epsilon) - 1) ** 2
    p, q = oracle.floats
    assert q * (1 - q) / (p - q) ** 2 < ideal * (1.12 if epsilon < 6 else 1.6)
