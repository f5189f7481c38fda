"""One service: its table in the plan file -> Service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from untold.oracles import oracle_names
from untold.plan.schema.kinds import Attribute, Each, Sensitive
from untold.plan.schema.kinds.attribute import Role
from untold.plan.schema.names import (
    DEFAULT_DESIGN,
    DEFAULT_MAX_ACTIVE,
    DEFAULT_ORACLE,
    DESIGN_NAMES,
    FANOUTS,
    MAX_CELLS,
    MAX_NAME,
    MAX_ROWS,
    MAX_SLOTS,
    OWN_DESIGNS,
    is_identifier,
    reserved,
)
from untold.plan.schema.over_time import read_repeat
from untold.plan.schema.read_attribute import kind_words, read_attribute
from untold.plan.schema.read_marginals import read_marginals
from untold.plan.schema.read_questions import read_questions, read_undeclared
from untold.plan.schema.read_spread import KEY as SPREAD
from untold.plan.schema.read_spread import read_spread
from untold.plan.schema.read_workload import read_workload
from untold.plan.schema.service import Rows, Service
from untold.plan.schema.table import Table
from untold.plan.schema.words import show

METHOD_KEYS = ("design", "oracle", "fanout")
SERVICE_KEYS = (
    "attributes",
    "max_active",
    "rows_per_user",
    "epsilon_share",
    "workload",
    "questions",
    "undeclared",
    "marginals",
    "repeat",
    *METHOD_KEYS,
)
ROWS_EXAMPLE = "rows_per_user = { max = 10, report = 1 }"
ATTRIBUTES_EXAMPLE = 'attributes such as age = { kind = "ordinal", low = 1, high = 125 }'
NAME_FIX = f"Use letters, digits and _, not a digit first, at most {MAX_NAME} characters"


@dataclass(frozen=True)
class Method:
    """How reports are made; None where a mistake was noted."""

    design: str | None = DEFAULT_DESIGN
    oracle: str | None = DEFAULT_ORACLE
    fanout: int | None = None


def read_method(table: Table, default: Method) -> Method:
    """design, oracle and fanout of a table, with the defaults of the one above."""
    return Method(
        table.choice("design", (*DESIGN_NAMES, *OWN_DESIGNS)) if "design" in table.data else default.design,
        table.choice("oracle", oracle_names()) if "oracle" in table.data else default.oracle,
        table.integer("fanout", *FANOUTS, "Write fanout = 2..64, or leave it out")
        if "fanout" in table.data
        else default.fanout,
    )


def read_service(name: str, table: Table, default: Method, user_key: str | None) -> Service | None:
    """The service, or None. When mistakes were noted it may be incomplete: the caller must not use it."""
    table.note_unknown(SERVICE_KEYS)
    method = read_method(table, default)
    rows = _read_rows(table)
    share = _read_share(table)
    inner = (
        table.table("attributes", ATTRIBUTES_EXAMPLE)
        if table.require("attributes", f"Add {ATTRIBUTES_EXAMPLE}")
        else None
    )
    if inner is None:
        return None
    attributes = _read_attributes(inner, user_key)
    public, each = _of_role(inner, "public"), _of_role(inner, "each")
    sensitive = [key for key in inner.data if key not in public + each]
    if not sensitive:
        table.note("attributes", "no sensitive attribute", "Add an ordinal or categorical one, or drop the service")
        return None
    if "rows_per_user" in table.data:
        for key in public:
            reason = "public in a service with rows_per_user: a dummy report would tell by it that there is no row"
            inner.note(key, reason, "Make it ordinal or categorical, or move it into a service with one row per person")
    _check_each(inner, each, attributes, rows if "rows_per_user" in table.data else Rows(0, 0))
    max_active = _read_max_active(table, method.design, len(sensitive), _usual_max_active(table, attributes))
    workload = read_workload(table, sensitive, public, max_active)
    marginals = read_marginals(table, method.design, len(sensitive))
    design, oracle = method.design or DEFAULT_DESIGN, method.oracle or DEFAULT_ORACLE
    repeat = read_repeat(table)
    questions, undeclared = read_questions(table, method.design), read_undeclared(table)
    spread = read_spread(name, table, attributes, rows)
    return Service(
        name,
        attributes,
        max_active,
        rows,
        share,
        design,
        oracle,
        method.fanout,
        workload,
        marginals,
        repeat,
        questions,
        undeclared,
        spread,
    )


def _of_role(attributes: Table, role: Role) -> list[str]:
    entries, words = attributes.data.items(), kind_words(role)
    return [str(key) for key, entry in entries if isinstance(entry, Mapping) and entry.get("kind") in words]


def _check_each(table: Table, names: list[str], attributes: tuple[Attribute, ...], rows: Rows | None) -> None:
    """One such attribute at most, in a service that can be without a row for some of its values."""
    for key in names[1:]:
        table.note(
            key, f"'{names[0]}' is of kind each already", "Combine the two into one list, or make one categorical"
        )
    if names and rows is not None and not rows.max:
        fix = f"Add {ROWS_EXAMPLE}: rows of one person for one value"
        table.note(names[0], "kind each needs rows_per_user, since a value may have no row", fix)
    found = next((a for a in attributes if isinstance(a, Each)), None)
    if found is not None and rows is not None and found.size * rows.report > MAX_SLOTS:
        reason = f"{found.size} values with {rows.report} reports each are more than {MAX_SLOTS} reports of one person"
        table.note(found.name, reason, "Make it categorical: then a report speaks of one row, whatever its value")


def _read_attributes(table: Table, user_key: str | None) -> tuple[Attribute, ...]:
    found: list[Attribute] = []
    seen: dict[str, str] = {}
    for name in table.data:
        inner = table.table(name, f"a table: {ATTRIBUTES_EXAMPLE}")
        attribute = read_attribute(str(name), inner) if inner is not None else None
        if not is_identifier(name):
            table.note(name, "not a plain SQL name", NAME_FIX)
            continue
        if name.lower() in reserved():
            table.note(name, f"'{name}' is a column of every report", f"Rename it; taken are {', '.join(reserved())}")
        if user_key is not None and name.lower() == user_key.lower():
            table.note(name, f"named like the user key '{user_key}'", "Rename the attribute or the user key")
        if name.lower() in seen:
            table.note(
                name, f"differs from '{seen[name.lower()]}' only in case, which SQL ignores", "Rename one of them"
            )
        seen[name.lower()] = name
        if attribute is not None:
            found.append(attribute)
    return tuple(found)


def _read_rows(table: Table) -> Rows | None:
    inner = table.table("rows_per_user", ROWS_EXAMPLE) if "rows_per_user" in table.data else None
    if inner is None:
        return None
    inner.note_unknown(("max", "report", SPREAD))
    fix = f"Write {ROWS_EXAMPLE}"
    most = inner.integer("max", 1, MAX_ROWS, fix) if inner.require("max", fix) else None
    report = inner.integer("report", 1, MAX_SLOTS, fix) if "report" in inner.data else 1
    if most is None or report is None:
        return None
    if report > most:
        inner.note("report", f"{report} reports of at most {most} rows", f"Write report = {most} or less; 1 is best")
    return Rows(most, report)


def _read_share(table: Table) -> Fraction | None:
    """The share exactly as written: 0.1 is one tenth."""
    value = table.number("epsilon_share")
    if value is None:
        return None
    if not 0 < value <= 1:
        fix = "Write a share such as 0.5, or leave it out for an even one"
        table.note("epsilon_share", f"{show(value)} is not above 0 and at most 1", fix)
        return None
    return Fraction(Decimal(repr(value)))


def _usual_max_active(table: Table, attributes: tuple[Attribute, ...]) -> int:
    """The most attributes, up to 3, whose finest views have within MAX_CELLS cells over all sets of so many; where a
    workload or questions are declared, only their sets are collected, and 3 fit."""
    sizes = [a.size for a in attributes if isinstance(a, Sensitive)]
    most = min(len(sizes), DEFAULT_MAX_ACTIVE)
    if {"workload", "questions"} & {*table.data}:
        return most
    hidden = 2 if "rows_per_user" in table.data else 1
    fitting = [count for count in range(2, most + 1) if hidden * cells_together(sizes, count) <= MAX_CELLS]
    return max(fitting, default=1)


def cells_together(sizes: Sequence[int], count: int) -> int:
    """Cells of all sets of `count` attributes, value by value: an elementary symmetric polynomial.

    >>> cells_together((2, 3, 4), 2)
    26
    """
    sums = [1] + [0] * count
    for size in sizes:
        for l in range(count, 0, -1):
            sums[l] += sums[l - 1] * size
    return sums[count]


def _read_max_active(table: Table, design: str | None, sensitive: int, usual: int) -> int:
    """The papers' designs keep all attributes active; only the default one can promise less and gain by it."""
    if design not in (None, DEFAULT_DESIGN):
        if "max_active" in table.data:
            reason = f"has no meaning for design '{design}', which keeps all attributes active"
            table.note("max_active", reason, f'Leave it out, or use design = "{DEFAULT_DESIGN}"')
        return sensitive
    fix = f"This service has {sensitive} sensitive attribute{'s' * (sensitive > 1)}: write max_active = 1..{sensitive}"
    value = table.integer("max_active", 1, sensitive, fix)
    return min(sensitive, usual) if value is None else value
