"""Frequency oracles: one cell in, one message out. To add one, write a file like grr.py and name it in ORACLES."""

from untold.oracles.agr import AGR
from untold.oracles.base import FiniteOracle, Message, Messages, Oracle
from untold.oracles.grr import GRR
from untold.oracles.hadamard import Hadamard
from untold.oracles.olh import OLH
from untold.oracles.oue import OUE
from untold.oracles.subset import SubsetSelection
from untold.oracles.sue import SUE

ORACLES: tuple[type[Oracle], ...] = (GRR, AGR, OLH, OUE, SUE, SubsetSelection, Hadamard)
BY_NAME = {oracle.name: oracle for oracle in ORACLES}

__all__ = [
    "AGR",
    "BY_NAME",
    "GRR",
    "OLH",
    "ORACLES",
    "OUE",
    "SUE",
    "FiniteOracle",
    "Hadamard",
    "Message",
    "Messages",
    "Oracle",
    "SubsetSelection",
]
