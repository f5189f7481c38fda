"""Bounds of what one question may ask; beyond them it is refused, in words. docs/limits.md lists them by these comments."""

# The text of a query
MAX_QUERY_CHARACTERS = 50_000  # characters of a query
MAX_PARAMETER_CHARACTERS = 50_000  # characters of all parameters together
MAX_SCHEMA_CHARACTERS = 5_000  # characters of a question about information_schema
MAX_OPEN_BRACKETS = 25  # brackets in brackets
MAX_DIGITS = 400  # digits of a number
MAX_NUMBER = 1e60  # the largest number; squares of squares of larger ones are beyond what a computer calculates with
MAX_EXPRESSION_PARTS = 20_000  # parts of an expression, once names are written out
MAX_UNION_QUERIES = 32  # queries of one UNION ALL
MAX_DERIVED_TABLES = 16  # subqueries and CTEs side by side that aggregate
MAX_SUBQUERIES = 64  # subqueries and CTEs of a query

# Conditions and expressions
MAX_CONDITION_PRODUCTS = 1024  # products of single conditions that WHERE comes to
MAX_COMPARED_VALUES = 1 << 16  # combinations of values, where two sensitive attributes are compared
MAX_COMPARED_WAYS = 256  # different ways in which two sensitive attributes are compared
MAX_LIKE_PERCENTS = 4  # % of a LIKE pattern: all places are tried for each of them
MAX_TEXT_CHARACTERS = 1 << 26  # characters of all texts of one part of an expression
MAX_TEXT_STEPS = 1 << 30  # parts of an expression times values
MAX_CASES = 256  # cases that a query adds up
MAX_TERMS = 1024  # product terms that a total comes to
MAX_LOOKUP_ROWS = 4096  # rows of a registered table

# Groups and totals
MAX_KEY_GROUPS = 1 << 12  # groups of one key of GROUP BY
MAX_KEY_ENTRIES = 1 << 24  # groups of one key times values of its attribute
MAX_GROUPS = 1 << 18  # groups of all sensitive keys together
MAX_GROUPS_ADDED = 5_000  # groups that totals over public columns are taken over
MAX_TOTAL_PAIRS = 1024  # pairs of totals that formulas combine, each with itself too
MAX_WEIGHTS = 64  # different public conditions and numbers that totals are multiplied by
MAX_QUANTILES = 64  # quantiles of one query
MAX_VIEW_CELLS = 1 << 27  # cells of all views that one total is spread over: a gigabyte of coefficients

# Forecasts
MAX_FORECAST_EPOCHS = 1000  # epochs that a forecast is made for
MAX_FORECAST_USERS = 1e15  # people that a forecast finds for an error
