"""Subqueries and CTEs that aggregate: the query around them is written out as one SELECT over rows."""
