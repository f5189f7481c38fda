"""Imports point one way, entropy has one door, engines stay behind theirs, and `import untold` stays light."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import untold

# Who may import whom, by room of untold, from the ground up: a row names only rows above it. "plan.schema" is a room
# inside of a room; "oracles.base" means that module alone. ROOT is untold/__init__.py, which re-exports what users see.
ROOT = "(untold itself)"
ALLOWED: dict[str, str] = {
    "errors": "",
    "tables": "",
    "exact": "",
    "randomness": "",
    "kernels": "randomness",
    "oracles": "exact randomness kernels",
    "numeric": "errors exact randomness kernels",
    "answers": "errors",
    "answers.plots": "answers errors",
    "answers.answer": "answers answers.plots errors",
    "plan.schema": "errors exact tables oracles",
    "plan.hierarchy": "errors exact",
    "plan.designs": "plan.schema plan.hierarchy oracles exact randomness errors",
    "plan.mixing": "plan.designs oracles exact",
    "plan.estimator_names": "",
    "plan": "plan.mixing plan.schema plan.designs plan.hierarchy plan.estimator_names oracles exact errors",
    "plan.proposals": "errors tables plan.schema",
    "plan.in_words": "answers plan.mixing plan.designs errors exact plan plan.schema tables",
    "wire": "errors plan plan.schema plan.designs oracles",
    "store": "plan errors plan.schema oracles wire.records",
    "device": "errors exact randomness plan.schema plan.designs oracles plan store wire",
    "collect.spark": "errors",
    "collect": "tables errors exact randomness plan.schema plan.hierarchy oracles kernels numeric plan.designs plan store wire "
    "device collect.spark",
    "ask.limits": "",
    "ask.question": "",
    "ask.sql": "ask.limits ask.question plan plan.schema errors tables",
    "ask.decoded": "plan.hierarchy oracles plan.designs randomness",
    "ask.discovered": "errors kernels ask.decoded plan plan.schema plan.designs plan.proposals store",
    "ask.sharp": "ask.decoded kernels plan.hierarchy randomness",
    "ask.scores": (
        "ask.limits exact ask.decoded ask.question plan plan.schema plan.hierarchy plan.designs oracles errors plan.estimator_names"
    ),
    "ask.engines": "tables ask.question ask.scores plan plan.designs store kernels oracles errors collect.spark",
    "ask.estimates": (
        "ask.decoded ask.question ask.sql ask.scores plan plan.schema plan.designs oracles randomness errors plan.estimator_names"
    ),
    "ask.evidence": "oracles ask.limits ask.decoded ask.sharp ask.question ask.sql ask.scores ask.engines ask.estimates plan "
    "plan.designs "
    "plan.schema store randomness errors",
    "ask.forecast": "ask.limits ask.decoded ask.question ask.sql ask.scores ask.estimates ask.evidence oracles plan plan.designs "
    "plan.schema "
    "randomness errors plan.estimator_names",
    "ask.dashboard": "answers ask.question ask.sql ask.estimates ask.forecast exact oracles plan plan.designs plan.hierarchy "
    "plan.proposals plan.schema randomness errors",
    "ask.planning": "ask.dashboard ask.discovered ask.forecast plan plan.designs plan.schema",
    "ask.star": "exact ask.question ask.sql plan.designs ask.scores ask.estimates ask.evidence ask.forecast errors",
    "fusion": "answers answers.plots tables numeric kernels exact randomness errors plan.hierarchy oracles plan.designs plan",
    "fuse": "fusion numeric",
    "streams": "answers answers.plots numeric kernels exact randomness errors plan.hierarchy oracles plan.designs plan",
    "ask.cursors": "answers answers.answer errors",
    "marginals": (
        "tables answers answers.answer ask.decoded ask.question ask.scores ask.estimates ask.evidence collect plan.designs "
        "ask.engines errors "
        "exact plan.hierarchy kernels oracles plan randomness plan.schema store"
    ),
    "ask.connection": "ask.limits tables answers answers.answer ask.cursors ask.decoded ask.discovered "
    " ask.question ask.sql ask.scores ask.engines ask.estimates ask.evidence ask.forecast ask.dashboard ask.star plan "
    "plan.schema store errors plan.estimator_names randomness collect marginals exact",
    "auditing": "errors exact randomness plan.schema oracles plan wire device collect ask.connection tables",
    "ask.dbapi": "answers errors ask.cursors ask.connection",
    "ask.notebook": "answers answers.answer ask.connection ask.sql errors",
    "ask": "",
    "dbapi": "ask.dbapi",
    "experiments": "answers answers.answer ask.connection ask.engines ask.scores collect errors oracles plan plan.designs "
    "plan.estimator_names "
    "plan.schema randomness store tables",
}
TOP = (ROOT, "commands.demo", "commands", "serve", "cli", "__main__")  # may import everything, in this order
LAZILY = {  # allowed inside functions only, each against the table's direction and for a reason
    # plan.forecast(sql, users=...) is what people call before anything is collected, and a plan that declares questions is
    # compiled for them. Both need SQL, scores and estimates, which all need a plan.
    ("plan", "ask.planning"),
}

ROOMS = frozenset((*ALLOWED, *TOP))
FLOORS = {room.split(".")[0] for room in ALLOWED}

OWNERS = {
    "duckdb": ("ask.sql", "ask.engines", "collect", "experiments"),
    "pyspark": (
        "collect.spark",
        "ask.engines",
        "collect",
        "answers.answer",
    ),  # answer.spark() is a DataFrame, as answer.df() is
    "psycopg": ("serve",),
    "obstore": ("store",),
}  # third parties, and who may import them
ENTROPY = ("random", "secrets", "numpy.random", "os.urandom", "os.getrandom")  # for randomness.py alone

HEAVY = ("numba", "duckdb", "pandas", "polars", "pyspark")  # `import untold` loads none of these
MOST_MODULES = 700  # numpy and the standard library come to about 200

SOURCES = Path(untold.__file__).parent


def test_imports_point_one_way() -> None:
    assert violations(every_source()) == []


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("exact", "from untold.randomness import Seeded", "exact imports randomness"),
        ("plan.schema.attribute", "import untold.plan.plan", "plan.schema imports plan"),
        ("ask.sql.terms", "from untold.ask import engines", "ask.sql imports ask.engines"),
        ("ask.sql.terms", "from ..engines import duckdb", "ask.sql imports ask.engines"),
        ("ask.sql.terms", "from untold import Plan", f"ask.sql imports {ROOT}"),
        ("ask.sql.terms", "def f():\n    from untold.ask.engines.duckdb import run", "ask.sql imports ask.engines"),
        ("kernels.linear", "from untold.oracles.grr import GRR", "kernels imports oracles.grr"),
        ("plan.plan", "import untold.ask.planning", "plan imports ask.planning outside a function"),
        ("ask.engines.duckdb", "from untold.cli import main", "ask.engines imports cli"),
        ("gossip", "", "gossip is not in the table"),
    ],
)
def test_a_wrong_import_is_noticed(module: str, source: str, complaint: str) -> None:
    found = violations([(module, source)])
    assert len(found) == 1
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("oracles.grr", "def f():\n    from untold.kernels.linear import encode_linear"),
        ("oracles.grr", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import untold.kernels.linear"),
        ("oracles.grr", "from untold.oracles.base import Oracle"),
        ("cli", "import untold\nfrom untold.ask import engines"),
    ],
)
def test_a_right_import_passes(module: str, source: str) -> None:
    assert violations([(module, source)]) == []


def test_the_table_points_one_way() -> None:
    assert upward_edges(ALLOWED) == []
    assert upward_edges({"a": "b", "b": ""}) == ["a -> b"]


def test_folders_inside_a_package_do_not_import_each_other() -> None:
    assert mutual(every_source()) == []
    one, other = ("serve.a.x", "from untold.serve.b.y import f"), ("serve.b.z", "import untold.serve.a.x")
    assert mutual([one]) == []
    assert mutual([one, other]) == [("serve.a", "serve.b")]


def test_only_their_owners_import_duckdb() -> None:
    assert strangers(every_source()) == []


@pytest.mark.parametrize(
    "source", ["import duckdb", "def f():\n    from duckdb import connect", "import duckdb.typing as t"]
)
def test_duckdb_elsewhere_is_noticed(source: str) -> None:
    assert strangers([("ask.scores.terms", source)]) == [
        "ask.scores.terms imports duckdb; only ask.sql and ask.engines and collect and experiments may"
    ]
    assert strangers([("ask.engines.duck", source)]) == []


def test_entropy_has_one_door() -> None:
    assert entropy(every_source()) == []
    door = (SOURCES / "randomness.py").read_text()
    assert {"os.urandom", "numpy.random"} <= set(uses_of_entropy(ast.parse(door)))


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "from random import random",
        "import secrets",
        "import numpy as np\nx = np.random.default_rng(1)",
        "import numpy\nx = numpy.random.rand()",
        "import numpy.random",
        "from numpy import random as r",
        "from numpy.random import default_rng",
        "import os\nx = os.urandom(8)",
        "import os as system\nx = system.urandom(8)",
        "from os import urandom",
    ],
)
def test_another_door_is_noticed(source: str) -> None:
    assert len(entropy([("oracles.grr", source)])) == 1
    assert entropy([("randomness", source)]) == []


def test_import_untold_is_light() -> None:
    loaded = modules_after("import untold")
    assert "untold" in loaded
    assert heavy(loaded) == []
    assert len(loaded) < MOST_MODULES


def test_a_heavy_import_is_noticed() -> None:
    assert heavy(modules_after("import untold, duckdb")) == ["duckdb"]


def every_source() -> list[tuple[str, str]]:
    """(module below untold, its text) of everything shipped."""
    named = {path: ".".join(path.relative_to(SOURCES).with_suffix("").parts) for path in sorted(SOURCES.rglob("*.py"))}
    assert len(named) > 5
    return [(name, path.read_text()) for path, name in named.items()]


def violations(sources: Iterable[tuple[str, str]]) -> list[str]:
    """Imports within untold that the table does not allow."""
    return [complaint for module, text in sources for complaint in check_layers(module, ast.parse(text))]


def check_layers(module: str, tree: ast.Module) -> Iterator[str]:
    package = room_of(module)
    if package in TOP:
        allowed = [*ALLOWED, *TOP]
    elif package in ALLOWED:
        allowed = ALLOWED[package].split()
    else:
        yield f"{package} is not in the table of tests/test_imports.py; add it with what it may import"
        return
    for target, lazy in untold_imports(module, tree):
        head = room_of(target)
        if (
            head == package
            or head in allowed
            or any(target == a or target.startswith(f"{a}.") for a in allowed if a not in ROOMS)
        ):
            continue
        if (package, head) not in LAZILY:
            yield f"{module}: {package} imports {target}"
        elif not lazy:
            yield f"{module}: {package} imports {head} outside a function"


def room_of(module: str) -> str:
    """The innermost room of the table that a module lives in.

    >>> room_of("plan.schema.kinds.dates"), room_of("plan.cache"), room_of("ask"), room_of("gossip.a")
    ('plan.schema', 'plan', 'ask', 'gossip')
    """
    if module in ("__init__", ROOT):
        return ROOT
    parts = module.split(".")
    ways = (".".join(parts[:depth]) for depth in range(len(parts), 0, -1))
    return next((way for way in ways if way in ROOMS), parts[0])


def untold_imports(module: str, tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """(imported module below untold, whether only when a function runs) for every import of untold in a file."""
    lazy = {id(n) for block in ast.walk(tree) if waits(block) for n in ast.walk(block)}
    for node in ast.walk(tree):
        for name in imported_names(node, ("untold", *module.split("."))):
            parts = name.split(".")
            if parts[0] == "untold":
                known = len(parts) > 1 and (parts[1] in FLOORS or parts[1] in TOP)
                yield (".".join(parts[1:]) if known else ROOT), id(node) in lazy


def waits(node: ast.AST) -> bool:
    """Whether the body of this statement does not run at import."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def imported_names(node: ast.AST, here: tuple[str, ...] = ()) -> list[str]:
    """Dotted names that an import statement asks for: `from a.b import c` gives a.b.c; relative ones are resolved."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = [*here[: len(here) - node.level]] if node.level else []
        stem = ".".join([*base, *([node.module] if node.module else [])])
        return [f"{stem}.{alias.name}" for alias in node.names]
    return []


def mutual(sources: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of folders one floor down (serve.queries, serve.pages) that import each other."""
    edges = {
        (".".join(module.split(".")[:2]), ".".join(target.split(".")[:2]))
        for module, text in sources
        for target, _ in untold_imports(module, ast.parse(text))
        if module.count(".") > 1 and target.count(".") > 1
    }
    return sorted((a, b) for a, b in edges if a < b and (b, a) in edges)


