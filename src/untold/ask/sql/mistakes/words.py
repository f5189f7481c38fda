"""What must follow a word or sign of SQL, and what cannot be the beginning of it."""

from __future__ import annotations

CONDITION = "Write one, such as age > 30."
VALUE = ("a value", "Write a number, a text in single quotes, or a column.")
WANTS: dict[str, tuple[str, str]] = {  # what must follow, and what to write
    "WHERE": ("a condition", CONDITION),
    "HAVING": ("a condition on a result", "Write one, such as COUNT(*) > 100."),
    "GROUP BY": ("columns", "Name the columns whose groups you want to see."),
    "ORDER BY": ("columns", "Name a column of the result, or its number."),
    "FROM": ("a service", "Name a service, such as FROM users."),
    "SELECT": ("what to show", "Write an aggregate, such as COUNT(*)."),
    "JOIN": ("a service", "Write JOIN a service USING (the user key)."),
    "ON": ("a condition", "Write USING (the user key) instead."),
    "USING": ("the user key", "Write it in brackets, such as USING (uid)."),
    "LIMIT": ("a number", "Write one, such as LIMIT 10."),
    "OFFSET": ("a number", "Write one, such as OFFSET 10."),
    "AND": ("a condition", CONDITION),
    "OR": ("a condition", CONDITION),
    "NOT": ("a condition", CONDITION),
    "BETWEEN": ("two values", "Write BETWEEN low AND high."),
    "IN": ("a list", "Write IN ('a', 'b')."),
    "LIKE": ("a pattern", "Write one in single quotes, such as LIKE 'N%'."),
    "ILIKE": ("a pattern", "Write one in single quotes, such as ILIKE 'n%'."),
    "AS": ("a name", "Write one, such as AS n."),
    "IS": ("NULL, TRUE or FALSE", "Write IS NULL or IS NOT NULL."),
    "WHEN": ("a condition", "Write CASE WHEN condition THEN value ELSE value END."),
    "THEN": ("a value", "Write CASE WHEN condition THEN value ELSE value END."),
    "ELSE": ("a value", "Write CASE WHEN condition THEN value ELSE value END."),
    **dict.fromkeys(("=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "/", "||"), VALUE),
    ",": ("another column", "Leave the comma out, or name one more."),
}
COMPARISONS = frozenset(("=", "==", "<>", "!=", "<", "<=", ">", ">="))
CLAUSES = ("FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "OFFSET")  # in this order
ENDS = frozenset((*CLAUSES, ")", ";", "UNION", "AND", "OR", "THEN", "ELSE", "END", "WHEN"))
SIGNS = {"=>": ">=", "=<": "<=", "&&": "AND"}  # what people write for another sign
KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "BETWEEN", "JOIN", "USING", "DISTINCT", "WITH",
    "FILTER", "COUNT",
)  # fmt: skip
