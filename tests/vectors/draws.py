"""The five draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from untold.exact import tilt
from untold.randomness import WORD, Randomness
from vectors.recorded import Recorded

BOUNDS = (1, 2, 3, 7, 1000, 2**16, 2**20 + 7, 2**31 - 1)
WEIGHTS = (0, 1, 2**11, 2**32, 2**63 - 1, 2**63, WORD - 1)
CUMULATIVE = ((WORD,), (WORD // 3, WORD), (0, 5, 5, 2**48, WORD - 1, WORD, WORD))
DICE = tuple(
    (*tilt(nano, sides, (WORD - 1) // copies), sides, copies)
    for nano in (10**8, 10**9, 8 * 10**9)
    for sides, copies in ((1, 1), (2, 1), (3, 40), (5, 31), (257, 1), (2**16, 1), (2, 2**21 - 1))
)
REPEATS = 6


def draw_vectors() -> list[dict[str, Any]]:
    """Arguments, words, result."""
    cases: list[tuple[str, list[str], Callable[[Randomness], int]]] = [
        *(("below", [str(n)], lambda rng, n=n: rng.below(n)) for n in BOUNDS),
        *(("chance", [str(w)], lambda rng, w=w: int(rng.chance(w))) for w in WEIGHTS),
        *(("choose", [str(c) for c in each], lambda rng, each=each: rng.choose(each)) for each in CUMULATIVE),
        *(("tilted", [str(n) for n in each], lambda rng, each=each: rng.tilted(*each)) for each in DICE),
    ]
    found = []
    for number, (draw, arguments, function) in enumerate(cases):
        for repeat in range(REPEATS):
            rng = Recorded(1000 * number + repeat)
            result = function(rng)
            found.append({"draw": draw, "arguments": arguments, "words": rng.texts(), "result": str(result)})
    return found
