"""A scan of very many score columns in several passes, so that memory does not grow with the groups that are asked for.

Totals that formulas combine stay in one pass. All passes find the same groups of public keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from untold.ask.scores.scan import Moments, Piece, Scan, Shared, SharedProduct

FEW_COLUMNS = 8  # are never parted
MOST_SCORES_A_PASS = 1 << 26  # of reports and columns in one pass


@dataclass(frozen=True, eq=False)
class Pass:
    """A scan of some totals and pairs of another, by their numbers there."""

    scan: Scan
    totals: tuple[int, ...]
    pairs: tuple[int, ...]


def in_passes(scan: Scan, reports: int, run: Callable[[Scan], list[Moments]]) -> list[Moments]:
    """The moments of a scan of so many reports."""
    most = max(FEW_COLUMNS, MOST_SCORES_A_PASS // max(reports, 1))
    if len(scan.columns) <= most:
        return run(scan)
    return _together(scan, [(part, run(part.scan)) for part in passes(scan, most)])


def passes(scan: Scan, most: int) -> list[Pass]:
    """Parts with at most so many score columns, if totals that belong together have no more."""
    together = list(range(len(scan.totals)))  # the least number among totals that belong together
    for i, j in scan.pairs:
        low, high = sorted((together[i], together[j]))
        if low != high:
            together = [low if each == high else each for each in together]
    families: dict[int, list[int]] = {}
    for total, name in enumerate(together):
        families.setdefault(name, []).append(total)
    pairs: dict[int, list[int]] = {}
    for number, (i, _) in enumerate(scan.pairs):
        pairs.setdefault(together[i], []).append(number)
    out: list[tuple[list[int], list[int], set[int]]] = []
    for name, totals in families.items():
        own = pairs.get(name, [])
        used = _columns(piece for t in totals for piece in scan.totals[t]) | _shared_columns(scan, own)
        if not out or len(out[-1][2] | used) > most:
            out.append(([], [], set()))
        out[-1][0].extend(totals)
        out[-1][1].extend(own)
        out[-1][2].update(used)
    return [_pass(scan, tuple(totals), tuple(own), sorted(used)) for totals, own, used in out]


def _pass(scan: Scan, totals: tuple[int, ...], pairs: tuple[int, ...], used: list[int]) -> Pass:
    column, total = ({old: new for new, old in enumerate(kept)} for kept in (used, totals))

    def piece(each: Piece) -> Piece:
        return replace(each, columns=tuple(column[c] for c in each.columns))

    def product(each: SharedProduct, rows: dict[int, int]) -> SharedProduct:
        scores = tuple((k, tuple(column[c] for c in columns)) for k, columns in each.scores)
        return SharedProduct(rows[each.left], rows[each.right], scores)

    shared = None
    if scan.shared is not None:
        kept = [scan.shared.products[n] for n in pairs]
        used_rows = sorted({row for products in kept for each in products for row in (each.left, each.right)})
        rows = {old: new for new, old in enumerate(used_rows)}
        products = tuple(tuple(product(each, rows) for each in own) for own in kept)
        shared = Shared(tuple(piece(scan.shared.rows[row]) for row in used_rows), products) if any(products) else None
    own = replace(
        scan,
        columns=tuple(scan.columns[c] for c in used),
        totals=tuple(tuple(map(piece, scan.totals[t])) for t in totals),
        pairs=tuple((total[i], total[j]) for i, j in (scan.pairs[n] for n in pairs)),
        shared=shared,
    )
    return Pass(own, totals, pairs)


def _columns(pieces: Iterable[Piece]) -> set[int]:
    return {c for piece in pieces for c in piece.columns}


def _shared_columns(scan: Scan, pairs: Iterable[int]) -> set[int]:
    if scan.shared is None:
        return set()
    every = [each for n in pairs for each in scan.shared.products[n]]
    rows = _columns(scan.shared.rows[row] for each in every for row in (each.left, each.right))
    return rows | {c for each in every for _, columns in each.scores for c in columns}


def _together(scan: Scan, found: list[tuple[Pass, list[Moments]]]) -> list[Moments]:
    out: dict[str, Moments] = {}
    for part, moments in found:
        for each in moments:
            blank = Moments(each.key, each.users, np.zeros(len(scan.totals)), np.zeros(len(scan.pairs)))
            whole = out.setdefault(repr(each.key), blank)
            whole.first[list(part.totals)] = each.first
            whole.second[list(part.pairs)] = each.second
    return list(out.values())
