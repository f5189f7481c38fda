"""Charts of answers, with their intervals. Needs `pip install "untold[plots]"`; saves files without a network."""

from untold.plots.choose import KINDS
from untold.plots.draw import draw
from untold.plots.page import Figure, page
from untold.plots.save import save

__all__ = ["KINDS", "Figure", "draw", "page", "save"]
