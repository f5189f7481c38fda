"""Spark itself: sessions, explanations of its failures, and progress."""

from untold.spark.failures import translated
from untold.spark.progress import Stages
from untold.spark.session import close_session, is_connect, open_session

__all__ = ["Stages", "close_session", "is_connect", "open_session", "translated"]
