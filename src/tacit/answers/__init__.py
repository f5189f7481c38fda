"""Answers: estimates with their errors, as tables that every tool can read. Knows no plans, reports or engines."""

from tacit.answers.answer import Answer
from tacit.answers.estimate import Estimate, Interval
from tacit.answers.optional import MissingLibrary
from tacit.answers.result import OutputColumn, Result, table_names

__all__ = ["Answer", "Estimate", "Interval", "MissingLibrary", "OutputColumn", "Result", "table_names"]
