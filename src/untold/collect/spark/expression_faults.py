"""What can go wrong while an engine computes a public expression, in words that are the same for every engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExpressionFault:
    """What it means, and what to do. `{engine}` stands for the engine's name."""

    meaning: str
    hint: str

    def said_by(self, engine: str, words: str) -> str:
        """The whole message, with the engine's own words inside.

        >>> print(DIVISION_BY_ZERO.said_by("DuckDB", "Division by zero!"))
        DuckDB: a public expression divides by 0.
          Division by zero!
        Hint: use NULLIF(x, 0).
        """
        return f"{engine}: {self.meaning.format(engine=engine)}.\n  {words}\nHint: {self.hint}."


CANCELLED = "stopped before it was answered, by con.cancel() or Ctrl-C.\nHint: ask again."
DIVISION_BY_ZERO = ExpressionFault("a public expression divides by 0", "use NULLIF(x, 0)")
OVERFLOW = ExpressionFault("a public expression overflows its type", "CAST to DOUBLE")
BAD_CAST = ExpressionFault("a public value cannot be cast", "use TRY_CAST")
MIXED_TYPES = ExpressionFault("a public expression mixes types that {engine} keeps apart", "use CAST")
