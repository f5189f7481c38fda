"""Sensitive sums and joins: the tables, mechanisms and figures of the VLDB'20 paper."""
