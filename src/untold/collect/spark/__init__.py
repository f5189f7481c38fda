"""Spark itself: sessions, explanations of its failures, progress, and who is in reports."""

from untold.collect.spark.failures import translated
from untold.collect.spark.jobs import cancel, described
from untold.collect.spark.people import known_key, spark_path, split_key
from untold.collect.spark.progress import Stages
from untold.collect.spark.session import close_session, is_connect, open_session

__all__ = [
    "Stages",
    "cancel",
    "close_session",
    "described",
    "is_connect",
    "known_key",
    "open_session",
    "spark_path",
    "split_key",
    "translated",
]
