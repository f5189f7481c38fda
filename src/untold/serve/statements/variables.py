"""Variables that clients read when they connect, and functions about the connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp

from untold.serve.statements.replies import SYNTAX, Refused, Session

VERSION = "8.0.36-untold"
ERRORS, CONFIDENCE = "untold_errors", "untold_confidence"  # ON: x_low and x_high; ALL: x_se, too; OFF: none
BEST_GUESS = "untold_best_guess"  # ON: x_best and x_typical, too
SIMULTANEOUS = "untold_simultaneous"  # ON: intervals hold for all rows together; OFF: for each; AUTO: see con.sql
MOST = 200  # variables that one connection may set
LONGEST = 1000  # characters of a value
DEFAULTS: Mapping[str, Any] = {
    ERRORS: "ON",
    CONFIDENCE: "0.95",
    BEST_GUESS: "OFF",
    SIMULTANEOUS: "AUTO",
    "autocommit": 1,
    "auto_increment_increment": 1,
    "character_set_client": "utf8mb4",
    "character_set_connection": "utf8mb4",
    "character_set_database": "utf8mb4",
    "character_set_results": "utf8mb4",
    "character_set_server": "utf8mb4",
    "collation_connection": "utf8mb4_general_ci",
    "collation_database": "utf8mb4_general_ci",
    "collation_server": "utf8mb4_general_ci",
    "default_storage_engine": "untold",
    "have_ssl": "YES",
    "init_connect": "",
    "interactive_timeout": 28800,
    "license": "Apache-2.0",
    "lower_case_table_names": 2,
    "max_allowed_packet": 1048576,
    "net_buffer_length": 16384,
    "net_write_timeout": 60,
    "performance_schema": 0,
    "query_cache_size": 0,
    "query_cache_type": "OFF",
    "sql_mode": "ONLY_FULL_GROUP_BY",
    "sql_select_limit": None,
    "system_time_zone": "UTC",
    "time_zone": "+00:00",
    "transaction_isolation": "READ-COMMITTED",
    "transaction_read_only": 1,
    "tx_isolation": "READ-COMMITTED",
    "tx_read_only": 1,
    "version": VERSION,
    "version_comment": "untold: estimates from reports that nobody disclosed",
    "version_compile_machine": "x86_64",
    "version_compile_os": "Linux",
    "wait_timeout": 28800,
}
FUNCTIONS: Mapping[str, Callable[[Session], Any]] = {
    "VERSION": lambda session: VERSION,
    "CURRENT_VERSION": lambda session: VERSION,
    "DATABASE": lambda session: session.database or None,
    "SCHEMA": lambda session: session.database or None,
    "CURRENT_SCHEMA": lambda session: session.database or None,
    "CURRENT_DATABASE": lambda session: session.database or None,
    "USER": lambda session: f"{session.user}@%",
    "CURRENT_USER": lambda session: f"{session.user}@%",
    "SESSION_USER": lambda session: f"{session.user}@%",
    "SYSTEM_USER": lambda session: f"{session.user}@%",
    "CONNECTION_ID": lambda session: session.number,
    "LAST_INSERT_ID": lambda session: 0,
    "ROW_COUNT": lambda session: -1,
    "FOUND_ROWS": lambda session: 0,
}


def value_of(name: str, session: Session) -> Any:
    """A variable as this connection sees it; NULL if nobody knows it."""
    return session.variables.get(name.lower(), DEFAULTS.get(name.lower()))


def filled_in(tree: exp.Expr, session: Session) -> exp.Expr:
    """A statement with variables and functions about the connection replaced by their values."""

    def known(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.SessionParameter | exp.Parameter):
            value = value_of(node.name, session)
        elif isinstance(node, exp.Func):
            name = node.name.upper() if isinstance(node, exp.Anonymous) else node.sql_name().upper()
            if name not in FUNCTIONS:
                return node
            value = FUNCTIONS[name](session)
        else:
            return node
        made = exp.convert(value)
        bare = isinstance(node.parent, exp.Select) and node.arg_key == "expressions"
        return exp.alias_(made, node.sql(dialect="mysql"), quoted=True) if bare else made

    return tree.transform(known)


def settings(tree: exp.Set) -> dict[str, Any]:
    """What a SET statement changes. Names that nobody knows are kept, too: tools set what other servers have."""
    found: dict[str, Any] = {}
    for item in tree.expressions:
        kind = item.text("kind").upper()
        if kind in ("NAMES", "CHARACTER SET"):
            found["character_set_client"] = found["character_set_results"] = item.name
        elif kind == "TRANSACTION" or not isinstance(item.this, exp.Binary):
            continue
        else:
            found[item.this.left.name.lower()] = _value(item.this.right)
    for name, value in found.items():
        if len(name) > LONGEST or len(str(value)) > LONGEST:
            raise Refused(SYNTAX, f"A variable's value has at most {LONGEST} characters.")
    return found


def _value(node: exp.Expr) -> Any:
    if isinstance(node, exp.Literal):
        return node.name
    if isinstance(node, exp.Boolean):
        return "ON" if node.this else "OFF"
    return None if isinstance(node, exp.Null) or node.name.upper() == "DEFAULT" else node.name or None
