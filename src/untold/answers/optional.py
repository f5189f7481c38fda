"""Imports of libraries that untold can use but does not need, such as pandas and polars."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from untold.errors import UntoldError


class MissingLibrary(UntoldError, ImportError):
    """A library that is not installed is needed for what was asked."""


def library(name: str, extra: str, purpose: str) -> Any:
    """Import a library, or say which `pip install` brings it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingLibrary(
            f'{purpose} needs {name}, which cannot be imported ({error}).\nHint: pip install "untold[{extra}]"'
        ) from error
