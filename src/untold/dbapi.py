"""DB-API 2.0 (PEP 249), so that pandas.read_sql, SQLAlchemy and their like can ask: the door to `untold.ask.dbapi`."""

from untold.ask.dbapi import *  # noqa: F403
