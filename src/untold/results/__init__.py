"""The outcome of a query: a table, what its columns mean, and how it is written as text, HTML or CSV."""

from untold.results.optional import MissingLibrary
from untold.results.result import OutputColumn, Result, table_names

__all__ = ["MissingLibrary", "OutputColumn", "Result", "table_names"]
