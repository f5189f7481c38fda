"""The closed form that others print, to put beside ours."""

from __future__ import annotations

from math import exp, inf, log, sqrt, tanh


def fmt21_closed_form(local: float, people: int, delta: float) -> float:
    """Feldman, McMillan and Talwar (FOCS 2021, Theorem 3.1); inf where the theorem says nothing.

        eps <= log(1 + (p - 1)/(p + 1) (8 sqrt(p log(4/delta)/n) + 8 p/n))      for local <= log(n/(16 log(2/delta)))

    >>> round(fmt21_closed_form(1.0, 10_000, 1e-8), 3)
    0.241
    """
    if local > log(people / (16 * log(2 / delta))):
        return inf
    p = exp(local)
    return log(1 + tanh(local / 2) * (8 * sqrt(p * log(4 / delta) / people) + 8 * p / people))
