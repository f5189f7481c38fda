"""The errors of DB-API 2.0 (PEP 249). They are untold's own as well: `except UnsupportedQuery` catches a refusal."""

from __future__ import annotations

from untold.errors import BadRecord, PlanError, StoreError, UnsupportedQuery, UntoldError


class Warning(Exception):
    """Something to know; the notes of an answer appear as such in `Cursor.messages`."""


class Error(UntoldError):
    """Base of the errors below."""


class InterfaceError(Error):
    """The connection or cursor was used wrongly."""


class DatabaseError(Error):
    """The query could not be answered."""


class DataError(DatabaseError):
    """A value that the plan does not allow."""


class OperationalError(DatabaseError):
    """Reports that cannot be read."""


class IntegrityError(DatabaseError):
    """Named by PEP 249; nothing raises it."""


class InternalError(DatabaseError):
    """Named by PEP 249; nothing raises it."""


class ProgrammingError(DatabaseError):
    """SQL that is wrong or has no unbiased answer."""


class NotSupportedError(DatabaseError):
    """Something that PEP 249 knows and untold has not."""


class RefusedQuery(ProgrammingError, UnsupportedQuery):
    """SQL that cannot be answered from these reports."""


class UnreadableStore(OperationalError, StoreError):
    """A folder of reports that cannot be read."""


ERRORS: tuple[tuple[type[UntoldError], type[Error]], ...] = (  # the first that fits
    (UnsupportedQuery, RefusedQuery),
    (StoreError, UnreadableStore),
    (PlanError, DataError),
    (BadRecord, DataError),
    (UntoldError, DatabaseError),
)


def as_dbapi(error: UntoldError) -> Error:
    """The same error under its PEP 249 name."""
    found = next(theirs for ours, theirs in ERRORS if isinstance(error, ours))(str(error))
    if isinstance(error, UnsupportedQuery) and isinstance(found, UnsupportedQuery):
        found.span, found.code = error.span, error.code
    return found
