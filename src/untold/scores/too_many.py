"""The refusal of a query that touches more attributes together than any report speaks of, with their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from untold.errors import UnsupportedQuery


class TooManyTogether(UnsupportedQuery):
    """`places` are the columns of a design's space that are touched; `most` is what its reports speak of at a time."""

    def __init__(self, design: str, places: Sequence[int], most: int, instead: str, names: Sequence[str] = ()) -> None:
        self.design, self.places, self.most, self.instead = design, tuple(places), most, instead
        them = f" ({', '.join(names)})" if names else ""
        super().__init__(
            f"The query touches {len(self.places)} sensitive attributes of one service together{them}, but its reports "
            f"(design '{design}') speak of at most {most} at a time.\n"
            f"Hint: ask about fewer attributes at once, or {instead}."
        )


@contextmanager
def naming(names: Sequence[str]) -> Iterator[None]:
    """Within it, such a refusal says the names of these columns: a design only knows their places."""
    try:
        yield
    except TooManyTogether as far:
        touched = [names[place] for place in far.places]
        raise TooManyTogether(far.design, far.places, far.most, far.instead, touched) from None
