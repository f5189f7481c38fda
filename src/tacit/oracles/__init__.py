"""Frequency oracles: one cell in, one message out. To add one, write a file like grr.py and name it in ORACLES."""

from tacit.oracles.agr import AGR
from tacit.oracles.base import FiniteOracle, Message, Messages, Oracle
from tacit.oracles.grr import GRR
from tacit.oracles.hadamard import Hadamard
from tacit.oracles.olh import OLH
from tacit.oracles.oue import OUE
from tacit.oracles.subset import SubsetSelection
from tacit.oracles.sue import SUE

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
