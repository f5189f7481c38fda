"""Statements in MySQL's dialect, as BI tools write them. All of this runs in a query process with limits."""
