"""Texts whose values nobody listed: one form for each, letters as bits, and cells of views. The twin of clients/js/src/text."""

from untold.plan.schema.text.cells import TextCell, key_of, prefix_cell, whole_cell
from untold.plan.schema.text.letters import LETTERS, Letters
from untold.plan.schema.text.normal import normal

__all__ = ["LETTERS", "Letters", "TextCell", "key_of", "normal", "prefix_cell", "whole_cell"]
