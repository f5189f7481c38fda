"""The SQL reference: from the tables of the parser, with examples and refusals from the corpora of the tests."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import sqlglot
from sqlglot import exp

from made.sql_words import AGGREGATE_WORDS, CLAUSE_WORDS, FORMULA_WORDS, WINDOW_WORDS
from untold.ask.limits import MAX_OPEN_BRACKETS, MAX_QUERY_CHARACTERS
from untold.ask.sql.from_clause.bind import KINDS_OF_JOIN
from untold.ask.sql.node_names import OPERATORS
from untold.ask.sql.one_attribute.functions import NAMES
from untold.ask.sql.parse import SETTINGS
from untold.ask.sql.public_expressions import ALLOWED
from untold.ask.sql.totals.aggregates import HINTS
from untold.ask.sql.unions.questions import questions
from untold.ask.sql.unions.split import COMPARES
from untold.errors import UnsupportedQuery

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))

from helpers.corpus import invalid, valid
from helpers.raw_tables import plan_of

SHOWN = 110  # characters of an example
EXCEPT = {"LEFT": "; it is taken where people without a row there add nothing"}
TELLING: dict[str, Callable[[exp.Expr], object]] = {  # what the example of a clause must have, beside the clause
    "expressions": lambda tree: len(tree.expressions) > 1,
    "where": lambda tree: tree.find(exp.Count) and tree.args["where"].find(exp.Column) and tree.find(exp.Between),
    "having": lambda tree: tree.args.get("group") and tree.args["having"].find(exp.AggFunc),
}
IN_FULL = {
    "USING": "USING SAMPLE", "FOR": "FOR UPDATE", "SELECT": "SELECT AS ...", "/*+": "/*+ ... */", "CONNECT": "CONNECT BY",
    "CLUSTER": "CLUSTER BY", "DISTRIBUTE": "DISTRIBUTE BY", "SORT": "SORT BY",
}  # fmt: skip


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """In Markdown."""
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(text: str) -> str:
    """In the type of code; a text with backticks in double ones."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


@cache
def trees() -> list[tuple[str, exp.Expr]]:
    """Valid texts, the shortest first, with their trees."""
    texts = sorted(
        {
            text.sql
            for text in valid()
            if text.plan == "shop" and text.sql[:4] in ("SELE", "WITH") and "COUNT()" not in text.sql
        },
        key=lambda sql: (len(sql), sql),
    )
    return [(sql, sqlglot.parse_one(sql, dialect="duckdb")) for sql in texts]


def example(fits: Callable[[exp.Expr], bool]) -> str:
    """The shortest valid text that has the construct."""
    return next((code(sql) for sql, tree in trees() if fits(tree)), "")


def clauses() -> str:
    """What a SELECT may have."""
    rows = (
        (
            code(name),
            meaning,
            error,
            example(lambda tree, key=key: bool(tree.args.get(key)) and bool(TELLING.get(key, bool)(tree))),
        )
        for key, (name, meaning, error) in CLAUSE_WORDS.items()
    )
    unions = (
        code("UNION ALL"),
        "The rows of several queries below each other, under the names of the first. ORDER BY and LIMIT at the end are of all rows.",
        "Each row keeps its own.",
        example(lambda tree: isinstance(tree, exp.Union)),
    )
    return table(("clause", "meaning", "its error", "for example"), [*rows, unions])


def aggregates() -> str:
    """What can be estimated."""
    rows = (
        (code(name), meaning, error, example(lambda tree, kind=kind: tree.find(kind) is not None))
        for kind, (name, meaning, error) in AGGREGATE_WORDS.items()
    )
    extra = (
        code("... FILTER (WHERE ...)"),
        "Any of these, over some of the rows.",
        "as of the aggregate",
        example(lambda tree: tree.find(exp.Filter) is not None),
    )
    return table(("aggregate", "meaning", "its error", "for example"), [*rows, extra])


