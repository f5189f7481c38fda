"""Mechanisms that perturb one number. To add one, write a file like piecewise.py and name it in MECHANISMS."""

from untold.numeric.base import Numeric
from untold.numeric.hybrid import HM
from untold.numeric.laplace import Laplace
from untold.numeric.piecewise import PM
from untold.numeric.square_wave import SW
from untold.numeric.stochastic_rounding import SR

MECHANISMS: tuple[type[Numeric], ...] = (Laplace, SR, PM, HM, SW)
BY_NAME = {mechanism.name: mechanism for mechanism in MECHANISMS}

__all__ = ["BY_NAME", "HM", "MECHANISMS", "PM", "SR", "SW", "Laplace", "Numeric"]
