"""What a stored number depends on, as a short hash: so that it is known when a cell must be run again."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.evidence.exhibit import Exhibit
from untold.plan.frozen import FORMAT


def fingerprint(exhibit: Exhibit) -> str:
    """Changes with the parameters, with the text of `run` and `cells` and of all that they use in their module, with the
    modules in `uses`, and with the format of a frozen plan. Words and pictures of an exhibit do not count."""
    own = used_by(source(exhibit.run.__module__), {exhibit.run.__name__, exhibit.cells.__name__})
    parts = [json.dumps(dict(exhibit.parameters), sort_keys=True, default=str), str(FORMAT), *own]
    parts += [source(module) for module in exhibit.uses]
    return hashlib.sha256("\0".join("".join(part.split()) for part in parts).encode()).hexdigest()[:12]


def source(module: str) -> str:
    """The text of a module."""
    found = find_spec(module)
    if found is None or found.origin is None:
        raise LookupError(f"{module}: no such module; see `uses` of the exhibit")
    return Path(found.origin).read_text(encoding="utf-8")


def used_by(text: str, names: set[str]) -> list[str]:
    """The statements of a module that define these names, and all that those use, in the order of the text."""
    defined = {name: statement for statement in ast.parse(text).body for name in defines(statement)}
    reached, waiting = set(), set(names)
    while waiting:
        name = waiting.pop()
        if name in defined and name not in reached:
            reached.add(name)
            waiting |= {node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)}
    chosen = sorted({defined[name] for name in reached}, key=lambda statement: statement.lineno)
    return [ast.get_source_segment(text, statement) or "" for statement in chosen]


def defines(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement of a module gives a meaning to."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in statement.names)
