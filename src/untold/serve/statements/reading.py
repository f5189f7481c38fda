"""MySQL text -> one statement as a tree."""

from __future__ import annotations

from sqlglot import exp, tokenize
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from untold.serve.statements.replies import SYNTAX, Refused
from untold.sql.parse import DEEPEST, LONGEST

DIALECT = "mysql"


def read(sql: str) -> exp.Expr | None:
    """The statement; None if there is none, as in a comment."""
    if len(sql) > LONGEST:
        raise Refused(SYNTAX, f"The text has {len(sql)} characters; at most {LONGEST} are read.")
    try:
        tokens = list(tokenize(sql, read=DIALECT))
        depth = deepest = 0
        for token in tokens:
            depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
            deepest = max(deepest, depth)
        if deepest > DEEPEST:
            raise Refused(SYNTAX, f"More than {DEEPEST} brackets are open. Write the query flatter.")
        trees = [tree for tree in Dialect.get_or_raise(DIALECT).parser().parse(tokens, sql) if tree is not None]
    except SqlglotError as error:
        said = str(error).partition("\n")[0].partition(". Line")[0]
        raise Refused(SYNTAX, f"This is not SQL: {said}.") from None
    except RecursionError:
        raise Refused(SYNTAX, "The statement is nested too deeply. Write it flatter.") from None
    if len(trees) > 1:
        raise Refused(SYNTAX, "A second statement begins here. Ask one at a time.")
    return trees[0] if trees else None


def as_duckdb(tree: exp.Expr) -> str:
    """The same in DuckDB's dialect, as untold reads it. MySQL sorts NULL first; where nobody has asked, nothing is said."""
    for ordered in tree.find_all(exp.Ordered):
        ordered.set("nulls_first", False)
    return tree.sql(dialect="duckdb")


def without_database(tree: exp.Expr, database: str) -> exp.Expr:
    """Names without the database before them: shop.users -> users, shop.users.age -> users.age."""
    from untold.serve.statements.replies import BAD_DATABASE

    for node in tree.find_all(exp.Table, exp.Column):
        named = node.text("db")
        if named and named.lower() != database.lower():
            raise Refused(BAD_DATABASE, f"Unknown database '{named}'; there is '{database}'.")
        if named:
            node.set("db", None)
            node.set("catalog", None)
    return tree
