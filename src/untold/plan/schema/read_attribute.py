"""One attribute: its table in the plan file -> the kind that claims it."""

from __future__ import annotations

import untold.plan.schema.kinds as kinds
from untold.plan.schema.kinds import Attribute, Clipped, OrMissing, Sensitive
from untold.plan.schema.kinds.attribute import Role
from untold.plan.schema.kinds.clipped import KEY as CLIP
from untold.plan.schema.kinds.or_missing import KEY
from untold.plan.schema.names import MAX_DOMAIN
from untold.plan.schema.read_spread import KEY as SPREAD
from untold.plan.schema.table import Table


def kind_words(role: Role | None = None) -> tuple[str, ...]:
    """The words for `kind` in a plan file, of all kinds or of those with a role."""
    return tuple(dict.fromkeys(kind.kind for kind in kinds.KINDS if role in (None, kind.role)))


def read_attribute(name: str, table: Table) -> Attribute | None:
    """The attribute, or None with its mistakes noted."""
    *words, last = (f'"{word}"' for word in kind_words())
    fix = f"Write kind = {', '.join(words)} or {last}"
    word = table.choice("kind", kind_words()) if table.require("kind", fix) else None
    same = [kind for kind in kinds.KINDS if word in (None, kind.kind)]
    clips = (CLIP,) if any(getattr(kind, "clips", False) for kind in same) else ()
    keys = dict.fromkeys(("kind", *(key for kind in same for key in kind.keys), *clips, KEY, SPREAD))
    table.note_unknown(tuple(keys) if word else sorted(keys))
    found = next((kind for kind in same if kind.claims(table.data)), None)
    attribute = None if word is None or found is None else found.read(name, table)
    return attribute if attribute is None else _or_missing(_clipped(attribute, table), table)


def _clipped(attribute: Attribute, table: Table) -> Attribute:
    """The attribute, of which no value is refused if its table says so."""
    if not isinstance(attribute, Sensitive) or not attribute.clips or not table.boolean(CLIP):
        return attribute
    clipped = Clipped(attribute.name, attribute)
    if clipped.size > MAX_DOMAIN:
        table.note(CLIP, f"{clipped.size} values with those at both ends, more than {MAX_DOMAIN}", "Use fewer")
    return clipped


def _or_missing(attribute: Attribute, table: Table) -> Attribute | None:
    """The attribute, whose value may be missing if its table says so."""
    wanted = table.boolean(KEY)
    if isinstance(attribute, Sensitive):
        return OrMissing(attribute.name, attribute) if wanted else attribute
    if attribute.role == "public" and wanted is False:
        table.note(KEY, "public values may always be missing", "Leave it out")
    if attribute.role == "each" and wanted:
        table.note(KEY, "everybody reports about every value, so none is missing", "Leave it out")
    return attribute
