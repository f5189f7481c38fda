"""All exhibits of the five papers, in the order of the book."""

from __future__ import annotations

from benchmarks.evidence import ccs18, ccs21, sigmod19, vldb20, vldb25
from benchmarks.evidence.exhibit import Exhibit

PAPERS = {
    "sigmod19": "Answering multi-dimensional analytical queries under local differential privacy (SIGMOD 2019)",
    "vldb20": "Collecting and analyzing data jointly from multiple services under LDP (VLDB 2020)",
    "ccs18": "CALM: consistent adaptive local marginal (CCS 2018)",
    "vldb25": "Privacy for free: fusing what several services hold (VLDB 2025)",
    "ccs21": "Continuous release of data streams (CCS 2021)",
}
EXHIBITS: tuple[Exhibit, ...] = (
    *sigmod19.EXHIBITS,
    *vldb20.EXHIBITS,
    *ccs18.EXHIBITS,
    *vldb25.EXHIBITS,
    *ccs21.EXHIBITS,
)
