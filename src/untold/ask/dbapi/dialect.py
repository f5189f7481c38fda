"""SQLAlchemy: `create_engine("untold:///reports")` for a folder `reports`, `untold:////data/reports` for /data/reports.

    engine = sqlalchemy.create_engine("untold:///reports")
    pandas.read_sql("SELECT state, COUNT(*) AS n FROM users GROUP BY state", engine)

`untold:///reports?errors=false` leaves out x_se, x_low and x_high, `plausible=true` adds x_best and x_typical.
Options such as `engine=spark` go to `untold.connect`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import types
from sqlalchemy.engine import default, reflection

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.engine import URL
    from sqlalchemy.engine.interfaces import ReflectedColumn, ReflectedPrimaryKeyConstraint, ReflectedTableComment

TYPES = {
    "BIGINT": types.BigInteger,
    "DOUBLE": types.Double,
    "VARCHAR": types.String,
    "BOOLEAN": types.Boolean,
    "DATE": types.Date,
    "TIMESTAMP": types.DateTime,
}
NUMBERS = ("threads", "megabytes")


class UntoldDialect(default.DefaultDialect):
    """Reads; there is nothing to write, no transaction and no key that a table declares."""

    name = "untold"
    driver = "untold"
    default_paramstyle = "qmark"
    supports_statement_cache = True
    supports_native_boolean = True
    supports_alter = False
    supports_multivalues_insert = False
    supports_sane_rowcount = False
    postfetch_lastrowid = False
    div_is_floordiv = False

    @classmethod
    def import_dbapi(cls) -> Any:
        """The module of PEP 249."""
        from untold.ask import dbapi

        return dbapi

    def create_connect_args(self, url: URL) -> tuple[list[str], dict[str, Any]]:
        """The folder, and what `connect` of this module takes."""
        options: dict[str, Any] = {str(k): v for k, v in url.query.items()}
        for name in NUMBERS:
            if name in options:
                options[name] = int(options[name])
        for name in {"errors", "plausible"} & options.keys():
            options[name] = str(options[name]).lower() not in ("false", "0", "no", "off")
        return [url.database or "."], options

    def do_ping(self, dbapi_connection: Any) -> bool:
        """Whether it is open."""
        return not dbapi_connection.closed

    def initialize(self, connection: Connection) -> None:
        """Nothing is asked: there is no server."""

    def get_schema_names(self, connection: Connection, **_: Any) -> list[str]:
        """One, that of all tables."""
        return ["main"]

    @reflection.cache  # type: ignore[untyped-decorator, unused-ignore]
    def get_table_names(self, connection: Connection, schema: str | None = None, **_: Any) -> list[str]:
        """The services."""
        return list(_tables(connection))

    def has_table(self, connection: Connection, table_name: str, schema: str | None = None, **_: Any) -> bool:
        """Whether there is such a service."""
        return table_name in _tables(connection)

    @reflection.cache  # type: ignore[untyped-decorator, unused-ignore]
    def get_columns(
        self, connection: Connection, table_name: str, schema: str | None = None, **_: Any
    ) -> list[ReflectedColumn]:
        """Names and types, with what each holds as a comment."""
        from sqlalchemy.exc import NoSuchTableError

        if table_name not in _tables(connection):
            raise NoSuchTableError(table_name)
        return [
            {
                "name": c.name,
                "type": TYPES.get(c.type, types.String)(),
                "nullable": True,
                "default": None,
                "comment": c.about,
            }
            for c in _tables(connection)[table_name].columns
        ]

    def get_table_comment(
        self, connection: Connection, table_name: str, schema: str | None = None, **_: Any
    ) -> ReflectedTableComment:
        """How many rows a person has."""
        return {"text": _tables(connection)[table_name].about}

    def get_pk_constraint(
        self, connection: Connection, table_name: str, schema: str | None = None, **_: Any
    ) -> ReflectedPrimaryKeyConstraint:
        """None: nobody can look up one person."""
        return {"constrained_columns": [], "name": None}

    def _nothing(self, connection: Connection, *_: Any, **__: Any) -> list[Any]:
        return []

    get_foreign_keys = get_indexes = get_unique_constraints = get_check_constraints = get_view_names = _nothing


def _tables(connection: Connection) -> Any:
    return connection.connection.dbapi_connection.tables  # type: ignore[union-attr]
