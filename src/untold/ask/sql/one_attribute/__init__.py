"""Expressions over one sensitive attribute: their value for each of its codes."""
