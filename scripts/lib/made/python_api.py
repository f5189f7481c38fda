"""The Python reference: names of `untold` with their signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import untold

GROUPS = {
    "The plan": ("Plan", "best_shares"),
    "Reporting": (
        "Client", "HttpClient", "MixedClient", "Report", "Gateway", "body", "perturb", "deliver", "Collected", "date_epoch",
        "audit", "audit_meaning", "conformance", "Audit",
    ),
    "Asking": ("connect", "Connection", "Answer", "Estimate"),
    "Errors": (
        "UntoldError", "PlanError", "BadRecord", "BudgetExceeded", "AlreadyReported", "StoreError", "UntrustedPlan",
        "CollectorError", "UnsupportedQuery",
    ),
}  # fmt: skip
assert sorted(name for names in GROUPS.values() for name in names) == sorted(untold.__all__)
TYPES = {
    "Keeping": "True: counts of reports are kept in the folder, for later questions; False: they are not; "
    '`"in memory"`: as long as the connection lives',
    "GivenLedger": "where it is remembered who has reported: a file (a path), a mapping of texts, or a `Memory`",
}
FLOORS = ("fuse", "marginals", "streams", "dbapi")  # modules of their own


def signature(name: str, thing: Any) -> str:
    """As one would write the call, on several lines where it is long."""
    try:
        told = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name
    told = (
        re.sub(r"untold(\.\w+)+\.", "", re.sub(r"(: |-> )'([^']*)'", r"\1\2", told).replace("typing.", ""))
        .replace("(self, ", "(")
        .replace("(self)", "()")
    )
    if len(name) + len(told) < 100:
        return name + told
    inside, _, after = told[1:].rpartition(")")
    parts = re.split(r", (?=\w+(?::|=)|\*)", inside)
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){after}"


def words(thing: Any) -> str:
    """A docstring as it stands, with its layout where it has one; without examples for the tests."""
    told = (inspect.getdoc(thing) or "").partition("\n>>>")[0].strip()
    first, _, rest = told.partition("\n\n")
    text = " ".join(first.split()).replace("<", "&lt;")
    return text + (f"\n\n```text\n{rest.rstrip()}\n```" if rest.strip() else "")


def members(kind: type) -> Iterator[str]:
    """Public methods and properties of a class, with a sentence each; calls are too long for a column of a table."""
    for name in sorted(
        vars(kind)
        | {key: None for base in kind.__mro__[1:-1] if base.__module__.startswith("untold") for key in vars(base)}
    ):
        member = inspect.getattr_static(kind, name, None)
        if name.startswith("_") or not (callable(member) or isinstance(member, (property, classmethod, staticmethod))):
            continue
        if issubclass(kind, Exception) and name in vars(Exception):
            continue
        thing = getattr(kind, name) if not isinstance(member, property) else member.fget
        told = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split()).replace("<", "&lt;")
        call = (
            name
            if isinstance(member, property)
            else signature(name, thing).replace("\n", " ").replace("(     ", "(").replace(", )", ")")
        )
        yield f"- `{' '.join(call.split())}`: {told}"


def python_api() -> str:
    """A section for each name."""
    lines: list[str] = []
    for group, names in GROUPS.items():
        lines += [f"## {group}", ""]
        for name in names:
            thing = getattr(untold, name)
            lines += [f"### untold.{name}", ""]
            if group != "Errors":
                lines += ["<!-- not run: a signature -->", "```python", signature(name, thing), "```", ""]
            lines += [words(thing), ""]
            some = list(members(thing)) if inspect.isclass(thing) and group != "Errors" else []
            lines += ["It has:", "", *some, ""] if some else []
    lines += ["## Types of arguments", "", "| type | what it may be |", "| --- | --- |"]
    lines += [f"| `{name}` | {told} |" for name, told in TYPES.items()]
    lines += ["", "## Modules of their own", "", "| module | what it is for |", "| --- | --- |"]
    for name in FLOORS:
        told = " ".join((inspect.getdoc(getattr(untold, name)) or "").partition("\n\n")[0].split())
        lines.append(f"| `untold.{name}` | {told} |")
    return "\n".join(lines)
