"""One connection of a BI tool: what it has set, and its statements, each answered by a query process."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Sequence
from time import monotonic
from typing import Any

from mysql_mimic import ColumnType, ResultColumn, ResultSet
from mysql_mimic.errors import MysqlError
from mysql_mimic.session import BaseSession
from mysql_mimic.variables import GlobalVariables, SessionVariables

from untold.serve.events import note
from untold.serve.mysql.channel import Answering
from untold.serve.mysql.identity import Passwords

DENIED, FAILED, UNKNOWN_DATABASE = 1045, 1105, 1049
CODES = {
    "unsupported-query": 1064,
    "too-slow": 3024,
    "too-large": 1104,
    "busy": 1205,
    "no-reports": 1146,
    "bad-request": 1064,
}
PLAIN = re.compile(
    r"\s*(set names \w{1,20}|set autocommit ?= ?[01]|commit|rollback|begin)\s*;?\s*", re.IGNORECASE | re.ASCII
)
LONGEST_PLAIN = 100  # characters: a pattern takes time with the square of blanks
MOST_VARIABLES, LONGEST_VARIABLE = 200, 1000
NOTES = 20
TYPES = {
    "BIGINT": ColumnType.LONGLONG,
    "DOUBLE": ColumnType.DOUBLE,
    "BOOLEAN": ColumnType.TINY,
    "DATE": ColumnType.DATE,
    "TIMESTAMP": ColumnType.DATETIME,
}


class AskingSession(BaseSession):  # type: ignore[misc]
    """Sees text and rows; understands neither, but for what every client says when it connects (PLAIN), and that changes
    nothing here."""

    def __init__(self, pool: Answering, passwords: Passwords, databases: Sequence[str]) -> None:
        self.pool, self.passwords, self.databases = pool, passwords, databases
        self.variables = SessionVariables(GlobalVariables())  # what the protocol itself asks for: character sets
        self.database: str | None = None
        self.username: str | None = None
        self._number, self._mark = 0, ""
        self._set: dict[str, Any] = {}
        self._notes: list[str] = []

    async def init(self, connection: Any) -> None:
        """After the handshake. The library goes on to commands after a wrong password, too: this is where it ends."""
        self._mark = await self._entitled() or ""
        if not self._mark:
            raise MysqlError("Access denied", DENIED)
        self._number = connection.connection_id
        if self.database:
            await self.use(self.database)

    async def _entitled(self) -> str | None:
        return await self.passwords.mark(self.username) if self.username is not None else None

    async def handle_query(self, sql: str, attrs: dict[str, str]) -> ResultSet:
        """One statement. Who may no longer ask learns it here."""
        if len(sql) <= LONGEST_PLAIN and PLAIN.fullmatch(sql):
            return ResultSet([], [])
        if not self._mark or await self._entitled() != self._mark:
            raise MysqlError("Access denied: this token was revoked.", DENIED)
        began = monotonic()
        session = {
            "database": self.database or "",
            "user": self.username,
            "number": self._number,
            "variables": self._set,
            "notes": self._notes,
        }
        self._notes = []  # SHOW WARNINGS is about the last statement
        reply = await self.pool.ask("statement", {"sql": sql, "session": session}, self.username or "")
        told = json.loads(reply.body)
        seconds = round(monotonic() - began, 3)
        note("asked", analyst=self.username, format="mysql", status=reply.status, seconds=seconds)  # who, not what
        if reply.status != 200:
            hint = f" Hint: {told['hint']}" if "hint" in told else ""
            raise MysqlError(f"{told['message']}{hint}", CODES.get(told["error"], FAILED))
        if "refused" in told:
            raise MysqlError(told["message"], told["refused"])
        self._apply(told)
        columns = [ResultColumn(name, TYPES.get(kind, ColumnType.VAR_STRING)) for name, kind in told["columns"]]
        return ResultSet([_row(row, told["columns"]) for row in told["rows"]], columns)

    def _apply(self, told: dict[str, Any]) -> None:
        self._notes = told["notes"][:NOTES]
        self.database = told.get("use", self.database)
        for name, value in told.get("set", {}).items():
            if len(f"{name}{value}") > LONGEST_VARIABLE:
                raise MysqlError(f"Variables have at most {LONGEST_VARIABLE:,} characters.", FAILED)
            if name in self._set or len(self._set) < MOST_VARIABLES:
                self._set[name] = value

    async def use(self, database: str) -> None:
        """The database of the handshake, or of a later command."""
        found = next((each for each in self.databases if each.lower() == database.lower()), None)
        if found is None:
            raise MysqlError(f"Unknown database '{database}'; there is '{self.databases[0]}'.", UNKNOWN_DATABASE)
        self.database = found

    async def reset(self) -> None:
        """Never asked for: `BoundedConnection` lets nobody become somebody else."""

    async def close(self) -> None:
        """The tool has gone."""


def _row(row: list[Any], columns: list[tuple[str, str]]) -> list[Any]:
    return [_value(value, kind) for value, (_, kind) in zip(row, columns, strict=True)]


def _value(value: Any, kind: str) -> Any:
    """JSON has no dates; the protocol does."""
    if value is None or kind not in ("DATE", "TIMESTAMP"):
        return value
    return datetime.date.fromisoformat(value) if kind == "DATE" else datetime.datetime.fromisoformat(value)
