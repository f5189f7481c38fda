"""Worlds and trials of the coverage benchmark."""
