"""The evidence book: every figure and table of the five papers, run here and laid beside what was published.

    scripts/bench evidence [id...] [--runs N] [--minutes M] [--jobs J]     run what is missing or out of date
    scripts/bench evidence --book                                          build docs/evidence from stored results

A figure is one `Exhibit` in benchmarks/evidence/<paper>/<figure>.py; the paper's `__init__.py` lists them in a tuple.
"""
