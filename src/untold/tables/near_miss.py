"""Suggestions for a word that is not among those allowed: the one that it looks most like."""

from __future__ import annotations

from collections.abc import Iterable


def closest(word: object, allowed: Iterable[str], alike: float = 0.6) -> str | None:
    """The allowed word that looks most like this one; None if none does. Upper and lower case count as near.

    >>> closest("STATE", ["age", "state"]), closest("xyz", ["age", "state"])
    ('state', None)
    """
    from difflib import get_close_matches  # loaded for those who mistype

    lowered = {name.lower(): name for name in allowed}
    found = get_close_matches(str(word).lower(), lowered, n=1, cutoff=alike)
    return lowered[found[0]] if found else None


def did_you_mean(word: object, allowed: Iterable[str]) -> str:
    """A question that ends with a blank, or nothing.

    >>> did_you_mean("ordnal", ["ordinal", "public"])
    "Did you mean 'ordinal'? "
    """
    found = closest(word, allowed)
    return "" if found is None else f"Did you mean '{found}'? "
