"""Accuracy and speed, against peers and the papers' published numbers. Run them with scripts/bench."""
