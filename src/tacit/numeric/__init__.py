"""Numeric mechanisms:

one number in, one integer out. To add one, write a file like piecewise.py and name it in MECHANISMS.
"""

from tacit.numeric.base import Numeric
from tacit.numeric.hybrid import HM
from tacit.numeric.laplace import Laplace
from tacit.numeric.piecewise import PM
from tacit.numeric.square_wave import SW
from tacit.numeric.stochastic_rounding import SR

MECHANISMS: tuple[type[Numeric], ...] = (Laplace, SR, PM, HM, SW)
BY_NAME = {mechanism.name: mechanism for mechanism in MECHANISMS}

__all__ = ["BY_NAME", "HM", "MECHANISMS", "PM", "SR", "SW", "Laplace", "Numeric"]
