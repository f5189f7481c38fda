"""Which keys a plan file may have, from what reads it; a page says what each means."""

from __future__ import annotations

import inspect
import re

from untold.plan.designs.recipes import DESIGNS
from untold.oracles import ORACLES
from untold.plan.schema.kinds import KINDS
from untold.plan.schema.kinds.clipped import KEY as CLIP
from untold.plan.schema.kinds.or_missing import KEY
from untold.plan.schema.read import PLAN_KEYS
from untold.plan.schema.read_service import SERVICE_KEYS
from untold.plan.schema.read_spread import KEY as SPREAD


def places() -> str:
    """All keys, by place."""
    rows = [("the file itself", PLAN_KEYS), ("`[services.NAME]`", SERVICE_KEYS)]
    lines = ["| place | keys |", "| --- | --- |"]
    lines += [f"| {place} | {', '.join(f'`{key}`' for key in keys)} |" for place, keys in rows]
    return "\n".join(lines)


def kinds() -> str:
    """Kinds of attributes."""
    lines = ["| kind | keys | what it is |", "| --- | --- | --- |"]
    for kind in KINDS:
        more = (*((CLIP,) if getattr(kind, "clips", False) else ()), KEY, SPREAD) if kind.role == "sensitive" else (SPREAD,) if kind.role == "public" else ()
        told = " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())
        told = re.sub(r" \[[A-Z][^\]]*\]", "", told).partition(": code")[0].rstrip(".") + "."
        keys = ", ".join(f"`{key}`" for key in (*kind.keys, *more))
        lines.append(f"| `{kind.kind}` | {keys} | {told} |")
    return "\n".join(lines)


def designs() -> str:
    """Designs by name."""
    return "\n".join(
        ["| design | what it is |", "| --- | --- |", *(f"| `{each.name}` | {each.sentence} |" for each in DESIGNS)]
    )


def oracles() -> str:
    """Oracles by name."""
    lines = ["| oracle | what it is | over HTTP | from browsers |", "| --- | --- | --- | --- |"]
    for oracle in ORACLES:
        told = " ".join((inspect.getdoc(oracle) or "").partition("\n\n")[0].split())
        over, page = ("yes" if can else "no" for can in (oracle.travels, oracle.in_javascript))
        lines.append(f"| `{oracle.name}` | {told.replace('<', '&lt;')} | {over} | {page} |")
    return "\n".join(lines)
