"""Settings of the DuckDB databases inside untold: they read what they are given, install nothing and draw nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

WALLED = (  # no network, no extension, no file but those that were allowed before
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
    "allow_community_extensions = false",
    "temp_directory = ''",
    "enable_external_access = false",
)
LOCKED = "lock_configuration = true"  # the last: nothing can be changed after it


def apply_settings(connection: Any, settings: Iterable[str]) -> None:
    """Set all of these, and no progress bar. DuckDB has one in notebooks, drawn by ipywidgets. Without that package it has none,
    and fails if it is told so: it is only told where it has one."""
    ((drawn,),) = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    for setting in (*(["enable_progress_bar = false"] if drawn else []), *settings):
        connection.execute(f"SET {setting}")
