"""What has to do with Spark itself: sessions, their failures in tacit's words, and how far their work has come."""

from tacit.spark.failures import translated
from tacit.spark.progress import Stages
from tacit.spark.session import close_session, is_connect, open_session

__all__ = ["Stages", "close_session", "is_connect", "open_session", "translated"]
