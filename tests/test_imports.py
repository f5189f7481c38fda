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

# Who may import whom, by package of untold, from the ground up: a row names only rows above it. "oracles.base" means
# that module alone. ROOT is untold/__init__.py, which re-exports what users see.
ROOT = "(untold itself)"
ALLOWED: dict[str, str] = {
    "errors": "",
    "quoting": "",
    "arrow": "",
    "near_miss": "",
    "table_like": "",
    "estimator_names": "",
    "expression_faults": "",
    "exact": "",
    "randomness": "",
    "oracles": "exact randomness",
    "schema": "errors exact near_miss oracles",
    "hierarchy": "errors exact",
    "kernels": "oracles.base randomness",
    "numeric": "errors exact randomness kernels",
    "designs": "schema hierarchy oracles exact randomness errors",
    "mixing": "designs oracles exact",
    "plan": "mixing schema designs oracles hierarchy exact errors estimator_names",
    "proposals": "errors near_miss schema",
    "wire": "errors plan schema designs oracles",
    "store": "plan errors schema oracles wire.records",
    "watch": "",
    "spark": "errors expression_faults",
    "device": "errors exact randomness schema designs oracles plan store wire",
    "auditing": "errors exact randomness schema oracles plan wire device",
    "collect": "table_like errors exact randomness schema hierarchy oracles kernels numeric designs plan store wire device spark "
    "watch quoting near_miss",
    "question": "",
    "sql": "question plan schema errors near_miss",
    "decoded": "hierarchy oracles designs randomness",
    "scores": "decoded question plan schema hierarchy designs oracles errors estimator_names",
    "engines": "arrow question scores plan designs store kernels oracles errors spark watch quoting expression_faults",
    "estimates": "decoded question sql scores plan schema designs oracles randomness errors estimator_names",
    "star": "question sql designs scores estimates errors",
    "results": "errors",
    "plots": "results errors",
    "fusion": "results plots table_like numeric kernels exact randomness errors hierarchy oracles designs plan",
    "fuse": "fusion numeric",
    "streams": "results plots numeric kernels exact randomness errors hierarchy oracles designs plan",
    "answers": "results plots errors",
    "dbapi": "answers quoting errors",
    "budgets": "results plan exact",
    "words": "results mixing designs errors exact plan schema quoting",
    "marginals": (
        "table_like answers results decoded collect designs engines errors exact hierarchy kernels oracles plan "
        "randomness schema store"
    ),
    "connection": "arrow answers dbapi results decoded question sql scores engines estimates star budgets plan schema store errors "
    "table_like estimator_names randomness collect marginals",
    "notebook": "answers connection dbapi errors",
}
TOP = (ROOT, "demo", "commands", "serve", "cli", "__main__")  # may import everything, in this order
LAZILY = {  # allowed inside functions only, each against the table's direction and for a reason
    # An oracle perturbs and counts many reports by a compiled loop of its own. The loops take what an oracle draws with
    # (oracles.base), never an oracle; only one that is asked for many reports at once loads them.
    ("oracles", "kernels"),
    # plan.forecast(sql, users=...) is what people call before anything is collected. A forecast needs SQL, scores and
    # estimates, which all need a plan.
    ("plan", "estimates"),
    # PEP 249 has `connect` in the module whose cursors connections hand out.
    ("dbapi", "connection"),
}

OWNERS = {
    "duckdb": ("sql", "engines", "collect"),
    "pyspark": ("spark", "engines", "collect"),
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
        ("schema.attribute", "import untold.plan.budget", "schema imports plan"),
        ("sql.terms", "from untold import engines", "sql imports engines"),
        ("sql.terms", "from ..engines import duckdb", "sql imports engines"),
        ("sql.terms", "from untold import Plan", f"sql imports {ROOT}"),
        ("sql.terms", "def f():\n    from untold.engines.duckdb import run", "sql imports engines"),
        ("kernels.linear", "from untold.oracles.grr import GRR", "kernels imports oracles.grr"),
        (
            "oracles.grr",
            "from untold.kernels.linear import encode_linear",
            "oracles imports kernels outside a function",
        ),
        ("engines.duckdb", "from untold.cli import main", "engines imports cli"),
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
        ("kernels.linear", "from untold.oracles.base import Cells"),
        ("cli", "import untold\nfrom untold import engines"),
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
    assert strangers([("scores.terms", source)]) == [
        "scores.terms imports duckdb; only sql and engines and collect may"
    ]
    assert strangers([("engines.duck", source)]) == []


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
    package = ROOT if module == "__init__" else module.split(".")[0]
    if package in TOP:
        allowed = [*ALLOWED, *TOP]
    elif package in ALLOWED:
        allowed = ALLOWED[package].split()
    else:
        yield f"{package} is not in the table of tests/test_imports.py; add it with what it may import"
        return
    for target, lazy in untold_imports(module, tree):
        head = target.split(".")[0] if target != ROOT else ROOT
        if head == package or any(target == a or target.startswith(f"{a}.") for a in allowed):
            continue
        if (package, head) not in LAZILY:
            yield f"{module}: {package} imports {target}"
        elif not lazy:
            yield f"{module}: {package} imports {target.split('.')[0]} outside a function"


def untold_imports(module: str, tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """(imported module below untold, whether only when a function runs) for every import of untold in a file."""
    lazy = {id(n) for block in ast.walk(tree) if waits(block) for n in ast.walk(block)}
    for node in ast.walk(tree):
        for name in imported_names(node, ("untold", *module.split("."))):
            parts = name.split(".")
            if parts[0] == "untold":
                known = len(parts) > 1 and (parts[1] in ALLOWED or parts[1] in TOP)
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
    return [f"{row} -> {target}" for row, target in edges if target.split(".")[0] not in rows[: rows.index(row)]]


def strangers(sources: Iterable[tuple[str, str]]) -> list[str]:
    """Third-party imports outside the packages that own them."""
    return [
        f"{module} imports {library}; only {' and '.join(owners)} may"
        for module, text in sources
        for node in ast.walk(ast.parse(text))
        for library, owners in OWNERS.items()
        if module.split(".")[0] not in owners and any(n.split(".")[0] == library for n in imported_names(node))
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
