"""Answers: tables with estimates and their errors; as text, HTML, CSV, data frames, plots. Knows no plans, reports or engines.

A `Result` is what was found out; plots draw it; an `Answer` is what users hold, and knows how to show it in each way.
"""
