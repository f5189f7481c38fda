"""What has to do with Spark itself: sessions, their failures in untold's words, and how far their work has come."""

from untold.spark.failures import translated
from untold.spark.progress import Stages
from untold.spark.session import close_session, is_connect, open_session

__all__ = ["Stages", "close_session", "is_connect", "open_session", "translated"]
