"""MySQL text -> one statement as a tree."""

from __future__ import annotations

from sqlglot import exp, tokenize
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from untold.ask.limits import MAX_OPEN_BRACKETS, MAX_QUERY_CHARACTERS
from untold.ask.sql.mistakes.tokens import odd_character
from untold.serve.statements.replies import BAD_DATABASE, SYNTAX, Refused

DIALECT = "mysql"


def read(sql: str) -> exp.Expr | None:
    """The statement; None if there is none, as in a comment."""
    if len(sql) > MAX_QUERY_CHARACTERS:
        raise Refused(SYNTAX, f"The text has {len(sql)} characters; at most {MAX_QUERY_CHARACTERS} are read.")
    try:
        tokens = list(tokenize(sql, read=DIALECT))
        if (odd := odd_character(tokens)) is not None:
            raise Refused(SYNTAX, f"There is a character that nobody sees: {odd[1]}. Write '{odd[0].text}' anew.")
        depth = deepest = 0
        for token in tokens:
            depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
            deepest = max(deepest, depth)
        if deepest > MAX_OPEN_BRACKETS:
            raise Refused(SYNTAX, f"More than {MAX_OPEN_BRACKETS} brackets are open. Write the query flatter.")
        trees = [tree for tree in Dialect.get_or_raise(DIALECT).parser().parse(tokens, sql) if tree is not None]
    except SqlglotError as error:
        said = str(error).partition("\n")[0].partition(". Line")[0]
        raise Refused(SYNTAX, f"This is not SQL: {said}.") from None
    except RecursionError:
        raise Refused(SYNTAX, "The statement is nested too deeply. Write it flatter.") from None
    if len(trees) > 1:
        raise Refused(SYNTAX, "A second statement begins here. Ask one at a time.")
    return trees[0] if trees else None


def without_database(tree: exp.Expr, database: str) -> exp.Expr:
    """Names without the database before them: shop.users -> users, shop.users.age -> users.age."""
    for node in tree.find_all(exp.Table, exp.Column):
        named = node.text("db")
        if named and named.lower() != database.lower():
            raise Refused(BAD_DATABASE, f"Unknown database '{named}'; there is '{database}'.")
        if named:
            node.set("db", None)
            node.set("catalog", None)
    return tree