def upward_edges(table: dict[str, str]) -> list[str]:
    """Edges of the table that do not point to an earlier row."""
    rows = list(table)
    edges = [(row, target) for row, targets in table.items() for target in targets.split()]
    return [f"{row} -> {target}" for row, target in edges if room_in(target, rows) not in rows[: rows.index(row)]]


def room_in(target: str, rows: list[str]) -> str:
    return target if target in rows else target.rpartition(".")[0]


def strangers(sources: Iterable[tuple[str, str]]) -> list[str]:
    """Third-party imports outside the packages that own them."""
    return [
        f"{module} imports {library}; only {' and '.join(owners)} may"
        for module, text in sources
        for node in ast.walk(ast.parse(text))
        for library, owners in OWNERS.items()
        if room_of(module) not in owners and any(n.split(".")[0] == library for n in imported_names(node))
    ]


def entropy(sources: Iterable[tuple[str, str]]) -> list[str]:
    """Uses of chance outside randomness.py."""
    return [
        f"{module} uses {name}; take a Randomness from untold.randomness instead"
        for module, text in sources
        if module != "randomness"
        for name in uses_of_entropy(ast.parse(text))
    ]


def uses_of_entropy(tree: ast.Module) -> Iterator[str]:
    """Imports of, and attributes reached through, the names in ENTROPY."""
    meaning = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    for node in ast.walk(tree):
        names = imported_names(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [f"{meaning.get(node.value.id, '')}.{node.attr}"]
            names = [name for name in names if name in ENTROPY]
        yield from {e for n in names for e in ENTROPY if n == e or n.startswith(f"{e}.")}


def modules_after(statement: str) -> set[str]:
    """What a fresh interpreter has loaded after a statement."""
    program = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout))


def heavy(modules: Iterable[str]) -> list[str]:
    return sorted(set(HEAVY) & set(modules))
