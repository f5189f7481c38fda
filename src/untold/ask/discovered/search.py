"""The search: prefixes that are supported too often to be chance, twelve bits longer at each step; then a test by other people.

    step   keep a cell if its support exceeds threshold(FALSE_KEPT / cells), at most MOST_OPEN of them; add those whose code has
           ended to the candidates, and all continuations of the others to the next view's cells
    test   S, the support of a candidate by all views that had no part in making it, m their reports. Nobody holds it: S is
           Binomial(m, q). Kept if that reaches S with a chance below FALSE_STRINGS / candidates, so that on average at most
           FALSE_STRINGS texts are listed that nobody holds; and if no view lies far below the others, as where hashes collide

No view is used both to make a candidate and to test it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from untold.ask.discovered.found import Candidate, CountedTexts, FoundText, Search
from untold.ask.discovered.reach import reach_of
from untold.ask.discovered.tails import tail, threshold
from untold.plan.designs.texts import STEP, TextView
from untold.plan.schema.text import prefix_cell

FALSE_STRINGS = 0.1  # texts on a list that nobody holds, on average
FALSE_KEPT = 128.0  # cells that chance keeps at each step
MOST_OPEN = 600  # prefixes that are continued
FAR_BELOW = 4.0  # standard errors
AT_ONCE = 1 << 22  # prefixes that are hashed together

Words = npt.NDArray[np.uint64]


def search(counted: CountedTexts, top: int = 64, candidates: Sequence[str] = ()) -> Search:
    """At most `top` texts, by the share that the test gives; `candidates` are looked up beside."""
    found, unfinished = grown(counted)
    every = {each.text: each for each in looked_up(counted, candidates)}
    every |= {each.text: each for each in found}
    passed = tested(counted, list(every.values()))
    chosen = sorted(passed, key=lambda each: (-each[1], each[0].text))[:top]
    texts = tuple(_counted(counted, each.text, share, error) for each, share, error in chosen)
    counting = counted.counting
    return Search(
        texts,
        round(counted.reports),
        sum(map(counted.people, counted.views)),
        0 if counting is None else counted.people(counting),
        len(every),
        unfinished,
        reach_of(counted.design, counted.text, counted.reports),
    )


def grown(counted: CountedTexts) -> tuple[list[Candidate], tuple[str, ...]]:
    """Candidates by their prefixes, and beginnings that are surely somebody's though no view sees their end."""
    found: list[Candidate] = []
    views = counted.prefixes
    prefixes = [0]
    kept: list[tuple[int, float]] = []
    for place, view in enumerate(views):
        before = views[place - 1].column.bits if place else 0
        grow = view.column.bits - before
        supports = _supports(counted, view, prefixes, grow)
        n, (_, q) = counted.people(view), view.view.oracle.floats
        least = threshold(min(FALSE_KEPT / len(supports), 0.5), n, q)
        chosen = np.flatnonzero(supports >= least)
        chosen = chosen[np.argsort(-supports[chosen], kind="stable")]
        kept = []
        for number in chosen.tolist():
            prefix = prefixes[number >> grow] << grow | number & (1 << grow) - 1
            parsed = counted.letters.parse(prefix, view.column.bits)
            if parsed is None or (parsed.ended and parsed.rest):
                continue
            if parsed.ended:
                text = _text(counted, parsed.text)
                if text is not None:
                    found.append(Candidate(text, place + 1))
            else:
                kept.append((prefix, float(supports[number])))
        kept = kept[:MOST_OPEN]
        prefixes = [prefix for prefix, _ in kept]
        if not prefixes:
            return found, ()
    last = views[-1]
    n, (_, q) = counted.people(last), last.view.oracle.floats
    sure = threshold(FALSE_STRINGS / max(len(prefixes), MOST_OPEN) / (1 << STEP), n, q)
    ended = {last.column.cell.of(each.text.encode(), counted.letters) for each in found}  # whose hashes others meet
    bits, cells, key = last.column.bits, last.column.cells, last.column.key
    open_ = [
        counted.letters.parse(prefix, bits)
        for prefix, support in kept
        if support >= sure and prefix_cell(prefix, bits, cells, key) not in ended
    ]
    return found, tuple(dict.fromkeys(each.text.decode(errors="ignore") for each in open_ if each is not None))


def _supports(counted: CountedTexts, view: TextView, prefixes: list[int], grow: int) -> npt.NDArray[np.float64]:
    """Of all continuations of some prefixes, by `grow` bits each."""
    from untold.kernels.texts import cells_of_prefixes

    column, supports = view.column, counted.supports(view)
    if 1 << column.bits <= column.cells:
        cells = (np.array(prefixes, dtype=np.int64)[:, None] << grow) + np.arange(1 << grow)
        return np.asarray(supports[cells.ravel()])
    key = int.from_bytes(column.key[:8], "little"), int.from_bytes(column.key[8:], "little")
    many, out = max(1, AT_ONCE >> grow), []
    for first in range(0, len(prefixes), many):
        words = _continued(prefixes[first : first + many], column.bits, grow)
        out.append(supports[cells_of_prefixes(words, column.cells, key, column.bits)])
    return np.concatenate(out)


