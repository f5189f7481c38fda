"""Slips of the pen: what is missing, and what to write."""
