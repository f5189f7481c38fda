"""A class has a name of its own on its floor: whoever reads `Totals` knows which one is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from test_imports import every_source

FLOOR = ("ask", "answers", "marginals")  # one floor: from SQL to answer


def test_no_class_name_stands_twice_on_a_floor() -> None:
    assert twice(every_source()) == {}


def test_a_second_class_of_a_name_is_noticed() -> None:
    first, second, union = (
        ("ask.sql.a", "class Piece: ..."),
        ("ask.scores.b", "class Piece: ..."),
        ("ask.sql.c", "Piece = A | B"),
    )
    assert twice([first, second]) == {("queries", "Piece"): ["ask.scores.b", "ask.sql.a"]}
    assert twice([first, union]) == {("queries", "Piece"): ["ask.sql.a", "ask.sql.c"]}
    assert twice([first, ("serve.b", "class Piece: ...")]) == {}


def twice(sources: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """(floor, name) of every name that several modules of one floor give to a type."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, text in sources:
        package = module.split(".")[0]
        for name in types_of(ast.parse(text)):
            found["queries" if package in FLOOR else package, name].add(module)
    return {place: sorted(modules) for place, modules in found.items() if len(modules) > 1}


def types_of(tree: ast.Module) -> Iterator[str]:
    """Classes, and unions that have a name."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
