"""Unbiased marginals of a service by SQL: what the likelihood of design "em" starts from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from untold.marginals.releases import Attributes, Unbiased

if TYPE_CHECKING:
    from untold.ask.connection.connection import Connection


def shares_by_sql(con: Connection, name: str) -> Callable[[Attributes], Unbiased]:
    """A function from attributes by number to the shares of all their combinations, with errors."""
    service = con.plan.service(name)

    def ask(attributes: Attributes) -> Unbiased:
        own = [service.sensitive[a] for a in attributes]
        names = ", ".join(f'"{attribute.name}"' for attribute in own)
        found = con.sql(f'SELECT {names}, COUNT(*) AS people FROM "{name}" GROUP BY {names}')
        columns = found.arrow().to_pydict()
        places = tuple(
            np.array([attribute.missing_code if value is None else attribute.code_of(value) for value in columns[key]])
            for attribute, key in zip(own, columns, strict=False)
        )
        shape = [attribute.size for attribute in own]
        table, errors = np.full(shape, np.nan), np.zeros(shape)
        table[places], errors[places] = columns["people"], columns["people_se"]
        return Unbiased(table / np.nansum(table), errors / np.nansum(table))

    return ask
