"""Frequency oracles: one cell in, one message out. To add one, write a file like grr.py and name it in ORACLES."""

from tacit.oracles.agr import AGR
from tacit.oracles.base import FiniteOracle, Message, Messages, Oracle
from tacit.oracles.grr import GRR

ORACLES: tuple[type[Oracle], ...] = (GRR, AGR)
BY_NAME = {oracle.name: oracle for oracle in ORACLES}

__all__ = ["AGR", "BY_NAME", "GRR", "ORACLES", "FiniteOracle", "Message", "Messages", "Oracle"]
