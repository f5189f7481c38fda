"""SQL text -> one SELECT as a tree whose nodes know their places. Nothing else passes."""

from __future__ import annotations

import re
from datetime import datetime

from sqlglot import exp, tokenize
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from untold.ask.limits import MAX_DIGITS, MAX_NUMBER, MAX_OPEN_BRACKETS, MAX_QUERY_CHARACTERS
from untold.ask.sql.mistakes.tokens import check_tokens, odd_character
from untold.ask.sql.parameters import NO_VALUES, Values, put_in
from untold.ask.sql.refusals import SPAN, Refusal, Span, annotate, whole
from untold.plan import Plan
from untold.tables.near_miss import closest

DIALECT = "duckdb"
SET_WORDS = ("UNION", "INTERSECT", "EXCEPT")
ANY_SET_WORD = re.compile(r"\b(?:" + "|".join((*SET_WORDS, "ROLLUP", "CUBE", "GROUPING")) + r")\b", re.IGNORECASE)
ANY_PIVOT = re.compile(r"\bPIVOT\b", re.IGNORECASE)
ANY_CLOCK = re.compile(r"\b(?:CURRENT_DATE|TODAY|NOW|(?:GET_)?CURRENT_TIMESTAMP|LOCALTIMESTAMP)\b", re.IGNORECASE)
BEGINNINGS = ("SELECT", "WITH", "FROM", "PIVOT", "(")
ROWS = "rows themselves are never disclosed"
MEANINGLESS = "it has no meaning for estimates from reports"
SETTINGS = {  # clauses of SELECT that are refused: the word, why, and what to do instead
    "into": ("INTO", "a query changes nothing", "Keep the answer with .to_parquet() or .df()."),
    "locks": ("FOR", "a query changes nothing", "Leave it out: reports are never locked."),
    "sample": ("USING", "fewer reports are a larger error, and nothing else", "Leave it out: all reports are used."),
    "laterals": ("LATERAL", ROWS, "Leave it out."),
    "pivots": ("PIVOT", ROWS, "Use GROUP BY."),
    "cluster": ("CLUSTER", MEANINGLESS, "Use ORDER BY."),
    "distribute": ("DISTRIBUTE", MEANINGLESS, "Use ORDER BY."),
    "sort": ("SORT", MEANINGLESS, "Use ORDER BY."),
    "connect": ("CONNECT", ROWS, "Leave it out."),
    "match": ("MATCH_RECOGNIZE", ROWS, "Leave it out."),
    "prewhere": ("PREWHERE", MEANINGLESS, "Use WHERE."),
    "kind": ("SELECT", MEANINGLESS, "Write a plain SELECT."),
    "options": ("OPTION", MEANINGLESS, "Leave it out."),
    "hint": ("/*+", MEANINGLESS, "Leave it out."),
    "format": ("FORMAT", MEANINGLESS, "Leave it out."),
    "settings": ("SETTINGS", MEANINGLESS, "Leave it out."),
}
SIGNS: dict[type[exp.Expr], str] = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
ORDERED = tuple(SIGNS)
CLOCKS = (exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp)
INSTEAD = {  # of statements that ask about tables or plans
    "DESCRIBE": "Write DESCRIBE and the name of a service; SHOW TABLES lists them.",
    "DESC": "Write DESCRIBE and the name of a service; SHOW TABLES lists them.",
    "SUMMARIZE": "Write DESCRIBE and the name of a service; SHOW TABLES lists them.",
    "SHOW": "Write SHOW TABLES, or DESCRIBE and the name of a service.",
    "PRAGMA": "Write SHOW TABLES, or DESCRIBE and the name of a service.",
    "EXPLAIN": "Use con.explain(sql) or `untold explain`.",
}
NOTHING: tuple[object, ...] = (None, False, [], "")  # of a clause that is not there
CLAUSES = frozenset(
    (
        "expressions",
        "from_",
        "joins",
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "with_",
        "qualify",
        "distinct",
        *SETTINGS,
    )
)


def may_be_several(sql: str) -> bool:
    """Whether a text may put several queries together; a look that loads nothing."""
    return ANY_SET_WORD.search(sql) is not None


