"""`untold.connect`: opens a folder of reports. SQL goes in, answers with error bars come out."""

from untold.ask.connection.connection import Connection, connect

__all__ = ["Connection", "connect"]
