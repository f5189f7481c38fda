"""Charts of answers, with their intervals. Needs `pip install "tacit[plots]"`; saves files without a network."""

from tacit.plots.choose import KINDS
from tacit.plots.draw import draw
from tacit.plots.page import Figure, page
from tacit.plots.save import save

__all__ = ["KINDS", "Figure", "draw", "page", "save"]
