"""Reports on disk: the frozen plan, a manifest and immutable Parquet segments."""

from untold.store.folder import Folder
from untold.store.lock import FolderLock
from untold.store.manifest import Manifest, Segment
from untold.store.part import PartWriter
from untold.store.segment import SegmentWriter
from untold.store.writer import FolderWriter

__all__ = ["Folder", "FolderLock", "FolderWriter", "Manifest", "PartWriter", "Segment", "SegmentWriter"]
