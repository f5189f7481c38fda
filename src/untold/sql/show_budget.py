"""SHOW BUDGET: the one statement beside SELECT."""

from __future__ import annotations

import re

SHOW_BUDGET = re.compile(r"SHOW\s+BUDGET\s*;?", re.IGNORECASE)


def is_show_budget(sql: str) -> bool:
    """Whether a statement is SHOW BUDGET.

    >>> is_show_budget(" show budget;"), is_show_budget("SHOW BUDGETS")
    (True, False)
    """
    return SHOW_BUDGET.fullmatch(sql.strip()) is not None
