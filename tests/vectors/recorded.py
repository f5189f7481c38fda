"""A source of words that remembers what it gave."""

from __future__ import annotations

from untold.randomness import WORD, Randomness, Seeded

EDGES = (0, 1, WORD // 2, WORD - 2, WORD - 1)  # the last ones are drawn again wherever a range is not filled


class Recorded(Randomness):
    """Repeatable words, every eighth at an edge of the range."""

    def __init__(self, seed: int) -> None:
        self._source = Seeded(seed)
        self.given: list[int] = []

    def word(self) -> int:
        word = self._source.word()
        if word % 8 == 0:
            word = EDGES[word // 8 % len(EDGES)]
        self.given.append(word)
        return word

    def texts(self) -> list[str]:
        """The words so far, as decimal strings."""
        return [str(word) for word in self.given]
