"""Answers: tables with estimates and their errors; as text, HTML, CSV, data frames, plots. Knows no plans, reports or engines."""

from untold.answers.answer import Answer
from untold.answers.estimate import Estimate, Interval
from untold.answers.optional import MissingLibrary
from untold.answers.result import OutputColumn, Result, table_names

__all__ = ["Answer", "Estimate", "Interval", "MissingLibrary", "OutputColumn", "Result", "table_names"]
