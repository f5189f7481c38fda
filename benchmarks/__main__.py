"""python -m benchmarks accuracy|speed|robust [name...] [options]: run main(argv) of benchmarks/<kind>/<name>.py.

python -m benchmarks evidence [id...] [options]: the papers' figures, see benchmarks/evidence.

Without names all benchmarks of that kind run, in the order of their names. Options go to every one of them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

KINDS = ("accuracy", "speed", "robust")


def existing(kind: str) -> list[str]:
    """The benchmarks of this kind: one file each."""
    return sorted(path.stem for path in (Path(__file__).parent / kind).glob("[!_]*.py"))


def usage() -> str:
    lines = [f"  {kind}: {' '.join(existing(kind)) or '(none yet)'}" for kind in KINDS]
    use = "Usage: scripts/bench accuracy|speed|robust [name...] [options]"
    evidence = "       scripts/bench evidence [id...] [--list] [--book] [options]: the papers' figures"
    return "\n".join([use, evidence, "What exists:", *lines])


def main(argv: list[str]) -> int:
    words = next((i for i, argument in enumerate(argv) if argument.startswith("-")), len(argv))
    named, options = argv[:words], argv[words:]
    if argv[:1] == ["evidence"]:
        from benchmarks.evidence.command import main as evidence

        return evidence(argv[1:])
    if not named or named[0] not in KINDS:
        print(usage(), file=sys.stderr)
        return 2
    kind, names = named[0], named[1:] or existing(named[0])
    unknown = sorted(set(names) - set(existing(kind)))
    if unknown or not names:
        print(f"No {kind} benchmark named {', '.join(unknown)}.\n" if unknown else "", usage(), sep="", file=sys.stderr)
        return 2
    for name in names:
        import_module(f"benchmarks.{kind}.{name}").main(options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
