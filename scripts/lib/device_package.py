"""device_package.py FOLDER: writes the sources of `untold-device` there: what a person's device needs of untold, and no more.

It has a name of its own (`import untold_device`), so that both can be installed beside each other. Its files are untold's, but
for the names in their imports: everything that the clients reach, without rooms that ask, collect or serve, and without what
needs a compiler or a database.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src"
CLIENTS = ("untold.device.client", "untold.device.gateway", "untold.device.http", "untold.device.report", "untold.plan")
ROOMS = ("errors", "exact", "randomness", "kernels", "oracles", "plan", "wire", "store", "device", "tables")
HEAVY = {"numba", "llvmlite", "duckdb", "pyarrow", "sqlglot", "pandas", "polars", "pyspark", "rich", "obstore"}
NEEDS = ("numpy", "cryptography")
NAMES = {
    "Client": "device.client",
    "Gateway": "device.gateway",
    "HttpClient": "device",
    "MixedClient": "device.http",
    "Plan": "plan",
    "Report": "device.report",
    "body": "device.gateway",
    **dict.fromkeys(
        (
            "AlreadyReported",
            "BadRecord",
            "BudgetExceeded",
            "CollectorError",
            "PlanError",
            "StoreError",
            "UntoldError",
            "UntrustedPlan",
        ),
        "errors",
    ),
}
IMPORT = re.compile(r"^(\s*(?:>>> )?(?:from|import) )untold\b", re.MULTILINE)  # in code and in doctests


def file_of(module: str) -> Path | None:
    """Where a module of untold is."""
    place = SOURCES.joinpath(*module.split("."))
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """What a file imports, and whether that happens when it is loaded; what only types need is left out."""

    def walk(nodes: list[ast.stmt], loaded: bool) -> Iterator[tuple[str, bool]]:
        for node in nodes:
            if isinstance(node, ast.Import):
                yield from ((alias.name, loaded) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module, loaded
                yield from ((f"{node.module}.{alias.name}", loaded) for alias in node.names)
            elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                yield from walk(node.orelse, loaded)
            else:
                inside = loaded and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                for name in ("body", "orelse", "finalbody"):
                    yield from walk(getattr(node, name, []), inside)
                for handler in getattr(node, "handlers", []):
                    yield from walk(handler.body, inside)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")).body, True)


def is_heavy(path: Path) -> bool:
    """Whether loading a file loads what a device does without."""
    return any(loaded and name.partition(".")[0] in HEAVY for name, loaded in imports(path))


def needed() -> dict[str, Path]:
    """Every module that the clients reach, with its file; packages above them, too."""
    found: dict[str, Path] = {}
    waiting = list(CLIENTS)
    while waiting:
        module = waiting.pop()
        path = file_of(module)
        room = module.split(".")[1] if "." in module else ""
        if path is None or module in found or room not in ROOMS or is_heavy(path):
            continue
        found[module] = path
        waiting += [name for name, _ in imports(path) if name.startswith("untold.")]
        waiting.append(module.rpartition(".")[0])
    return found


def doors(version: str) -> str:
    """The package's own first file: the names that users see."""
    homes = "\n".join(f'    "{name}": "untold_device.{home}",' for name, home in sorted(NAMES.items()))
    return f'''"""What a person's device needs of untold: plans, clients, a ledger, sending. Made from untold by scripts/release."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "{version}"
_HOMES = {{
{homes}
}}
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"untold_device has no {{name!r}}; it has {{', '.join(_HOMES)}}. For more: pip install untold")
    return getattr(import_module(_HOMES[name]), name)
'''


def elsewhere(room: str) -> str:
    """What stands in the place of a room that devices do without."""
    return f'raise ImportError("untold-device has no room {room!r}: it only reports.\\nHint: pip install untold")\n'


def write(folder: Path) -> list[str]:
    """The sources and how to build them; returns the modules."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.findall(
        r'^__version__ = "(.+)"$', (SOURCES / "untold" / "__init__.py").read_text(), flags=re.MULTILINE
    )[0]
    needs = [each for each in project["dependencies"] if re.split(r"[<>=]", each)[0] in NEEDS]
    home, modules = folder / "untold_device", needed()
    for module, path in modules.items():
        target = home / path.relative_to(SOURCES / "untold")
        target.parent.mkdir(parents=True, exist_ok=True)
        text = IMPORT.sub(r"\1untold_device", path.read_text(encoding="utf-8"))
        target.write_text(text.replace('import_module("untold.', 'import_module("untold_device.'), encoding="utf-8")
        if module.count(".") == 1:
            (home / "py.typed").touch()
    missing = {
        name.split(".")[1] for path in modules.values() for name, _ in imports(path) if name.startswith("untold.")
    }
    for room in sorted(missing - {module.split(".")[1] for module in modules}):
        (home / f"{room}.py").write_text(elsewhere(room), encoding="utf-8")
    (home / "__init__.py").write_text(doors(version), encoding="utf-8")
    (folder / "README.md").write_text(
        (ROOT / "clients" / "python" / "README.md").read_text(encoding="utf-8"), encoding="utf-8"
    )
    (folder / "LICENSE").write_text((ROOT / "LICENSE").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        f"""[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "untold-device"
version = "{version}"
description = "The device client of untold: perturbs a person's records before anything is sent"
readme = "README.md"
requires-python = "{project["requires-python"]}"
license = "{project["license"]}"
license-files = ["LICENSE"]
dependencies = {needs}

[tool.setuptools.packages.find]
include = ["untold_device*"]

[tool.setuptools.package-data]
untold_device = ["py.typed"]
""",
        encoding="utf-8",
    )
    return sorted(modules)


if __name__ == "__main__":
    print(f"untold-device: {len(write(Path(sys.argv[1])))} modules")
