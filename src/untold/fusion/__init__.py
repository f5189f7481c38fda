"""Fusion of reports that several services hold about the same people; see untold.fuse."""
