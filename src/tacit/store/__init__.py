"""Reports on disk: the frozen plan, a manifest and immutable Parquet segments."""

from tacit.store.folder import Folder
from tacit.store.lock import FolderLock
from tacit.store.manifest import Manifest, Segment
from tacit.store.part import PartWriter
from tacit.store.segment import SegmentWriter
from tacit.store.writer import FolderWriter

__all__ = ["Folder", "FolderLock", "FolderWriter", "Manifest", "PartWriter", "Segment", "SegmentWriter"]
