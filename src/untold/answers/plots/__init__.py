"""Charts of answers, with their intervals. Needs `pip install "untold[plots]"`; saves files without a network."""

from untold.answers.plots.choose import KINDS
from untold.answers.plots.draw import draw
from untold.answers.plots.page import Figure, page
from untold.answers.plots.save import save

__all__ = ["KINDS", "Figure", "draw", "page", "save"]