def tokens_of(sql: str, values: Values = NO_VALUES) -> list[Token]:
    """The words of a text that is not too long, begins as a query does, and is one statement; values in place of parameters."""
    if len(sql) > MAX_QUERY_CHARACTERS:
        raise Refusal(
            (0, 1),
            f"The text has {len(sql)} characters; at most {MAX_QUERY_CHARACTERS} are read.",
            "Ask for less at once.",
            code="too-large",
        )
    tokens = put_in(_tokens(sql), values) if values else _tokens(sql)
    if (odd := odd_character(tokens)) is not None:
        word, what = odd
        raise Refusal(
            (word.start, word.end + 1),
            f"There is a character here that nobody sees: {what}.",
            "Write it anew.",
            code="syntax",
        )
    _check_statement(sql, tokens)
    return tokens


def parse(sql: str, values: Values = NO_VALUES, plan: Plan | None = None) -> exp.Select:
    """The SELECT of a text, or a refusal. `plan`: whose declared values PIVOT makes columns of."""
    tokens = tokens_of(sql, values)
    check_tokens([token for token in tokens if token.token_type != TokenType.SEMICOLON])
    try:
        trees = [tree for tree in Dialect.get_or_raise(DIALECT).parser().parse(tokens, sql) if tree is not None]
    except ParseError as error:
        from untold.ask.sql.mistakes.parsing import not_sql

        raise not_sql(sql, tokens, error) from None
    if len(trees) != 1:
        raise Refusal(whole(sql), "There is no statement here.", "Write one SELECT.", code="syntax")
    tree = trees[0]
    annotate(tree, tokens)
    check_comparisons(tree)
    if plan is not None and ANY_PIVOT.search(sql) is not None:
        from untold.ask.sql.pivots import without_pivot

        tree = without_pivot(tree, plan)
    while isinstance(tree, exp.Subquery) and set(_used(tree)) <= {"this"}:
        tree = tree.this
    if not isinstance(tree, exp.Select) or not tree.expressions:
        raise Refusal(tree, "This is not a SELECT of aggregates.", "Write SELECT COUNT(*) FROM a service.")
    if ANY_CLOCK.search(sql) is not None:
        write_clock(tree)
    for select in tree.find_all(exp.Select):
        if select.args.get("windows") is not None:
            _write_windows(select)
        check_clauses(select, tokens)
        if select is not tree and select.args.get("distinct") is not None:
            raise Refusal(
                keyword(tokens, "DISTINCT") or select,
                f"DISTINCT inside of a query is not supported: {ROWS}.",
                "Write GROUP BY the columns whose combinations you want to see.",
            )
    return tree


def write_clock(tree: exp.Expr) -> None:
    """CURRENT_DATE and the like as what they are when a question is read: one question has one time."""
    found = [node for node in tree.walk() if isinstance(node, CLOCKS) or _is_clock(node)]
    moment = now() if found else None
    for node in found:
        assert moment is not None
        day = isinstance(node, exp.CurrentDate)
        text = moment.date().isoformat() if day else moment.isoformat(" ", "minutes")
        written = exp.cast(exp.Literal.string(text), exp.DType.DATE if day else exp.DType.TIMESTAMP)
        written.meta[SPAN] = node.meta.get(SPAN)
        node.replace(written)


def _is_clock(node: exp.Expr) -> bool:
    names = ("now", "get_current_timestamp")
    return isinstance(node, exp.Anonymous) and node.name.lower() in names and not node.expressions


def now() -> datetime:
    """The time here, as DuckDB takes it."""
    return datetime.now()


def _write_windows(select: exp.Select) -> None:
    """What a WINDOW clause names, written where it is used."""
    named = {each.name.lower(): each for each in select.args.get("windows") or []}
    select.set("windows", None)
    for node in select.find_all(exp.Window) if named else []:
        known = named.get(node.alias.lower()) if node.args.get("alias") is not None else None
        if known is not None:
            node.set("alias", None)
            for part in ("partition_by", "order", "spec"):
                if not node.args.get(part) and known.args.get(part):
                    value = known.args[part]
                    node.set(part, [v.copy() for v in value] if isinstance(value, list) else value.copy())