def windows() -> str:
    """What can be asked of groups beside each other."""
    rows = (
        (
            code(name),
            meaning,
            error,
            example(lambda tree, kind=kind: any(isinstance(each.this, kind) for each in tree.find_all(exp.Window))),
        )
        for kind, (name, meaning, error) in WINDOW_WORDS.items()
    )
    return table(("window", "meaning", "its error", "for example"), rows)


def formulas() -> str:
    """What can be done with estimates."""
    rows = (
        (
            code(name),
            meaning,
            error,
            example(lambda tree, kind=kind: any(of_aggregates(each) for each in tree.find_all(kind))),
        )
        for kind, (name, meaning, error) in FORMULA_WORDS.items()
    )
    return table(("formula", "meaning", "its error", "for example"), rows)


def of_aggregates(node: exp.Expr) -> bool:
    """Whether a formula is made of aggregates, rather than inside one."""
    return (
        not (isinstance(node, exp.Case) and node.this)  # CASE x WHEN 3: rare
        and node.find_ancestor(exp.AggFunc) is None
        and node.find(exp.AggFunc) is not None
        and node.find_ancestor(exp.Where) is None
    )


def functions() -> str:
    """Functions of sensitive attributes, by name."""
    words = sorted(name for name in NAMES if re.fullmatch(r"[a-z]\w*", name) and not name.endswith("_escape"))
    signs = sorted(name for name in NAMES if not re.search(r"\w", name) and "~" not in name)
    return ", ".join(code(each) for each in words) + ".\n\nOperators: " + " ".join(code(each) for each in signs) + "."


def public_words() -> str:
    """Functions of public columns, by name."""
    kinds = sorted((kind for kind in ALLOWED if issubclass(kind, exp.Func)), key=lambda kind: kind.sql_name())
    return ", ".join(code(kind.sql_name()) for kind in kinds if kind.sql_name() not in OPERATORS.values()) + "."


def refused_words() -> str:
    """Clauses, joins and aggregates that are refused, and what to write instead."""
    rows = [
        *((code(IN_FULL.get(word, word)), why, hint) for word, why, hint in SETTINGS.values()),
        *(
            (code(f"{kind} JOIN"), reason + EXCEPT.get(kind, ""), "Use JOIN ... USING (the user key).")
            for kind, reason in KINDS_OF_JOIN.items()
        ),
        (
            code("COUNT(DISTINCT x)"),
            "a value that a single person has cannot be told from noise; only the user key can be counted so",
            "Write GROUP BY x with COUNT(*), or COUNT(DISTINCT the user key).",
        ),
        *(
            (code(kind.sql_name()), "depends on single rows", hint)
            for kind, hint in HINTS.items()
        ),
        (code("UNION"), "leaves out rows that are the same; two estimates hardly ever are", "Write UNION ALL."),
        *(
            (code(word), "compares rows of two queries; two estimates are hardly ever the same", hint)
            for word, hint in COMPARES.items()
        ),
    ]
    return table(("construct", "why it is refused", "instead"), rows)


def refusals() -> str:
    """Every kind of refusal that the tests know, with the parser's own words."""
    seen, rows = set[str](), []
    for text in invalid():
        try:
            questions(text.sql, plan_of(text.plan))
        except UnsupportedQuery as refused:
            reason, hint = str(refused).split("\n")[0], refused.hint
            kind = re.sub(r"'[^']*'|\"[^\"]*\"|[-\d.:]+|\b[A-Z_]{2,}\b|^\S+ (?=does not take)", "", reason)
            if kind not in seen and len(text.sql) <= SHOWN:
                seen.add(kind)
                rows.append((code(text.sql), plain(reason), plain(hint)))
    return table(("asked", "why it is refused", "hint"), rows)


def plain(sentence: str) -> str:
    """Words as they are, whatever they mean in Markdown."""
    return sentence.replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;").replace("[", "\\[")


def bounds() -> str:
    """Limits of the text itself."""
    return (
        f"A text has at most {MAX_QUERY_CHARACTERS:,} characters, and brackets in at most {MAX_OPEN_BRACKETS} brackets."
    )
