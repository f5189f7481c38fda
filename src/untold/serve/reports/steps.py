"""Names of the steps that a report goes through. Tests replace `reached` to end the process at any of them."""

from __future__ import annotations

STEPS = (
    "claimed",  # known to be new, nothing written
    "written",  # in the log, perhaps not on the disk
    "synced",  # on the disk, not acknowledged
    "rolled",  # the next log has begun
    "segment finished",  # a Parquet file, not listed
    "segment listed",  # the manifest counts it
    "run written",  # its fingerprints are in a file
    "log removed",
    "runs merged",  # the merged run is written, its parts are still there
    "merge finished",  # segments of a closed epoch are in one, not listed
    "merge listed",  # the manifest counts it instead of them
    "epoch changed",  # the settings say so, its reports may still be in the log
)
DRAIN_STEPS = (  # of many collectors over a database; "segment finished" and "segment listed" come in between
    "drain numbered",  # its batches carry the number
    "drain listed",  # all of its segments are listed, its batches are still there
    "drain finished",
)

VERSION_STEPS = (  # when a collector starts with another version of the plan
    "version ended",  # all reports of the last one are in segments, its epochs are closed
    "version listed",  # the manifest names the new one, its epoch is not open
)

FORGET_STEPS = (  # when people leave
    "people left out",  # segments without their reports are written, not listed
    "people unlisted",  # the manifest counts these, the old files are still there
)

LEAVE_STEPS = ("batches destroyed",)  # at a relay: those that were never sent; the bundles are still there

MIX_STEPS = (
    "mixed",  # a relay has drawn the order of a batch, nothing written
    "batch written",  # it is the batch of its epoch, whatever happens
    "handed over",  # the collector has said so, the relay has not noted it
    "batch arrived",  # on the collector's disk, not taken
    "batch taken",  # and not yet reports
)


def reached(step: str) -> None:
    """Called at every step."""
