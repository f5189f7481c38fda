"""What a stored number depends on, as a short hash: so that it is known when a cell must be run again."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.evidence.exhibit import Exhibit


def fingerprint(exhibit: Exhibit) -> str:
    """Changes with the parameters, with `run` and `cells` and all that they use in their module, with the modules in
    `uses`. Words, types and pictures of an exhibit do not count, nor where the code lives that it imports."""
    own = used_by(source(exhibit.run.__module__), {exhibit.run.__name__, exhibit.cells.__name__})
    parts = [json.dumps(dict(exhibit.parameters), sort_keys=True, default=str), *own]
    for module, _, name in (each.partition(":") for each in exhibit.uses):
        parts.append("\n".join(used_by(source(module), {name} if name else None)))
    return hashlib.sha256("\0".join("".join(part.split()) for part in parts).encode()).hexdigest()[:12]


def source(module: str) -> str:
    """The text of a module."""
    found = find_spec(module)
    if found is None or found.origin is None:
        raise LookupError(f"{module}: no such module; see `uses` of the exhibit")
    return Path(found.origin).read_text(encoding="utf-8")


def used_by(text: str, names: set[str] | None = None) -> list[str]:
    """The statements of a module that define these names (all but imports, without names), and all that those use, in the
    order of the text, imports first; without comments, docstrings and types."""
    statements = [bare for each in ast.parse(text).body for bare in split(Bare().visit(each))]
    defined = {name: statement for statement in statements for name in defines(statement)}
    if names is None:
        names = {name for name, statement in defined.items() if not isinstance(statement, ast.Import | ast.ImportFrom)}
    reached, waiting = set(), set(names)
    while waiting:
        name = waiting.pop()
        if name in defined and name not in reached:
            reached.add(name)
            waiting |= {node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)}
    chosen = {id(defined[name]) for name in reached}
    texts = [ast.unparse(ast.fix_missing_locations(each)) for each in statements if id(each) in chosen]
    return sorted(texts, key=lambda text: (0, text) if text.startswith(("import ", "from ")) else (1, ""))


class Bare(ast.NodeTransformer):
    """Code without docstrings and types."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """A field of a class keeps its name."""
        return self.generic_visit(ast.Assign([node.target], node.value or ast.Constant(None)))

    def visit_Expr(self, node: ast.Expr) -> Any:
        words = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return ast.Pass() if words else self.generic_visit(node)


def split(statement: ast.stmt) -> Iterator[ast.stmt]:
    """An import for each name; from where does not count."""
    if isinstance(statement, ast.Import):
        yield from (ast.Import([alias]) for alias in statement.names)
    elif isinstance(statement, ast.ImportFrom):
        yield from (ast.ImportFrom("somewhere", [alias], 0) for alias in statement.names)
    else:
        yield statement


def defines(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement of a module gives a meaning to."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        yield from (node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name))
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in statement.names)
