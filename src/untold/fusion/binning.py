"""Groups people's reports into tuples of bins and counts each tuple: the only passes over all people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from untold.numeric import Numeric

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint32]
Edges = npt.NDArray[np.int64]
THREADS = 2
CHUNK = 1 << 18


def in_chunks(work: Callable[[slice], None], length: int) -> None:
    """Call `work` on slices of 0..length, on two threads (kernels release the interpreter)."""
    parts = [slice(start, min(start + CHUNK, length)) for start in range(0, length, CHUNK)]
    if len(parts) == 1:
        work(parts[0])
        return
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, parts))


def lookup_table(edges: Edges) -> npt.NDArray[np.uint16]:
    """The bin of every answer."""
    return np.repeat(np.arange(len(edges) - 1, dtype=np.uint16), np.diff(edges))


def extend_codes(mechanism: Numeric, values: Floats, edges: Edges, rows: int, codes: Codes) -> None:
    """codes <- codes * rows + bin of each value; a missing value has the bin len(edges) - 1."""
    from untold.kernels.fusion import bin_values

    table, line, absent = lookup_table(edges), mechanism.index_line(), len(edges) - 1

    def work(part: slice) -> None:
        if line is not None:
            bin_values(values[part], line[0], line[1], table, absent, rows, codes[part])
            return
        missing = np.isnan(values[part])
        index = mechanism.index_of(np.where(missing, float(mechanism.value(0)), values[part]))
        codes[part] = codes[part] * np.uint32(rows) + np.where(missing, absent, table[index]).astype(np.uint32)

    in_chunks(work, len(values))


def tuple_codes(
    mechanisms: Sequence[Numeric], columns: Sequence[Floats], edges: Sequence[Edges], rows: Sequence[int]
) -> Codes:
    """One number for each person: the bins at all services, in mixed radix `rows`."""
    codes = np.zeros(len(columns[0]), dtype=np.uint32)
    for mechanism, values, cuts, radix in zip(mechanisms, columns, edges, rows, strict=True):
        extend_codes(mechanism, np.ascontiguousarray(values), cuts, radix, codes)
    return codes


def bin_counts(mechanism: Numeric, values: Floats, edges: Edges) -> Floats:
    """How many values fall into each bin; missing ones into none."""
    codes = tuple_codes([mechanism], [values], [edges], [len(edges)])
    return np.bincount(codes, minlength=len(edges))[: len(edges) - 1].astype(np.float64)


def usual_bins(mechanism: Numeric, bins: int) -> Edges:
    """Edges of about `bins` bins, more where windows are narrow, as they are at large epsilon."""
    from untold.numeric.window import Window

    narrow = mechanism.width / mechanism.indexes if isinstance(mechanism, Window) else 1.0
    return mechanism.bin_edges(max(bins, min(512, round(bins / 8 / narrow))))
