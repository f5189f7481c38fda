"""Mixing: the relay, which keeps sealed bundles and hands over one batch an epoch, and the collector's door for batches."""
