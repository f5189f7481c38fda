"""Answers: what users hold in their hands, with estimates and their errors. Knows no plans, reports or engines."""

from untold.answers.answer import Answer
from untold.answers.estimate import Estimate, Interval

__all__ = ["Answer", "Estimate", "Interval"]
