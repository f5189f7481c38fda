"""A folder of reports, to ask: SQL in, answers with error bars out."""

from untold.connection.connection import Connection, connect

__all__ = ["Connection", "connect"]
