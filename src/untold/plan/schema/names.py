"""Names in a plan file: those to choose from, those that are reserved, and limits on sizes."""

from __future__ import annotations

import re

from untold.oracles import AUTO, extra_columns

DEFAULT_DESIGN = "tuned"
DESIGN_NAMES = (
    *(DEFAULT_DESIGN, "mg", "hi", "hio", "sc"),
    *("hio-pub", "sr-hio", "ahio", "ehio", "amg", "sc-join", "hio-join"),
    *("calm", "am", "ft", "em"),
)
OWN_DESIGNS: list[str] = []  # names that were registered in this process
MARGINAL_DESIGNS = ("calm", "am", "ft")  # made for k-way marginals of some number of users
CHOSEN_VIEWS = "calm"  # the one whose views are chosen by a rule
PUBLISHED = "published"
VIEW_RULES = (PUBLISHED, "auto")  # by the paper's Algorithm 1, or by the noise of pairs
DEFAULT_THETA = 0.001  # the target error of Algorithm 1 in the paper's experiments

DEFAULT_ORACLE = AUTO

DEFAULT_MAX_ACTIVE = 3  # or less, where all sets of so many attributes would have more than MAX_CELLS cells
MAX_CELLS = 2**22
MAX_DOMAIN = 2**20  # coded values of one attribute
MAX_INTEGER = 2**53  # beyond, a client in JavaScript would see another number
MAX_EPSILON = 30
MAX_LIFETIME = 10**6
MAX_ROWS = 2**31 - 1
MAX_SLOTS = 2**15 - 1  # reports of one person in one service and epoch
FANOUTS = (2, 64)
MAX_NAME = 63


def reserved() -> tuple[str, ...]:
    """Columns of stored reports, which no attribute may be called.

    >>> reserved()
    ('epoch', 'slot', 'message', 'seed_a', 'seed_b', 'bits', 'view')
    """
    return ("epoch", "slot", "message", *extra_columns(), "view")


_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_identifier(name: object) -> bool:
    """Whether a name can be written in SQL without quotes, in any engine.

    >>> is_identifier("os_version"), is_identifier("first name"), is_identifier("2nd")
    (True, False, False)
    """
    return isinstance(name, str) and len(name) <= MAX_NAME and _IDENTIFIER.fullmatch(name) is not None
