"""Reports on disk: the frozen plan, a manifest and immutable Parquet segments. Devices load no Parquet."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from untold.store.folder import Folder
    from untold.store.lock import FolderLock
    from untold.store.manifest import Manifest, Segment
    from untold.store.part import PartWriter
    from untold.store.segment import SegmentWriter
    from untold.store.writer import FolderWriter

__all__ = ["Folder", "FolderLock", "FolderWriter", "Manifest", "PartWriter", "Segment", "SegmentWriter"]

_HOMES = {
    "Folder": "folder",
    "FolderLock": "lock",
    "FolderWriter": "writer",
    "Manifest": "manifest",
    "PartWriter": "part",
    "Segment": "manifest",
    "SegmentWriter": "segment",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