def _continued(prefixes: list[int], bits: int, grow: int) -> Words:
    """Prefixes with all endings of `grow` bits, the first bit the highest of the first word: (prefixes x endings, words)."""
    words, endings = -(-bits // 64), np.arange(1 << grow, dtype=np.uint64)
    empty = 64 * words - bits  # below the last bit
    out = np.zeros((len(prefixes), len(endings), words), dtype=np.uint64)
    for i, prefix in enumerate(prefixes):
        whole = prefix << grow + empty
        for w in range(words):
            shift = 64 * (words - 1 - w)
            own = np.uint64(whole >> shift & 0xFFFFFFFFFFFFFFFF)
            low = empty - shift  # where the last bit of an ending is in this word
            if low >= 64 or low + grow <= 0:
                out[i, :, w] = own
            elif low >= 0:
                out[i, :, w] = own | endings << np.uint64(low)
            else:
                out[i, :, w] = own | endings >> np.uint64(-low)
    return out.reshape(-1, words)


def _text(counted: CountedTexts, data: bytes) -> str | None:
    """A text that some device may hold: in its one form, and not the empty one."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return text if text and counted.text.normal(text) == text else None


def looked_up(counted: CountedTexts, candidates: Sequence[str]) -> list[Candidate]:
    """Those of a list that the first whole view supports more often than chance does."""
    every = list(dict.fromkeys(form for each in candidates if (form := counted.text.normal(each))))
    if not every:
        return []
    first = counted.whole[0]
    n, (_, q) = counted.people(first), first.view.oracle.floats
    supports = counted.supports(first)[cells_of_all(counted, first, every)]
    least = threshold(min(FALSE_KEPT / len(every), 0.5), n, q)
    ends = [view.column.bits for view in counted.prefixes]
    found = []
    for text in (text for text, support in zip(every, supports, strict=True) if support >= least):
        size = counted.letters.bits(text.encode())[1]
        # prefix views that see the whole code hold nobody else than those who hold the text
        found.append(Candidate(text, next((i for i, bits in enumerate(ends) if bits >= size), len(ends)), 1))
    return found


def cells_of_all(counted: CountedTexts, view: TextView, texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """The cells of texts in a view."""
    of, letters = view.column.cell.of, counted.letters
    return np.array([of(text.encode(), letters) for text in texts], dtype=np.int64)


def tested(counted: CountedTexts, candidates: Sequence[Candidate]) -> list[tuple[Candidate, float, float]]:
    """The candidates that chance does not explain, with their shares and errors by those who tested them."""
    found = []
    for each in candidates:
        views = (*counted.prefixes[each.after :], *counted.whole[each.listed :])
        share, error, chance = _pooled(counted, views, each.text)
        if chance < FALSE_STRINGS / len(candidates) and not _apart(counted, views, each.text, share):
            found.append((each, share, error))
    return found


def _pooled(counted: CountedTexts, views: Sequence[TextView], text: str) -> tuple[float, float, float]:
    """Share and error by some views together, and how often chance supports as much."""
    oracle, m = views[0].view.oracle, sum(map(counted.people, views))
    support = sum(counted.support(view, text) for view in views)
    if not m:
        return 0.0, 0.0, 1.0
    share, error = _share(support, m, *oracle.floats, oracle.domain_size)
    return share, error, tail(support, m, oracle.floats[1])


def _share(support: float, m: int, p: float, q: float, cells: int) -> tuple[float, float]:
    """A share of people and its standard error; strangers in the hashed cell are taken off."""
    by = 1 - 1 / cells
    share = ((support / m - q) / (p - q) - 1 / cells) / by
    rate = min(max(q + share * (p - q), q), 1.0)
    return share, sqrt(rate * (1 - rate) / m) / (p - q) / by


def _apart(counted: CountedTexts, views: Sequence[TextView], text: str, share: float) -> bool:
    """Whether one view lies far below what all say together."""
    p, q = views[0].view.oracle.floats
    rate = q + share * (p - q)
    return any(
        counted.support(view, text) < n * rate - FAR_BELOW * sqrt(n * rate * (1 - rate))
        for view in views
        if (n := counted.people(view))
    )


def _counted(counted: CountedTexts, text: str, share: float, error: float) -> FoundText:
    """By those who took no part in the search, if there are any."""
    view = counted.counting
    if view is None or not counted.people(view):
        return FoundText(text, share, error, share)
    own = _share(
        counted.support(view, text), counted.people(view), *view.view.oracle.floats, view.view.oracle.domain_size
    )
    return FoundText(text, *own, share)
