"""Frequency oracles: one cell in, one message out. To add one, write a file like grr.py and name it in ORACLES."""

from untold.oracles.agr import AGR
from untold.oracles.base import FiniteOracle, Message, Messages, Oracle
from untold.oracles.fourier import Fourier
from untold.oracles.grr import GRR
from untold.oracles.hadamard import Hadamard
from untold.oracles.olh import OLH
from untold.oracles.oue import OUE
from untold.oracles.subset import SubsetSelection
from untold.oracles.sue import SUE

ORACLES: tuple[type[Oracle], ...] = (GRR, AGR, OLH, OUE, SUE, SubsetSelection, Hadamard)
OF_DESIGNS: tuple[type[Oracle], ...] = (Fourier,)  # each belongs to one design, and no plan asks for it by name
_OWN: list[type[Oracle]] = []  # of this process, by `register_oracle`
AUTO = "auto"  # in a plan: the one with the least noise among those that are `automatic`


def register_oracle(oracle: type[Oracle]) -> None:
    """Make an oracle of one's own known to plans of this process."""
    _OWN.append(oracle)


def known_oracles() -> tuple[type[Oracle], ...]:
    """Those that ship, and those of one's own."""
    return (*ORACLES, *_OWN)


def oracle_names() -> tuple[str, ...]:
    """What a plan may ask for."""
    return (AUTO, *(oracle.name for oracle in known_oracles()))


def oracles_named(name: str) -> tuple[type[Oracle], ...]:
    """The oracle of a name, or all those that "auto" chooses from; none if nobody has this name."""
    return tuple(oracle for oracle in known_oracles() if (oracle.automatic if name == AUTO else oracle.name == name))


def frozen_oracle(name: str) -> type[Oracle] | None:
    """The oracle that a frozen plan names."""
    return next((oracle for oracle in (*known_oracles(), *OF_DESIGNS) if oracle.name == name), None)


def extra_columns() -> tuple[str, ...]:
    """The columns that messages of any oracle have beside their index."""
    return tuple(dict.fromkeys(name for oracle in known_oracles() for name in oracle.extra_columns))


__all__ = [
    "AGR",
    "AUTO",
    "GRR",
    "OLH",
    "ORACLES",
    "OUE",
    "SUE",
    "FiniteOracle",
    "Fourier",
    "Hadamard",
    "Message",
    "Messages",
    "Oracle",
    "SubsetSelection",
    "extra_columns",
    "frozen_oracle",
    "known_oracles",
    "oracle_names",
    "oracles_named",
    "register_oracle",
]
