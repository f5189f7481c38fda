"""Items of CCS'21. Only the paper's appendix was at hand."""

from __future__ import annotations

from benchmarks.evidence.exhibit import DIFFERENT
from benchmarks.evidence.item import Item

ONLY_APPENDIX = "Only the appendix was at hand; built from public facts about the method."

ITEMS: tuple[Item, ...] = (
    Item(
        "Experiments with a trusted curator",
        "range sums by ToPS, its parts, a fixed percentile and PAK",
        exhibit="ccs21_curator",
    ),
    Item("Experiments where nobody is trusted", "the threshold of ToPL against the best one", exhibit="ccs21_topl"),
    Item(
        "ToPS",
        "threshold, hierarchy, consistency, smoother",
        where="src/untold/streams/tops.py",
        run="tests/streams/test_stream_release.py",
        verdict=DIFFERENT,
        why=ONLY_APPENDIX,
    ),
    Item(
        "ToPL",
        "the same where nobody is trusted",
        where="src/untold/streams/topl.py",
        run="tests/streams/test_stream_local.py",
        verdict=DIFFERENT,
        why=ONLY_APPENDIX,
    ),
    Item(
        "Appendix A",
        "smooth sensitivity of a percentile",
        where="src/untold/streams/smooth_sensitivity.py",
        run="tests/streams/test_stream_threshold.py",
        verdict=DIFFERENT,
        why="The printed Gaussian calibration is not private; that of Nissim, Raskhodnikova and Smith takes its place.",
    ),
    Item(
        "Appendix B", "PAK, the rival", where="src/untold/streams/pak.py", run="tests/streams/test_stream_threshold.py"
    ),
    Item(
        "Appendix C, Theorem C.1, equations 10 and 11",
        "on-line consistency",
        where="src/untold/streams/consistency.py",
        run="tests/streams/test_stream_consistency.py",
    ),
)