def check_comparisons(tree: exp.Expr) -> None:
    """Refuse 20 < age < 30, which SQL does not have."""
    for node in tree.find_all(*ORDERED):
        first = node.this
        if isinstance(first, ORDERED):
            left, middle, right = (
                part.sql(DIALECT, comments=False) for part in (first, first.expression, node.expression)
            )
            sign = SIGNS[type(node)]
            raise Refusal(
                node, "A comparison has two sides.", f"Write {left} AND {middle} {sign} {right}.", code="syntax"
            )


def check_clauses(select: exp.Select, tokens: list[Token]) -> None:
    """Refuse clauses that have no meaning over rows that nobody disclosed."""
    for clause, value in select.args.items():
        if value in NOTHING:
            continue
        if clause in SETTINGS:
            word, why, hint = SETTINGS[clause]
            raise Refusal(keyword(tokens, word) or select, f"{word} is not supported: {why}.", hint)
        if clause not in CLAUSES:
            raise Refusal(
                select, f"The clause {clause} is not supported.", "Write SELECT ... FROM ... WHERE ... GROUP BY."
            )


def keyword(tokens: list[Token], word: str) -> Span | None:
    """The place where a keyword first stands."""
    return next(((t.start, t.end + 1) for t in tokens if t.text.upper() == word), None)


def _used(node: exp.Expr) -> list[str]:
    return [name for name, value in node.args.items() if value not in NOTHING]


def _tokens(sql: str) -> list[Token]:
    try:
        return list(tokenize(sql, read=DIALECT))
    except TokenError:
        place = sql.rfind("'") if sql.count("'") % 2 else sql.rfind('"') if sql.count('"') % 2 else -1
        span = (place, len(sql)) if place >= 0 else whole(sql)
        raise Refusal(
            span, "This is not SQL: a quote or a comment that begins here does not end.", "Close it.", code="syntax"
        ) from None


def _check_statement(sql: str, tokens: list[Token]) -> None:
    """One statement that begins as a query does, without parameters, not nested beyond all reason."""
    if not tokens:
        raise Refusal(
            whole(sql),
            "There is no statement here.",
            "Write one SELECT, such as SELECT COUNT(*) FROM a service.",
            code="syntax",
        )
    first = tokens[0]
    if first.text.upper() not in BEGINNINGS:
        raise Refusal(
            (first.start, first.end + 1),
            f"{first.text.upper()} is not a question: reports can only be asked, by one SELECT.",
            "Did you mean SELECT?"
            if closest(first.text, ["SELECT"])
            else INSTEAD.get(first.text.upper(), "Write SELECT ... FROM ..."),
        )
    depth = 0
    for i, token in enumerate(tokens):
        span = (token.start, token.end + 1)
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth > MAX_OPEN_BRACKETS:
            raise Refusal(
                span,
                f"More than {MAX_OPEN_BRACKETS} brackets are open here.",
                "Write the query flatter.",
                code="too-large",
            )
        if token.token_type == TokenType.SEMICOLON and any(t.token_type != TokenType.SEMICOLON for t in tokens[i:]):
            later = next(t for t in tokens[i:] if t.token_type != TokenType.SEMICOLON)
            raise Refusal(
                (later.start, later.end + 1),
                "A second statement begins here.",
                "Ask one SELECT at a time, without ;",
                code="syntax",
            )
        if token.token_type == TokenType.NUMBER and len(token.text) > MAX_DIGITS:
            raise Refusal(
                span,
                f"This number has {len(token.text)} digits; at most {MAX_DIGITS} are read.",
                "Write it shorter.",
                code="too-large",
            )
        if token.token_type == TokenType.NUMBER and not _is_calculable(token.text):
            raise Refusal(
                span,
                f"This number is too large; those up to {MAX_NUMBER:g} are calculated with.",
                "Write a smaller one.",
            )
        if token.token_type in (TokenType.PLACEHOLDER, TokenType.PARAMETER):
            span = (token.start, (tokens[i + 1].end if token.text == "$" and i + 1 < len(tokens) else token.end) + 1)
            raise Refusal(
                span,
                "There is no value for this parameter.",
                "Pass parameters=[...], or write the value itself.",
                code="value",
            )


def _is_calculable(text: str) -> bool:
    try:
        return abs(float(text)) <= MAX_NUMBER
    except ValueError:  # a spelling that the parser judges
        return True
