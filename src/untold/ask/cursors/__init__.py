"""Cursors of DB-API 2.0 (PEP 249), their errors and types, and parameters in SQL."""
