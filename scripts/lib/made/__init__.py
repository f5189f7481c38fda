"""Parts of pages that are made by code, one module for each kind. scripts/lib/write_docs.py puts them in their places."""
